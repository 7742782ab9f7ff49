/* The loops of one rank, found in what it calls, without times (doc/methods.md, section 9).
 *
 * A loop begins an iteration at each occurrence of a head: a call, or a loop inside it. Iterations
 * are alike if they have the same calls, however often and in whatever order; so the loops in them
 * may have any number of iterations. Loops inside are folded first (trace/folded/fold.h). */
#ifndef STRUCTURE_LOOPS_H
#define STRUCTURE_LOOPS_H

#include "structure/loop.h"

/* Lists the loops of a rank: one for each number of iterations and likeness. Free the list
 * with rank_loops_clear, also after a failure. False if out of memory. */
bool rank_loops_find(const struct trace *trace, const struct rank_calls *rank, loop_list *loops);
void rank_loops_clear(loop_list *loops);

#endif
