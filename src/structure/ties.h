/* Messages and collective operations tie the calls of one rank to those of others (doc/methods.md,
 * section 9): the sender of a message and its receiver, and all members of an operation. Iterations
 * of several ranks are those of one loop if, between two messages on a channel, the sender makes as
 * many iterations as the receiver. */
#ifndef STRUCTURE_TIES_H
#define STRUCTURE_TIES_H

#include "structure/calls.h"

#include "base/array.h"

/* A message or operation and the one before it on the same channel. */
struct tie {
    uint32_t before, call; /* of the rank's calls; before: UINT32_MAX if there is none */
    uint32_t slot;         /* of the votes: the same for all ends of it */
    uint32_t other_hash;   /* below 2^31: distinguishes ties with the same slot */
    int32_t weight;        /* of all ends together: zero */
};

typedef ARRAY(struct tie) tie_list;

struct ties {
    const struct trace *trace;
    tie_list *ranks; /* [owned rank], each in order of calls */
    uint32_t slot_count;
    size_t used; /* slots with votes, of all ranks */
};

/* Collective. Fails if out of memory; then nothing is left to free. Free the ties with ties_clear.
 */
enum status ties_find(const struct calls *calls, struct ties *ties, struct error *error);
void ties_clear(struct ties *ties);

/* Collective. The part of the ties that agree with the iterations that begin at begin[s], `count`
 * and one boundaries (NULL: the rank does not take part); 1 if there are no ties. `*agreement` is
 * the same on all processes. */
enum status ties_agree(const struct ties *ties, const uint32_t *const *begin, size_t count,
                       double *agreement, struct error *error);

/* Collective. Finds the iterations of ranks that take part, but whose begin[s] is NULL. A call of
 * such a rank is in the iteration of the message or operation that it shares with a rank whose
 * iterations `begin` has, or that has got them in this way. Sets derived[owned rank], each `count`
 * and one boundaries; the caller frees them, also after a failure. `*complete`: of all ranks that
 * take part. */
enum status ties_derive(const struct ties *ties, const uint32_t *const *begin,
                        const bool *takes_part, size_t count, uint32_t **derived, bool *complete,
                        struct error *error);

#endif
