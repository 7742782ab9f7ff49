/* The collective operations that a hypothesis changes: of each operation all members' parts or
 * none. */
#ifndef TRANSFORM_CHOOSE_COLLECTIVES_H
#define TRANSFORM_CHOOSE_COLLECTIVES_H

#include "transform/callpath_marks.h"

/* All given conditions must hold. */
struct collective_conditions {
    struct chosen_calls calls; /* at least one member's call must be among them */
    const char *operation;     /* name patterns of MPI calls, a list; NULL: any */
    const char *communicator;  /* name patterns, a list; NULL: any */
};

enum status collective_conditions_read(const struct ini_section *section,
                                       struct collective_conditions *conditions,
                                       struct error *error);

struct collective_choice {
    bool **chosen;        /* [owned stream][collective] */
    int64_t *blocks;      /* [collective_choice_index]: the largest block, bytes */
    int64_t *first;       /* [comm + 1]: its first instance */
    int64_t count, total; /* parts of operations, over all ranks */
};

/* Collective; the trace must be matched. Never chooses the creation of communicators and the like.
 * Fails if no operation is chosen. */
enum status collectives_choose(const struct collective_conditions *conditions,
                               const struct trace *trace, struct collective_choice *choice,
                               struct error *error);
void collective_choice_clear(struct collective_choice *choice, const struct trace *trace);

static inline int64_t collective_choice_index(const struct collective_choice *choice,
                                              const struct collective *collective)
{
    return choice->first[collective->comm] + collective->instance;
}

#endif
