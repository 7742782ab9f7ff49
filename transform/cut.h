/* Cutting messages in two steps: which go (cut_choose.c), and what goes with them (cut_rows.c). */
#ifndef TRANSFORM_CUT_H
#define TRANSFORM_CUT_H

#include "transform/callpath_marks.h"
#include "transform/ranges.h"

/* What a section of kind `cut` says: all conditions that are given must hold. */
struct cut_conditions {
    struct section_ref ref;
    bool where; /* region or callpath is given: one end's call path must match */
    struct ranges size, tag, sender, receiver;
    const char *communicator; /* names or indices, NULL: any */
};

/* Reads the keys; fails if there is no condition and not `all` either. Cleared in any case. */
enum status cut_conditions_read(struct section_ref ref, struct cut_conditions *conditions,
                                struct error *error);
void cut_conditions_clear(struct cut_conditions *conditions);

/* cut[s][m]: whether message m of owned stream s goes. */
struct cut_choice {
    bool **cut;
    int64_t cut_count, message_count; /* over all ranks, a message (not an end) counted once */
};

/* Collective; the trace must be matched. Both ends of a message are chosen or none: a message whose
 * other end takes no part in matching is an error that names both events. */
enum status cut_choose(const struct cut_conditions *conditions, const struct trace *trace,
                       struct cut_choice *choice, struct error *error);
void cut_choice_clear(struct cut_choice *choice, const struct trace *trace);

/* Takes the chosen messages and collective operations (NULL: none) out of one stream: their events,
 * MPI calls that have nothing left to do, with their time, and probes for them. Everything after
 * such a call moves earlier by its length. The stream gets columns of its own; the trace is no
 * longer matched. False when memory is out (the stream may then be half-changed). */
bool cut_rows(struct trace *trace, struct stream *stream, const bool *messages,
              const bool *collectives);

#endif
