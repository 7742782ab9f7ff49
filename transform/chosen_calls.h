/* Which MPI calls a hypothesis is about: those called from where `region` and `callpath` of its
 * section say (callpath_marks.h), or, with `all = yes`, every one. */
#ifndef TRANSFORM_CHOSEN_CALLS_H
#define TRANSFORM_CHOSEN_CALLS_H

#include "transform/callpath_marks.h"

struct chosen_calls {
    struct section_ref ref;
    bool all;
};

/* Fails unless the section says either where or all. */
enum status chosen_calls_read(struct section_ref ref, struct chosen_calls *calls,
                              struct error *error);

/* What is called with this path; marks made from the same section. */
static inline bool is_chosen_call(const struct chosen_calls *calls,
                                  const struct callpath_marks *marks, uint32_t path)
{
    return calls->all || (marks_of(marks, path) & CALLPATH_INSIDE) != 0;
}

#endif
