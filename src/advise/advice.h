/* Advice: changes of a program, proposed, tried and ranked by their savings (doc/advice.md).
 *
 *   facts.h           who computes, waits and delays where
 *   candidate.h       a change worth trying; families propose candidates (candidates/)
 *   trial.h           the savings of candidates, by the model and by replays
 *   choose.h          from candidates to proposals
 *   advice.h          all steps together
 *   format.h          the proposals as text, JSON or a page */
#ifndef ADVICE_ADVICE_H
#define ADVICE_ADVICE_H

#include "advise/candidate.h"
#include "base/estimate.h"
#include "severity/severity.h"

enum { ADVICE_MOVES = 4, ADVICE_ALTERNATIVES = 3, ADVICE_PARTS = 2 };

/* Waiting of one kind at one call path, which the change makes shorter or longer, summed over all
 * ranks. */
struct advice_move {
    enum metric metric;
    const char *path; /* as in reports */
    double before_s, after_s;
};

/* Another change that removes the same waiting. */
struct advice_alternative {
    const struct advice_candidate *candidate;
    double saving; /* by the model, fraction of T */
};

/* A proposal. */
struct advice_item {
    const struct advice_candidate
        *parts[ADVICE_PARTS]; /* two: they save more together than one by one */
    uint32_t part_count;
    struct estimate saving; /* fraction of T; level 0 for the model, whose bounds doc/advice.md
                               explains */
    double computed;        /* the saving by the model, fraction of T */
    const char *engine;     /* "model" or "realtime": the source of `saving` */
    bool trustworthy;       /* each rank of the replays had a core */
    const char *sections;   /* its hypotheses */
    const char *config;     /* a complete configuration that repeats the prediction */
    /* On process 0: */
    struct advice_move grows[ADVICE_MOVES], shrinks[ADVICE_MOVES];
    uint32_t grow_count, shrink_count; /* the largest changes first */
    struct advice_alternative alternatives[ADVICE_ALTERNATIVES];
    uint32_t alternative_count;
};

struct advice_options {
    size_t keep;          /* number of proposals, at least 1 */
    bool replays;         /* replay the proposals, on one process per rank */
    size_t rounds;        /* of replays; 0: as many as significance needs and the budget allows */
    double budget_s;      /* for all replays together; 0: no limit */
    const char *region;   /* only candidates in regions that match these name patterns; NULL: all */
    bool without_details; /* do not search for the waiting that changes */
};

struct advice {
    struct arena *arena;
    struct facts *facts;
    struct candidate_list candidates; /* all candidates, with `saving` by the model */
    struct advice_item *items;        /* best first: by the lower end of the saving */
    size_t item_count;
    double time_s;     /* T, as the model computes it for the unchanged trace */
    double resolution; /* fraction of T: smaller savings are within the error of the model */
    size_t tried;      /* candidates that could be applied */
};

/* Collective. `base` is open, without hypotheses; its engine computes. The advice refers to its
 * trace. The result is the same on all processes and does not depend on their number, except for
 * replays. No items is an answer, too: no change saves anything. The caller frees the advice with
 * advice_clear; after a failure there is nothing to free. */
enum status advice_find(const struct replay_session *base, const struct advice_options *options,
                        struct advice *advice, struct error *error);
void advice_clear(struct advice *advice);

#endif
