/* The loops of one rank, found in what it calls, without times (doc/methods.md, section 9).
 *
 * A loop begins an iteration at each occurrence of a head: a call, or a loop inside it. Iterations
 * are alike if they have the same calls, however often and in whatever order; so the loops in them
 * may have any number of iterations. Loops inside are folded first (trace/folded/fold.h). */
#ifndef STRUCTURE_LOOPS_H
#define STRUCTURE_LOOPS_H

#include "structure/calls.h"

#include "base/array.h"

struct loop {
    size_t iterations;
    enum likeness likeness; /* in which its iterations are alike */
    bool nested;            /* something repeats in each iteration */
    bool decorates;  /* a loop inside it is the real one: it makes some calls only now and then */
    bool sparse;     /* its iterations have little in common */
    bool single;     /* each iteration makes one of its calls once */
    bool random;     /* its calls come in random order */
    bool at_path;    /* a single call begins each iteration */
    uint32_t depth;  /* of that call's path */
    size_t visits;   /* iterations in the shortened sequence of calls */
    size_t open;     /* further iterations may follow that lack some calls */
    uint32_t *begin; /* [iterations + 1 + open]: calls; the last one is the first after the loop */
};

typedef ARRAY(struct loop) loop_list;

/* Lists the loops of a rank: one for each number of iterations and likeness. Free the list
 * with rank_loops_clear, also after a failure. False if out of memory. */
bool rank_loops_find(const struct trace *trace, const struct rank_calls *rank, loop_list *loops);
void rank_loops_clear(loop_list *loops);

#endif
