/* Calls whose order depends on times, not on the program: what follows when a rank tests or waits
 * for any of several messages, or receives from any source, may depend on the message that arrives
 * first. Examples are answers to neighbours, and tasks that begin as soon as their data are there.
 * Loops are searched in sequences of calls, so such calls must not look like different ones each
 * time. */
#ifndef STRUCTURE_UNORDERED_H
#define STRUCTURE_UNORDERED_H

#include "base/map.h"
#include "structure/calls.h"

/* Properties of a call that the search for calls in varying order reads. */
enum {
    CALL_REACTS = 1, /* a message that arrived may have decided that this call comes next */
    CALL_AGREES = 2, /* a collective operation: its place is the same on all ranks */
};

/* Whether the number of such calls depends on times: they test, or wait for some of several
 * requests. */
bool call_only_polls(const struct trace *trace, uint32_t path);

/* Replaces calls in a row that come in another order each time by one call. Two such calls are
 * alike in size if they stand for the same calls, and alike in partner and in path if these have
 * the same call paths, however many they are. Does nothing if the order does not vary, or only
 * rarely. `marks` [rank->count] are as above; `numbers` are the maps from which the calls have
 * their numbers, and get the new ones. The time is linear. False if out of memory. */
bool unordered_calls_unite(struct rank_calls *rank, const uint8_t *marks,
                           struct map numbers[LIKENESSES]);

#endif
