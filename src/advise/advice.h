/* advise/: what to change in a program, found, tried and ranked (doc/advice.md).
 *
 *   facts.h           what the search for candidates reads: who computes, waits and delays where
 *   candidate.h       a change worth trying; families propose them (candidates/)
 *   trial.h           what candidates bring: by the model, and replayed for real
 *   advice.h          all of it: the short list
 *   format.h          the list as text, JSON or a page */
#ifndef ADVICE_ADVICE_H
#define ADVICE_ADVICE_H

#include "advise/candidate.h"
#include "base/estimate.h"
#include "severity/severity.h"

enum { ADVICE_MOVES = 4, ADVICE_ALTERNATIVES = 3, ADVICE_PARTS = 2 };

/* Waiting of one kind at one call path that changes, summed over all ranks. */
struct advice_move {
    enum metric metric;
    const char *path; /* as reports print it */
    double before_s, after_s;
};

/* A remedy for the same waiting that is not the first choice. */
struct advice_alternative {
    const struct candidate *candidate;
    double saving; /* by the model, fraction of T */
};

struct advice_item {
    const struct candidate *parts[ADVICE_PARTS]; /* more than one: they are worth more together */
    uint32_t part_count;
    struct estimate saving; /* fraction of T; level 0 by the model: what the bounds mean is in
                               doc/advice.md, section "How sure" */
    double computed;        /* what the model says, fraction of T */
    const char *engine;     /* "model" or "realtime", which says `saving` */
    bool trustworthy;       /* the replays had their cores */
    const char *sections;   /* its hypotheses; */
    const char *config;     /* a complete configuration with them, which repeats it */
    /* On process 0: */
    struct advice_move grows[ADVICE_MOVES], shrinks[ADVICE_MOVES];
    uint32_t grow_count, shrink_count; /* the largest changes first */
    struct advice_alternative alternatives[ADVICE_ALTERNATIVES];
    uint32_t alternative_count;
};

struct advice_options {
    size_t keep;          /* advice that is replayed, if at all, and shown; at least 1 */
    bool replays;         /* on the job's processes, one per rank; else the model alone answers */
    size_t rounds;        /* of replays; 0: as many as significance needs, and the budget allows */
    double budget_s;      /* for all replays together; 0: none */
    const char *region;   /* only candidates at regions of these name patterns; NULL: all */
    bool without_details; /* moves are not searched for */
};

struct advice {
    struct arena *arena;
    struct facts *facts;
    struct candidate_list candidates; /* all that were proposed, with `saving` by the model */
    struct advice_item *items;        /* best first: by the lower end of the saving */
    size_t item_count;
    double time_s;     /* T, as the model computes it for the unchanged trace */
    double resolution; /* the model cannot tell smaller savings from none; fraction of T */
    size_t tried;      /* candidates that could be applied */
};

/* Collective. `base` is open, without hypotheses; its engine computes. The advice refers to its
 * trace. The result is the same on all processes and does not depend on their number, except for
 * what is replayed. An empty list is an answer: nothing is worth doing. Free it with advice_clear
 * in any case. */
enum status advice_find(const struct replay_session *base, const struct advice_options *options,
                        struct advice *advice, struct error *error);
void advice_clear(struct advice *advice);

#endif
