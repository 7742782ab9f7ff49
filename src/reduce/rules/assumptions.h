/* The assumptions of a reduced trace: under them it predicts the same as the whole trace. An
 * assumption is a kind of hypothesis with the keys that choose its target, but without the amount
 * of the change. Or it says which waits may become shorter:
 *
 *   waits at_least=0.001     waits of 1 ms and longer may become shorter (default: all waits)
 *   scale region=foo         the computation in foo may take any time; balance means the same
 *   cpu, cpu rank=0..3       all computation, or that of these ranks, may run at any speed
 *   cut size=0 region=bar    the messages that [cut] with these keys drops
 *   network latency=10       exactly this section; also for collectives, mapping, nonblocking,
 *                            remap, replace, resize and split
 *
 * "; " separates assumptions. A value with blanks, ';', '"' or '\' stands between double quotes,
 * with '\' before '"' and '\'. The property SILAS::ASSUMED of a reduced archive has this form.
 *
 * silas-reduce knows all kinds of hypotheses, the tracer some of them: struct assumption_kinds. */
#ifndef REDUCTION_RULES_ASSUMPTIONS_H
#define REDUCTION_RULES_ASSUMPTIONS_H

#include "base/ini.h"

#include <stdio.h>

struct assumption {
    /* Has only the keys that choose what changes; of kinds that are assumed exactly, all keys. */
    const struct ini_section *section;
    bool waits;          /* about waits, not of a kind of hypothesis */
    bool computation;    /* about computation, until it is known which regions have so much */
    double least_wait_s; /* of waits: the shortest that may change; of computation: the shortest
                            between two calls; seconds */
};

/* All zero: none. Free with assumptions_clear. */
struct assumptions {
    ARRAY(struct assumption) items; /* none of them covers a later one */
    struct arena *arena;            /* owns the sections */
};

/* The kinds of hypotheses that a program can assume. */
struct assumption_kinds {
    const char *(*name)(size_t number); /* NULL: there are no more than `number` */
    /* Fails as hypothesis_read does at a wrong key or value. An amount of the change may be
     * missing, although the hypothesis requires it. */
    enum status (*check)(const struct ini_section *section, struct error *error);
    bool files; /* assumptions_add also takes the path of a configuration, and "computation" */
    const char *advice; /* for the message about another kind: where it can be assumed; or "" */
};

/* Adds what `--assume TEXT` says: assumptions in the form above or the path of a configuration, of
 * which all hypotheses are assumed. Durations may have units. Fails with STATUS_INPUT and a message
 * that names the text, or file and line, and the nearest valid name. */
enum status assumptions_add(struct assumptions *assumptions, const struct assumption_kinds *kinds,
                            const char *text, struct error *error);

/* Adds the assumptions of a text in the form above, which messages call `name`. */
enum status assumptions_read(struct assumptions *assumptions, const struct assumption_kinds *kinds,
                             const char *name, const char *text, struct error *error);

void assumptions_clear(struct assumptions *assumptions);

/* The text form, which the caller frees; NULL if out of memory. */
char *assumptions_text(const struct assumptions *assumptions);
/* Writes the assumption that covers the section of a hypothesis, in the text form. */
void assumption_write(FILE *text, const struct ini_section *section);

/* True if the hypothesis of the section is assumed. `scale` and `balance` cover each other with any
 * factor and mode, if `region` and `callpath` are the same. `cpu` covers any speed of the same
 * `rank` and `node`; without these keys, of all ranks. Other kinds cover sections with the same
 * keys and values only. Blanks make no difference. */
bool assumptions_cover(const struct assumptions *assumptions, const struct ini_section *section);

/* True if an assumption of this kind has all keys of the section, amounts included. */
bool assumption_is_exact(const char *kind);

/* The shortest wait that may become shorter, seconds; INFINITY if none may. */
double assumptions_least_wait(const struct assumptions *assumptions);

#endif
