/* The calls of the owned ranks that communicate (trace/calls/walk.h), listed once for users that
 * read them repeatedly with other times: which rows are one call, what it posts and waits for. */
#ifndef REPLAY_COSTS_CALL_LIST_H
#define REPLAY_COSTS_CALL_LIST_H

#include "base/status.h"
#include "trace/calls/walk.h"

struct listed_call {
    size_t first_post, first_wait; /* up to those of the next call */
    uint32_t enter, leave;         /* rows */
    bool probes;                   /* as in struct recorded_call */
};

struct call_list {
    ARRAY(struct listed_call)
    calls; /* rank after rank, in order; one more behind the last ends its posts and waits */
    ARRAY(struct post) posts;
    ARRAY(struct wait) waits;
    size_t *first; /* [owned ranks + 1]: the first call of each */
    size_t count;
};

/* Lists the calls of a matched trace, whose times decide which tests are one polling loop. Not
 * collective. Fails only for lack of memory; clear the list in any case. */
enum status call_list_make(const struct trace *trace, double poll_gap_s, struct call_list *list,
                           struct error *error);
void call_list_clear(struct call_list *list);

#endif
