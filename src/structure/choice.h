/* Which loop of all ranks is reported. Each rank has its own loops (loops.h); those of several
 * ranks are one if they have equally many iterations and what ties the ranks agrees (ties.h). */
#ifndef STRUCTURE_CHOICE_H
#define STRUCTURE_CHOICE_H

#include "structure/loops.h"

struct loop_choice {
    size_t iterations;       /* 0: none */
    const struct loop **own; /* [owned rank], of these `loops`; it may have one iteration more,
                                or `open` less; NULL: the rank does not take part */
    uint32_t path, calls;    /* as in struct iterations */
};

/* Collective. Chooses the outermost of the loops that explain most calls; if `period` (ticks) is
 * not 0, the one that explains most calls of those whose iterations are about as long. `loops`
 * [owned rank] may get others: of ranks that take turns. Only ranks with takes_part[s] have loops;
 * there are `taking_part` of all processes. The caller frees choice->own. After a failure nothing
 * is left to free. */
enum status loop_choose(const struct calls *calls, loop_list *loops, const bool *takes_part,
                        size_t taking_part, double period, struct loop_choice *choice,
                        struct error *error);

#endif
