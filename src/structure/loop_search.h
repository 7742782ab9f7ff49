/* The search for the loops of one rank, in parts: heads.c divides the calls where a call, or a few
 * in a row, recurs; segments.c finds the segments whose kinds recur; edges.c finds where the
 * iterations begin and end; nesting.c finds what their calls say about loops inside; loop_search.c
 * keeps the loops. loops.c searches in all senses in which calls can be alike. */
#ifndef STRUCTURE_LOOP_SEARCH_H
#define STRUCTURE_LOOP_SEARCH_H

#include "structure/loop.h"
#include "structure/prediction.h"
#include "structure/sequence.h"
#include "structure/shortening.h"

/* Exact repetitions are required of sequences of calls. */
static const double EXACT = 0.8;

/* A loop with few iterations has this part of the rank's calls, or is ignored. */
static const double EXPLAINED_BY_FEW = 0.15;

enum {
    FEWEST = 3, /* iterations of a loop */
    SHORT = 3,  /* of fewer iterations, or as many, all must be alike */
    FEW = 8,    /* of fewer iterations half must be exactly the same, and of SHORT ones all */
};

/* What a search knows about a number of the sequence. */
struct symbol {
    uint32_t within; /* number of segments that contain it */
    uint32_t stamp;  /* of the last of these segments */
    uint32_t path;   /* of its first call */
    enum phase_role role;
    bool core;                  /* most segments contain it */
    bool foreign;               /* at most one segment contains it */
    bool ends;                  /* the same is true of its call path */
    bool fits;                  /* it may be inside of an iteration */
    uint32_t first, now, equal; /* occurrences in the first segment of a part and in the current
                                   one; segments that contain it as often as the first one */
};

/* The number of segments that contain a call path, and the last of them. */
struct path_use {
    uint32_t within, stamp;
};

/* From one head to the next. */
struct segment {
    uint32_t at; /* in the sequence */
    uint32_t distinct, core, common;
    uint32_t core_calls; /* calls of the core */
    uint64_t sequence;   /* a hash of its symbols in their order */
    uint64_t kind, form; /* hashes of its calls, and of their call paths only */
    bool ends;           /* contains what ends the loop */
};

struct loop_search {
    const struct trace *trace;
    const struct rank_calls *all;
    struct shortened_calls shortened;
    const struct rank_calls *rank;     /* the calls that are left */
    struct call_prediction prediction; /* of these */
    enum likeness likeness;
    struct sequence sequence;
    struct symbol *symbols;
    struct path_use *paths;   /* [call path] */
    struct segment *segments; /* the last one is open */
    size_t segment_count;     /* without that */
    uint32_t core, stamp;
    bool pairs;     /* bodies that are repeated once are folded, too */
    bool exact;     /* kinds are the exact sequence */
    double cycle;   /* part of its iterations that repeat the kind of the iteration a few before */
    bool sparse;    /* the part that was last found regular has little in common */
    bool lacks_end; /* the last iteration that was placed last lacks calls */
    size_t visits;  /* of symbols by the search for heads of this length */
    loop_list *loops;
    bool out_of_memory;
};

/* A part of the segments: a <= j < b. */
struct part {
    size_t a, b;
    bool closed;   /* the segment b begins another loop */
    bool same;     /* nearly all iterations are exactly the same */
    bool preceded; /* the segment before it comes before the loop */
};

static inline uint32_t segment_end(const struct loop_search *f, size_t j)
{
    return j < f->segment_count ? f->segments[j + 1].at : (uint32_t)f->sequence.count;
}

static inline uint32_t segment_calls(const struct loop_search *f, size_t j)
{
    return f->sequence.call[f->segments[j + 1].at] - f->sequence.call[f->segments[j].at];
}

/* Tries heads of several lengths in the sequence, and adds the loops. Sets f->out_of_memory if
 * memory is out, as all functions below do. */
void loop_heads_search(struct loop_search *f);

/* Finds what the segments f->segments[].at have in common, and where a loop ends. */
void segments_describe(struct loop_search *f);
/* The first segment from which on iterations call other paths, for good, or the only one from which
 * on they make other calls: there may be two loops in a row, which have the same head. `part.b` if
 * there is none. */
size_t part_first_change(struct loop_search *f, struct part part);
/* Whether the segments of a part are regular: a loop. If nearly all of them are the same, shorter
 * ones at the edges are left out. */
bool part_is_regular(struct loop_search *f, struct part *part);
size_t part_longest_segment(const struct loop_search *f, struct part part); /* symbols */

/* The places in the sequence at which the iterations of a part begin, and where they end. Returns
 * their number; `at` has room for the part's segments and 3 more. */
size_t part_place_iterations(struct loop_search *f, struct part part, uint32_t *at);
/* The end of the calls after the last head that may be in an iteration. */
uint32_t part_open_end(const struct loop_search *f, struct part part);

/* Sets what the calls of the iterations say about the loop: nested, single, decorates. Sets
 * `*inner_paths` to the number of call paths in loops inside. False if out of memory. */
bool loop_characterise(const struct loop_search *f, struct loop *loop, uint32_t *inner_paths);
/* Whether a loop of n iterations that contains one folded loop, in the symbols from <= i < to, only
 * decorates it. `varies`: the number of iterations inside does. */
bool loop_decorates_folded(const struct loop_search *f, size_t n, uint32_t from, uint32_t to,
                           bool varies, uint32_t inner_paths);
/* Whether each iteration is a visit of the same region: its first call enters it, and all others
 * are inside. */
bool loop_visits_region(const struct loop_search *f, const struct loop *loop);
bool loop_calls_vary(const struct loop *loop); /* iterations have different numbers of calls */
/* Moves the end of the last iteration after calls that other iterations make, too. */
void loop_extend_last(struct loop_search *f, struct loop *loop);
/* Lets iterations that all begin with the same calls begin after these, if the same calls follow
 * the loop and also come before it: the first of them belong to the loop before it. */
void loop_begin_later(struct loop_search *f, struct loop *loop);
/* Whether each of n iterations makes exactly one call with the path of its first call, which sends
 * and receives no message. */
bool loop_begins_each(const struct loop_search *f, uint32_t from, uint32_t to, size_t n);

/* Whether the first of n iterations, which begin at call begin[i] and end at begin[n], makes only
 * calls that each other one makes at least as often, and a collective operation less often than
 * each of them, of which most make it equally often. Then it comes before the loop, such as the
 * first residual of a solver. */
bool loop_first_is_less(struct loop_search *f, const uint32_t *begin, size_t n);

/* Adds a loop, whose `begin` it owns from now on, or keeps the better one of two loops with equally
 * many iterations. */
void loop_keep(struct loop_search *f, struct loop loop);
size_t loop_call_count(const struct loop *loop);
uint32_t callpath_depth(const struct trace *trace, uint32_t path); /* 1: the root */

#endif
