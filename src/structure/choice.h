/* Chooses the loop that is reported. Each rank has its own loops (loops.h). Loops of several ranks
 * are one loop if they have equally many iterations, and if the messages and collective operations
 * between the ranks agree with that (ties.h). */
#ifndef STRUCTURE_CHOICE_H
#define STRUCTURE_CHOICE_H

#include "structure/loops.h"

struct loop_choice {
    size_t iterations;       /* 0: none */
    const struct loop **own; /* [owned rank], of these `loops`; it may have one iteration more,
                                or `open` less; NULL: the rank does not take part */
    uint32_t path, calls;    /* as in struct iterations */
    double explained;
};

/* Collective. Chooses the outermost of the loops that explain most calls; if `period` (ticks) is
 * not 0, the one that explains most calls of those whose iterations are about as long. Loops of
 * ranks that take turns may be added to `loops` [owned rank]. Only ranks with takes_part[s] have
 * loops; there are `taking_part` of all processes. The caller frees choice->own. After a failure
 * nothing is left to free. */
enum status loop_choose(const struct calls *calls, loop_list *loops, const bool *takes_part,
                        size_t taking_part, double period, struct loop_choice *choice,
                        struct error *error);

#endif
