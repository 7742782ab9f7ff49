/* A message waits at one resource that is taken. When a resource becomes free, only the messages
 * that wait there are looked at: all others still wait for another one. */
#include "replay/model/link_queue.h"

#include "base/heap.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { MESSAGE_RESOURCES = 3 };

/* The links of a node in one direction, the memory of a node, or the buses. */
struct queue_resource {
    double rate;         /* of one link, in bytes per time; INFINITY: that of the message */
    int64_t unused;      /* links that no message takes */
    struct heap waiting; /* messages, in the order in which they came */
};

struct queued_message {
    uint32_t resources[MESSAGE_RESOURCES], resource_count;
    uint32_t flow;
    double length; /* time that it takes */
};

struct link_queue {
    double time;
    uint32_t node_count;
    bool has_buses;                   /* their number is limited */
    struct queue_resource *resources; /* [3 * node_count + 1]: out, in, memory; then the buses */
    ARRAY(struct queued_message) messages;
    ARRAY(uint32_t) ended; /* places in `messages` that are free */
    struct heap running;   /* messages, by the time at which they end */
    double next_number;    /* of the messages that come: their order */
};

enum status link_queue_create(const struct network_links *links, double second, uint32_t node_count,
                              struct link_queue **result, struct error *error)
{
    assert(links->whole && links->number > 0);
    struct link_queue *queue = calloc(1, sizeof *queue);
    size_t count = (size_t)NODE_RESOURCES * node_count;
    *result = NULL;
    if (queue)
        queue->resources = calloc(count + 1, sizeof *queue->resources);
    if (!queue || !queue->resources) {
        free(queue);
        return error_memory(error, "the links");
    }
    queue->node_count = node_count;
    queue->has_buses = links->buses > 0;
    const double rates[NODE_RESOURCES] = {links->out, links->in, links->memory};
    for (size_t r = 0; r < count; r++) {
        int which = (int)(r / node_count);
        queue->resources[r].rate = link_rate(rates[which], second);
        queue->resources[r].unused = which == RESOURCE_MEMORY ? 1 : links->number;
    }
    queue->resources[count].rate = INFINITY;
    queue->resources[count].unused = links->buses;
    *result = queue;
    return STATUS_OK;
}

void link_queue_destroy(struct link_queue *queue)
{
    if (!queue)
        return;
    for (size_t r = 0; r <= (size_t)NODE_RESOURCES * queue->node_count; r++)
        free(queue->resources[r].waiting.list.items);
    free(queue->resources);
    free(queue->messages.items);
    free(queue->ended.items);
    free(queue->running.list.items);
    free(queue);
}

double link_queue_time(const struct link_queue *queue)
{
    return queue->time;
}

double link_queue_next_end(const struct link_queue *queue)
{
    return queue->running.list.count > 0 ? queue->running.list.items[0].key : INFINITY;
}

/* The message begins, or waits at a resource that is taken. */
static bool try_message(struct link_queue *queue, uint32_t number, double order)
{
    const struct queued_message *message = &queue->messages.items[number];
    for (uint32_t i = 0; i < message->resource_count; i++) {
        struct queue_resource *resource = &queue->resources[message->resources[i]];
        if (resource->unused == 0)
            return heap_put(&resource->waiting, (struct heap_item){order, number});
    }
    for (uint32_t i = 0; i < message->resource_count; i++)
        queue->resources[message->resources[i]].unused--;
    return heap_put(&queue->running, (struct heap_item){queue->time + message->length, number});
}

static void need_resource(const struct link_queue *queue, struct queued_message *message,
                          uint32_t resource, double *rate)
{
    message->resources[message->resource_count++] = resource;
    *rate = fmin(*rate, queue->resources[resource].rate);
}

bool link_queue_begin(struct link_queue *queue, uint32_t flow, const struct link_path *path,
                      double bytes, double time)
{
    assert(bytes > 0 && path->rate > 0 && time >= queue->time);
    assert(path->from < queue->node_count && path->to < queue->node_count);
    struct queued_message message = {.flow = flow};
    const uint32_t nodes = queue->node_count, buses = NODE_RESOURCES * nodes;
    double rate = path->rate;
    queue->time = time;
    if (path->from != path->to) {
        need_resource(queue, &message, path->from + RESOURCE_OUT * nodes, &rate);
        need_resource(queue, &message, path->to + RESOURCE_IN * nodes, &rate);
        if (queue->has_buses)
            need_resource(queue, &message, buses, &rate);
    } else if (!isinf(queue->resources[path->from + RESOURCE_MEMORY * nodes].rate)) {
        need_resource(queue, &message, path->from + RESOURCE_MEMORY * nodes, &rate);
    }
    message.length = bytes / rate;
    uint32_t number = (uint32_t)queue->messages.count;
    if (queue->ended.count > 0) {
        number = queue->ended.items[--queue->ended.count];
        queue->messages.items[number] = message;
    } else if (!array_push(&queue->messages, message)) {
        return false;
    }
    return try_message(queue, number, queue->next_number++);
}

/* Of the resources that the message has left: the one at which the earliest message waits. NULL if
 * none can begin. */
static struct queue_resource *next_waiting(const struct link_queue *queue,
                                           const struct queued_message *message)
{
    struct queue_resource *next = NULL;
    for (uint32_t i = 0; i < message->resource_count; i++) {
        struct queue_resource *resource = &queue->resources[message->resources[i]];
        if (resource->unused > 0 && resource->waiting.list.count > 0 &&
            (!next ||
             heap_item_before(resource->waiting.list.items[0], next->waiting.list.items[0])))
            next = resource;
    }
    return next;
}

bool link_queue_end(struct link_queue *queue, uint32_t *flow)
{
    struct heap_item first = heap_take(&queue->running);
    struct queued_message ended = queue->messages.items[first.value];
    struct queue_resource *resource;
    *flow = ended.flow;
    queue->time = first.key;
    for (uint32_t i = 0; i < ended.resource_count; i++)
        queue->resources[ended.resources[i]].unused++;
    bool room = array_push(&queue->ended, first.value);
    while (room && (resource = next_waiting(queue, &ended))) {
        struct heap_item waiting = heap_take(&resource->waiting);
        room = try_message(queue, waiting.value, waiting.key);
    }
    return room;
}
