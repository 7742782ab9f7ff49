/* The options of silas-replay and silas-model that change the configuration: --set, and one for
 * each kind of hypothesis (job/question.h). */
#ifndef PROGRAMS_QUESTION_OPTIONS_H
#define PROGRAMS_QUESTION_OPTIONS_H

#include "job/question.h"

enum { QUESTION_OPTIONS_MOST = 40 };

/* For the details of --help. */
#define QUESTION_OPTIONS_DETAILS                                                                 \
    "TRACE stands for a configuration that has nothing but this trace. An option with the name " \
    "of\na hypothesis (--scale solve=0.5) adds a section with the keys of config.md."

/* For the table of options of a program: its own options `own`, then those of `question`. */
void question_options_list(const struct option_spec *own, struct question *question,
                           struct option_spec options[QUESTION_OPTIONS_MOST]);

#endif
