/* Loops of all ranks with equally many iterations, of which one is chosen. candidates.c makes them
 * from the loops of each rank, judgement.c compares them, completion.c completes those that only a
 * part of the ranks has, choice.c chooses. */
#ifndef STRUCTURE_CANDIDATES_H
#define STRUCTURE_CANDIDATES_H

#include "structure/contents.h"
#include "structure/loops.h"
#include "structure/ties.h"

#include "base/array.h"

/* A loop explains most calls if it has this part of those of the best one, on each rank. */
static const double MOST = 0.85;

/* Of the ties, this part agrees with the iterations of a loop: not all at its edges do. */
static const double TIED = 0.9;

/* In this part of the iterations, all ranks together do the same. */
static const double ALIKE = 0.8;

enum {
    MORE = 2,  /* a loop that explains more calls may have this many iterations more than a loop */
    FEW = 4,   /* with at least this number of iterations */
    CYCLE = 3, /* sizes or own calls that repeat after at most this number of iterations make
                  several kinds of iterations, not longer iterations */
    INNER = 2, /* an inner loop has this many times the iterations of the outer one; else more than
                  half of these have the outer loop's own calls, and repeat only now and then */
};

/* Loops with equally many iterations: on one rank, and then on several. The sets contain a bit for
 * each enum likeness in which the statement is true. */
struct candidate {
    uint64_t iterations;
    uint32_t likenesses, nested, decorates; /* the loop was found, has loops inside, ... */
    uint32_t whole, dense, ordered; /* all ranks have the loop itself, not with other iterations at
                                       its end; one whose iterations have much in common; one whose
                                       calls do not come in random order */
    uint32_t single;                /* one in which each iteration makes a call once */
    uint32_t regions;               /* one whose iterations are the visits of a region */
    uint32_t divided; /* may be two loops in a row, on all ranks, that change at the same place: */
    int64_t change;
    uint32_t ranks;
    uint32_t likeness; /* of the first rank's loop, whose begin is this: */
    uint32_t path, calls;
    uint64_t first;   /* ticks */
    double explained; /* the least part of a rank's calls */
    double
        explains[ALIKE_IN_ORDER + 1]; /* the same for loops of each likeness; 0: a rank has none */
    double median;    /* length of an iteration of the first rank, ticks; 0 if not asked for */
    double agreement; /* of the ties; negative: not known */
    double in_order;  /* of the calls of an iteration, the part that the next one makes in the same
                         order; negative: not known */
    uint64_t differing[CONTENTS]; /* see contents_compare; UINT64_MAX: not counted */
};

typedef ARRAY(struct candidate) candidate_list;

/* What the choice reads and remembers. */
struct loop_chooser {
    const struct calls *calls;
    loop_list *loops; /* [owned rank] */
    const bool *takes_part;
    candidate_list all, partial; /* those that all ranks have, or many */
    struct ties ties;
    enum status status;
    struct error *error;
};

/* A loop of one rank as a candidate. */
struct candidate candidate_of_loop(const struct rank_calls *rank, const struct loop *loop);
/* Appends the candidates of one rank, each also without its last iteration, or with those that lack
 * some calls: other ranks may not have the same. `lengths`: also sets `median`. False if out of
 * memory. */
bool candidates_list(const struct rank_calls *rank, const loop_list *loops, bool lengths,
                     candidate_list *all);
/* Collective. Unites the candidates of all ranks, and keeps those that all ranks have which take
 * part. Others go to `partial` if not too few ranks have them. */
enum status candidates_share(const struct trace *trace, size_t taking_part, candidate_list *all,
                             candidate_list *partial, struct error *error);
/* The loop of a rank with the chosen number of iterations, or one more; NULL: there is none. */
const struct loop *candidate_loop(const loop_list *loops, const struct candidate *chosen);
/* Whether `a` is the same loop as `b` with few more iterations, which are nearly complete. */
bool candidate_extends(const struct candidate *a, const struct candidate *b);
/* The same for iterations that lack hardly a call. */
bool candidate_completes(const struct candidate *a, const struct candidate *b);

/* Sets begin[owned rank] to the boundaries of the candidate's iterations. The caller frees it; NULL
 * if out of memory on one of the processes. The functions below set chooser->status. */
const uint32_t **candidate_boundaries(struct loop_chooser *chooser,
                                      const struct candidate *candidate);
/* Collective. The number of iterations of a candidate that differ from the most frequent kind,
 * which is counted once; 0 if no two are alike, because sizes or tags change from each to the next.
 */
uint64_t candidate_differing(struct loop_chooser *chooser, struct candidate *candidate,
                             enum content content);
/* Iterations of a candidate on all ranks: those of a kind, and all. */
struct iteration_count {
    int64_t such, all;
};

/* Collective. Counts the iterations of which `is_such` says that they are of a kind, by the calls
 * from <= c < to of a rank. */
struct iteration_count candidate_count_iterations(struct loop_chooser *chooser,
                                                  const struct candidate *candidate,
                                                  bool (*is_such)(const struct rank_calls *rank,
                                                                  uint32_t from, uint32_t to));
/* Collective. The number of iterations of a candidate, where an iteration that makes all call paths
 * k times as often as the others counts as k iterations. 0 after a failure. */
uint64_t candidate_count_all(struct loop_chooser *chooser, const struct candidate *candidate);
/* Collective. Whether messages and collective operations tie the candidate's iterations. */
bool candidate_is_tied(struct loop_chooser *chooser, struct candidate *candidate);
/* Collective. Whether most iterations of `outer` contain equally many iterations of `inner`, on all
 * ranks. */
bool candidate_contains_equally(struct loop_chooser *chooser, const struct candidate *outer,
                                const struct candidate *inner);
/* Collective. Whether each iteration of `outer` is only a group of iterations of `inner`: `outer`
 * has no own calls, or occasionally a few. This is not the case if the iterations of `outer` have
 * loops inside and much in common, and those of `inner` little. */
bool candidate_only_groups(struct loop_chooser *chooser, const struct candidate *outer,
                           struct candidate *inner, int likeness);
/* Collective. Whether a loop with more iterations explains as many calls and is the better one:
 * either it has at least INNER times as many iterations, and `outer` decorates it or only groups
 * its iterations, which keep their order if they are no more than CYCLE times as many; or it has
 * fewer, does not only divide those of `outer`, and makes a call once in each iteration, which
 * `outer` does not; or it has fewer, and `outer` only selects some of its iterations. False if the
 * iterations of `outer` are visits of a region. */
bool candidate_only_decorates(struct loop_chooser *chooser, struct candidate *outer, int likeness);

/* Collective. Completes a candidate that only a part of the ranks has: the iterations of the others
 * are derived from the ties, and become loops of these. Sets `*complete` if the ties agree with the
 * result, and the ranks do the same in most iterations. */
void candidate_complete(struct loop_chooser *chooser, struct candidate *candidate, bool *complete);

/* Collective. If the ties do not agree with a candidate, its iterations may begin with another call
 * on each rank. Then those of the rank with the lowest number are taken, and the ties tell those of
 * the others, which replace theirs if the ties agree with the result. */
void candidate_realign(struct loop_chooser *chooser, struct candidate *candidate);

#endif
