/* The messages that a hypothesis changes: of each message both ends or none. */
#ifndef TRANSFORM_CHOOSE_MESSAGES_H
#define TRANSFORM_CHOOSE_MESSAGES_H

#include "transform/callpath_marks.h"

/* All given conditions must hold. */
struct message_conditions {
    const struct ini_section *section;
    bool where; /* region or callpath is given: the call path of one end must match */
    struct ranges size, tag, sender, receiver;
    const char *communicator; /* names or indices, NULL: any */
};

/* Reads the keys; fails if there is neither a condition nor `all`. The caller clears the conditions
 * in any case. */
enum status message_conditions_read(const struct ini_section *section,
                                    struct message_conditions *conditions, struct error *error);
void message_conditions_clear(struct message_conditions *conditions);

struct message_choice {
    bool **chosen;        /* [owned stream][message] */
    int64_t count, total; /* messages (not ends) over all ranks */
};

/* Collective; the trace must be matched. If the other end of a chosen message takes no part in
 * matching, fails with an error that names both events. */
enum status messages_choose(const struct message_conditions *conditions, const struct trace *trace,
                            struct message_choice *choice, struct error *error);
void message_choice_clear(struct message_choice *choice, const struct trace *trace);

#endif
