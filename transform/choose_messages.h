/* Which messages a hypothesis is about: both ends of a message, or none. */
#ifndef TRANSFORM_CHOOSE_MESSAGES_H
#define TRANSFORM_CHOOSE_MESSAGES_H

#include "transform/callpath_marks.h"

/* All that are given must hold. */
struct message_conditions {
    const struct ini_section *section;
    bool where; /* region or callpath is given: one end's call path must match */
    struct ranges size, tag, sender, receiver;
    const char *communicator; /* names or indices, NULL: any */
};

/* Reads the keys; fails if there is no condition and not `all` either. Cleared in any case. */
enum status message_conditions_read(const struct ini_section *section,
                                    struct message_conditions *conditions, struct error *error);
void message_conditions_clear(struct message_conditions *conditions);

struct message_choice {
    bool **chosen;        /* [owned stream][message] */
    int64_t count, total; /* over all ranks; a message (not an end) counts once */
};

/* Collective; the trace must be matched. Both ends of a message are chosen or none: a message whose
 * other end takes no part in matching is an error that names both events. */
enum status messages_choose(const struct message_conditions *conditions, const struct trace *trace,
                            struct message_choice *choice, struct error *error);
void message_choice_clear(struct message_choice *choice, const struct trace *trace);

#endif
