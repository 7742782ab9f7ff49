/* Which collective operations a hypothesis is about. All members' parts of an operation, or none.
 */
#ifndef TRANSFORM_CHOOSE_COLLECTIVES_H
#define TRANSFORM_CHOOSE_COLLECTIVES_H

#include "transform/callpath_marks.h"

/* All that are given must hold. */
struct collective_conditions {
    struct chosen_calls calls; /* where one of the members calls it */
    const char *operation;     /* list of name patterns of MPI calls; NULL: any */
    const char *communicator;  /* list of name patterns; NULL: any */
};

enum status collective_conditions_read(const struct ini_section *section,
                                       struct collective_conditions *conditions,
                                       struct error *error);

struct collective_choice {
    bool **chosen;        /* [owned stream][collective] */
    int64_t *blocks;      /* [instance, see collective_choice_index]: largest bytes of a member */
    int64_t *first;       /* [comm + 1]: its first instance */
    int64_t count, total; /* parts of operations, over all ranks */
};

/* Collective; the trace must be matched. Communicators' creation and the like are never chosen.
 * Fails if none is. */
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
