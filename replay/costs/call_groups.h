/* The calls of a trace: a list of them, and groups of calls that probably cost the same. */
#ifndef REPLAY_COSTS_CALL_GROUPS_H
#define REPLAY_COSTS_CALL_GROUPS_H

#include "base/status.h"
#include "trace/calls/walk.h"

/* A group has the calls of one call path whose largest message, or collective operation, belongs to
 * the same class of sizes: a program may send small and large messages from one place. A class has
 * sizes within a factor of 4. */

enum { CALL_SIZES = 12 }; /* classes per call path: the last one is for 1 MiB and more */

/* path * CALL_SIZES + size class, for a call from row `enter` to row `leave`. */
size_t call_group(const struct stream *stream, uint32_t path, uint32_t enter, uint32_t leave);

/* values[path_count * CALL_SIZES]: a group with the value `unknown` gets the value of the nearest
 * size of its call path, or `otherwise` if the call path has no known value. */
void call_groups_fill(int64_t *values, size_t path_count, int64_t unknown, int64_t otherwise);

/* The calls of the owned ranks that communicate (trace/calls/walk.h), listed once for users that
 * read them repeatedly with other times: which rows are one call, and its posts and waits. */

struct listed_call {
    size_t first_post, first_wait; /* up to those of the next call */
    uint32_t enter, leave;         /* rows */
    bool probes;                   /* as in struct recorded_call */
};

struct call_list {
    ARRAY(struct listed_call)
    calls; /* rank after rank, in order; a further one ends the posts and waits of the last */
    ARRAY(struct post) posts;
    ARRAY(struct wait) waits;
    size_t *first; /* [owned ranks + 1]: the first call of each */
    size_t count;
};

/* Lists the calls of a matched trace, whose times decide which tests are one polling loop. Not
 * collective. Fails only if out of memory; nothing is left to free then. */
enum status call_list_make(const struct trace *trace, double poll_gap_s, struct call_list *list,
                           struct error *error);
void call_list_clear(struct call_list *list);

#endif
