/* Explanations of the wait states that cost most: from the symptom back to its causes. */
#ifndef PATTERNS_EXPLAIN_H
#define PATTERNS_EXPLAIN_H

#include "patterns/causes.h"

#include <stdio.h>

enum { EXPLAINED_WAITS = 3, EXPLAINED_CAUSES = 3, EXPLAINED_STEPS = 8 };

/* A delay on one rank, and the part of the explained waiting that it has caused. */
struct explained_cause {
    double ticks;
    uint32_t rank, path;
};

/* One wait on the way back: its rank waits in `path` for the rank of the next step, or of the delay
 * at the end. */
struct explained_step {
    int64_t wait, at; /* ticks; begin of the wait */
    uint32_t rank, culprit, path;
    enum sync_kind kind;
};

/* All waits of one kind at one call path. */
struct explanation {
    enum sync_kind kind;
    uint32_t path;
    int64_t ticks;
    uint32_t waits, ranks;
    struct explained_cause causes[EXPLAINED_CAUSES]; /* the largest first */
    uint32_t cause_count;
    struct explained_step steps[EXPLAINED_STEPS]; /* back from its longest wait */
    uint32_t step_count;
    bool cut_off;                /* there are more steps */
    struct explained_cause last; /* the last cause; path CALLPATH_NONE: unknown */
    uint32_t region;             /* changed by the test; INDEX_NONE: there is no test */
    uint32_t region_ranks;       /* ranks that execute it */
    bool of_messages;            /* the test changes the messages there, not the computation */
    bool by_visits;              /* it balances the computation visit by visit */
    double saving;               /* by the test, a fraction of T; NAN: unknown */
};

struct explanations {
    struct explanation items[EXPLAINED_WAITS]; /* the longest first; complete on process 0 */
    uint32_t count;
};

/* Collective; the result does not depend on the number of processes. */
enum status explain_waits(const struct search_rank *ranks, const struct causes *causes,
                          struct explanations *explanations, struct error *error);

/* How unevenly ranks compute from visit to visit of a region (balance_choice.c), in ticks. */
struct unevenness {
    size_t visits;    /* of each rank; 0: their numbers differ, so visits cannot be compared */
    double by_visits; /* U: what balance visit by visit removes */
    double left;      /* what equal sums of computation would leave of it */
    double typical;   /* U if all visits were as uneven as the median one */
};

/* Collective. */
enum status region_unevenness(const struct trace *trace, uint32_t region, struct unevenness *uneven,
                              struct error *error);

/* Collective. Chooses the mode of [balance] that tests whether the imbalance of a region causes
 * waits. Sets `*by_visits` if the slowest rank changes from visit to visit, so that the region must
 * be balanced visit by visit: equal sums of computation would leave more than half of the
 * imbalance.
 */
enum status balance_by_visits(const struct trace *trace, uint32_t region, bool *by_visits,
                              struct error *error);

/* Writes the hypotheses that test an explanation to `*text`, which the caller frees; NULL if out of
 * memory. Returns false if no hypothesis tests it, or if an earlier explanation has the same ones.
 */
bool explanation_test(const struct explanations *explanations, uint32_t index,
                      const struct trace *trace, char **text);

/* Writes text: with each explanation a configuration that tests it in silas-replay or silas-model,
 * and the saving, where it is known. `config_path`: the file that contains the configuration
 * (explanations_write_config), which is then left out of the text; NULL: none. */
void explanations_write(const struct explanations *explanations, const struct trace *trace,
                        const char *config_path, FILE *file);

/* Writes a configuration with the tests of all explanations, each in a section that is named after
 * its region. The first is active, the others are comments: they are tried one after another. */
void explanations_write_config(const struct explanations *explanations, const struct trace *trace,
                               FILE *file);

#endif
