/* The MPI calls, messages or collective operations that meet the conditions of a hypothesis. A
 * message is chosen with both ends, a collective operation with the parts of all members. */
#ifndef TRANSFORM_CHOOSE_H
#define TRANSFORM_CHOOSE_H

#include "base/arena.h"
#include "transform/callpath_marks.h"

#include <assert.h>

/* All given conditions must hold, including `region` and `callpath` of the section. */
struct conditions {
    const struct ini_section *section;
    bool all;                                  /* "all = yes": there is no condition */
    struct ranges size, tag, sender, receiver; /* of messages */
    bool repeated;                             /* of messages: see repeated_messages.h */
    const char *communicator;                  /* a list of names, of messages also of indices */
    const char *operation; /* of collective operations: a list of name patterns of MPI calls */
};

/* The keys of a `structure` that begins with struct conditions `conditions`: of all, and those that
 * only messages and only collective operations have. */
#define CALL_KEYS(structure) WHERE_KEYS, INI_KEY_AT("all", structure, conditions.all, BOOL)
#define MESSAGE_KEYS(structure)                                         \
    INI_KEY_AT("size", structure, conditions.size, RANGES),             \
        INI_KEY_AT("tag", structure, conditions.tag, RANGES),           \
        INI_KEY_AT("sender", structure, conditions.sender, RANGES),     \
        INI_KEY_AT("receiver", structure, conditions.receiver, RANGES), \
        INI_KEY_AT("repeated", structure, conditions.repeated, BOOL)
#define OPERATION_KEYS(structure) INI_KEY_AT("operation", structure, conditions.operation, STRING)
#define COMMUNICATOR_KEY(structure) \
    INI_KEY_AT("communicator", structure, conditions.communicator, STRING)

/* Each fails unless the section has a condition for calls, messages or operations, or `all = yes`.
 */
enum status conditions_check_calls(const struct conditions *conditions, struct error *error);
enum status conditions_check_messages(const struct conditions *conditions, struct error *error);
/* Sets `all` if there are conditions, but none on the call paths. */
enum status conditions_check_operations(struct conditions *conditions, struct error *error);

/* Whether a rank is among the chosen ones: in `ranks`, and on a host that one of the name patterns
 * `nodes` matches (NULL: any). Fails when out of memory. */
enum status choose_rank(const struct ranges *ranks, const char *nodes, const struct trace *trace,
                        uint32_t rank, bool *chosen, struct error *error);
/* Fails because no rank is chosen. */
enum status refuse_ranks(const struct ini_section *section, const char *nodes,
                         const struct trace *trace, struct error *error);

/* Fails if a set begins a range with a rank that does not exist. */
enum status conditions_check_ranks(const struct ini_section *section, const char *key,
                                   const struct ranges *ranges, const struct trace *trace,
                                   struct error *error);

/* True if calls with this path are chosen: those below the call paths that `region` and `callpath`
 * choose, or all. The marks must be made from the same section. */
static inline bool is_chosen_call(const struct conditions *conditions,
                                  const struct callpath_marks *marks, uint32_t path)
{
    return conditions->all || (marks_of(marks, path) & CALLPATH_INSIDE) != 0;
}

struct choice {
    bool **chosen;        /* [owned stream][message or collective] */
    int64_t count, total; /* messages (not ends) or parts of operations, over all ranks */
    int64_t *first;       /* of operations: [comm + 1]: its first instance */
    int64_t *blocks;      /* of operations: [choice_instance]: the largest block, bytes */
    struct arena *arena;  /* owns the arrays */
};

/* Collective; the trace must be matched. Fails if nothing is chosen, or if the other end of a
 * chosen message takes no part in matching: the error names both events. */
enum status messages_choose(const struct conditions *conditions, const struct trace *trace,
                            struct choice *choice, struct error *error);
/* The same for operations. Never chooses the creation of communicators and the like. */
enum status operations_choose(const struct conditions *conditions, const struct trace *trace,
                              struct choice *choice, struct error *error);
void choice_clear(struct choice *choice);

/* One flag for each message, or for each collective operation, of the owned streams. The choice
 * owns them. NULL if out of memory. */
bool **choice_flags(struct choice *choice, const struct trace *trace, bool messages);

/* Collective. The last step of the two functions above: sums the counts; fails if nothing is
 * chosen. Clears the choice if it fails, or if a step before has failed on all processes with
 * `status`. */
enum status choice_finish(struct choice *choice, const struct conditions *conditions,
                          const struct trace *trace, const char *things, enum status status,
                          struct error *error);

static inline int64_t choice_instance(const struct choice *choice,
                                      const struct collective *collective)
{
    assert(choice->first && collective->comm != INDEX_NONE && collective->instance != INDEX_NONE);
    return choice->first[collective->comm] + collective->instance;
}

#endif
