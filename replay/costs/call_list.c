#include "replay/costs/call_list.h"

#include <stdlib.h>
#include <string.h>

/* False when memory is out. */
static bool add_call(struct call_list *list, const struct call_walk *walk)
{
    struct listed_call call = {.first_post = list->posts.count,
                               .first_wait = list->waits.count,
                               .enter = walk->call.enter,
                               .leave = walk->call.leave,
                               .probes = walk->call.probes};
    bool room = array_push(&list->calls, call);
    for (size_t i = 0; i < walk->posts.count && room; i++)
        room = array_push(&list->posts, walk->posts.items[i]);
    for (size_t i = 0; i < walk->waits.count && room; i++)
        room = array_push(&list->waits, walk->waits.items[i]);
    return room;
}

static bool add_stream(struct call_list *list, const struct trace *trace,
                       const struct stream *stream, double poll_gap_s)
{
    struct call_walk walk;
    bool room = true;
    call_walk_open(&walk, trace, stream, poll_gap_s);
    while (room && call_walk_next(&walk))
        room = add_call(list, &walk);
    room = room && !walk.no_memory;
    call_walk_close(&walk);
    return room;
}

enum status call_list_make(const struct trace *trace, double poll_gap_s, struct call_list *list,
                           struct error *error)
{
    memset(list, 0, sizeof *list);
    list->first = calloc((size_t)trace->owned_count + 1, sizeof *list->first);
    bool room = list->first != NULL;
    for (uint32_t s = 0; s < trace->owned_count && room; s++) {
        room = add_stream(list, trace, &trace->streams[s], poll_gap_s);
        list->first[s + 1] = list->calls.count;
    }
    struct listed_call end = {.first_post = list->posts.count, .first_wait = list->waits.count};
    list->count = list->calls.count;
    room = room && array_push(&list->calls, end);
    return room ? STATUS_OK : error_memory(error, "the calls of a trace");
}

void call_list_clear(struct call_list *list)
{
    free(list->calls.items);
    free(list->posts.items);
    free(list->waits.items);
    free(list->first);
    memset(list, 0, sizeof *list);
}
