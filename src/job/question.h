/* Questions on a command line: "--scale solve=0.5" adds a section [scale] to a configuration, so
 * that a question needs no file. The option has the name of the section, and the words of its keys:
 *
 *     --KIND KEY=VALUE,KEY=VALUE ...    the keys of the section; a comma or blanks separate them
 *     --KIND REGION                     region = REGION, for kinds that have this key
 *     --KIND REGION=VALUE               also the key that the kind requires: --scale solve=0.5
 *     --KIND KEY                        KEY = yes, for keys that are yes or no: --network ideal
 *
 * REGION and KEY may be followed by further keys. A comma that no key of the kind follows belongs
 * to the value. The values are checked as those of a file. */
#ifndef JOB_QUESTION_H
#define JOB_QUESTION_H

#include "base/ini.h"
#include "base/options.h"

/* What a command line adds to a configuration. */
struct question {
    const char *sets[OPTION_REPEATS + 1]; /* values of --set (ini_set), then NULL */
    const char *directory;                /* of --output, or NULL: replaces [output] directory */
    struct option_uses hypotheses;        /* kinds of hypotheses, and the texts above */
};

/* Adds all of it. Fails with STATUS_USAGE, or with STATUS_INPUT for a text that is not as above;
 * the message names the option. */
enum status question_add(const struct question *question, struct ini *ini, struct error *error);

#endif
