/* Flows between the same two nodes have the same rate, so they form a route with one clock: the
 * bytes that each flow of the route has moved. A flow ends when the clock has advanced by its
 * bytes. After a begin or an end only routes are looked at that are connected with the changed
 * route by resources on which flows want more than there is. Rates are found by progressive filling
 * (D. Bertsekas, R. Gallager: Data Networks, 1992, section 6.5.2). */
#include "replay/model/link_network.h"

#include "base/heap.h"
#include "base/map.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { ROUTE_RESOURCES = 3 };

/* Sums of rates agree with capacities up to this part: they are sums of many terms. */
#define ROUNDING 1e-9

/* Links of a node in one direction, the memory of a node, or the switch. */
struct link_resource {
    double capacity;        /* bytes per time; INFINITY: it limits nothing */
    double wanted;          /* sum of the rates that its flows have alone */
    uint32_t flows;         /* that pass it */
    bool contended;         /* at the last solution */
    ARRAY(uint32_t) routes; /* that pass it, also without flows */
    /* While rates are found: */
    uint32_t seen;    /* number of the solution that has looked at it */
    double left;      /* capacity that is not given away, */
    uint32_t unfixed; /* and flows that have no rate yet */
};

struct link_route {
    uint32_t resources[ROUTE_RESOURCES], resource_count;
    double alone;         /* rate of a flow that is alone */
    double rate;          /* of each flow now */
    double clock, time;   /* bytes that a flow has moved up to `time` */
    struct heap running;  /* flows, by the clock at which they end */
    double next_end;      /* of these; the valid entry in link_network.ends */
    uint32_t seen, fixed; /* numbers of the last solutions that looked at it, gave it its rate */
    bool changed;         /* its flows, since the last solution, or its rate */
};

struct link_network {
    double time;
    uint32_t node_count;
    struct link_resource *resources; /* [3 * node_count + 1]: out, in, memory; then the switch */
    struct map numbers;              /* of routes */
    ARRAY(struct link_route) routes;
    ARRAY(uint32_t) changed; /* routes */
    ARRAY(uint32_t) part;    /* routes, and */
    ARRAY(uint32_t) limits;  /* contended resources, of the part that is solved */
    struct heap ends;        /* routes; entries whose time has changed are skipped */
    size_t fixed;            /* routes of the part that have their rates */
    uint32_t solution;       /* number */
};

enum { RESOURCE_OUT, RESOURCE_IN, RESOURCE_MEMORY, NODE_RESOURCES };

static uint32_t resource_of(const struct link_network *network, uint32_t node, int which)
{
    return node + (uint32_t)which * network->node_count;
}

static uint32_t switch_of(const struct link_network *network)
{
    return NODE_RESOURCES * network->node_count;
}

static double capacity(double bytes_per_second, double second)
{
    return bytes_per_second > 0 ? bytes_per_second / second : INFINITY;
}

enum status link_network_create(const struct network_links *links, double second,
                                uint32_t node_count, struct link_network **result,
                                struct error *error)
{
    struct link_network *network = calloc(1, sizeof *network);
    *result = NULL;
    if (!network)
        return error_memory(error, "the links");
    network->node_count = node_count;
    network->resources =
        calloc((size_t)NODE_RESOURCES * node_count + 1, sizeof *network->resources);
    if (!network->resources) {
        free(network);
        return error_memory(error, "the links");
    }
    double number = (double)links->number;
    for (uint32_t node = 0; node < node_count; node++) {
        network->resources[resource_of(network, node, RESOURCE_OUT)].capacity =
            capacity(number * links->out, second);
        network->resources[resource_of(network, node, RESOURCE_IN)].capacity =
            capacity(number * links->in, second);
        network->resources[resource_of(network, node, RESOURCE_MEMORY)].capacity =
            capacity(links->memory, second);
    }
    network->resources[switch_of(network)].capacity = capacity(links->switched, second);
    *result = network;
    return STATUS_OK;
}

void link_network_destroy(struct link_network *network)
{
    if (!network)
        return;
    for (uint32_t r = 0; r <= switch_of(network); r++)
        free(network->resources[r].routes.items);
    for (size_t r = 0; r < network->routes.count; r++)
        free(network->routes.items[r].running.list.items);
    free(network->resources);
    free(network->routes.items);
    free(network->changed.items);
    free(network->part.items);
    free(network->limits.items);
    free(network->ends.list.items);
    map_clear(&network->numbers);
    free(network);
}

double link_network_time(const struct link_network *network)
{
    return network->time;
}

/* Resources without a limit are left out. */
static bool add_resource(struct link_network *network, struct link_route *route, uint32_t number,
                         uint32_t resource)
{
    if (isinf(network->resources[resource].capacity))
        return true;
    route->resources[route->resource_count++] = resource;
    route->alone = fmin(route->alone, network->resources[resource].capacity);
    return array_push(&network->resources[resource].routes, number);
}

static bool make_route(struct link_network *network, const struct link_path *path)
{
    uint32_t number = (uint32_t)network->routes.count;
    struct link_route route = {.alone = path->rate, .next_end = INFINITY};
    bool room;
    if (path->from == path->to)
        room = add_resource(network, &route, number,
                            resource_of(network, path->from, RESOURCE_MEMORY));
    else
        room =
            add_resource(network, &route, number, resource_of(network, path->from, RESOURCE_OUT)) &&
            add_resource(network, &route, number, resource_of(network, path->to, RESOURCE_IN)) &&
            add_resource(network, &route, number, switch_of(network));
    return room && array_push(&network->routes, route);
}

/* INDEX of the route; MAP_NONE when memory is out. */
static uint32_t find_route(struct link_network *network, const struct link_path *path)
{
    uint64_t key = ((uint64_t)path->from * network->node_count + path->to) * 2 + path->kind;
    uint32_t *number = map_at(&network->numbers, key, (uint32_t)network->routes.count);
    if (!number)
        return MAP_NONE;
    if (*number == network->routes.count && !make_route(network, path))
        return MAP_NONE;
    return *number;
}

/* Advances the route's clock to the network's time. */
static void settle(const struct link_network *network, struct link_route *route)
{
    if (network->time > route->time && route->running.list.count > 0)
        route->clock += route->rate * (network->time - route->time);
    route->time = network->time;
}

/* The route has `change` flows more. */
static bool note_change(struct link_network *network, uint32_t number, int change)
{
    struct link_route *route = &network->routes.items[number];
    for (uint32_t i = 0; i < route->resource_count; i++) {
        struct link_resource *resource = &network->resources[route->resources[i]];
        resource->flows += (uint32_t)change;
        resource->wanted = resource->flows > 0 ? resource->wanted + change * route->alone : 0;
    }
    if (route->changed)
        return true;
    route->changed = true;
    return array_push(&network->changed, number);
}

bool link_network_begin(struct link_network *network, uint32_t flow, const struct link_path *path,
                        double bytes, double time)
{
    assert(bytes > 0 && path->rate > 0 && time >= network->time);
    assert(path->from < network->node_count && path->to < network->node_count);
    network->time = time;
    uint32_t number = find_route(network, path);
    if (number == MAP_NONE)
        return false;
    struct link_route *route = &network->routes.items[number];
    if (route->running.list.count == 0)
        route->clock = 0;
    settle(network, route);
    return heap_put(&route->running, (struct heap_item){route->clock + bytes, flow}) &&
           note_change(network, number, 1);
}

static bool is_contended(const struct link_resource *resource)
{
    return resource->wanted > resource->capacity * (1 + ROUNDING);
}

static bool add_to_part(struct link_network *network, uint32_t number)
{
    struct link_route *route = &network->routes.items[number];
    if (route->seen == network->solution || route->running.list.count == 0)
        return true;
    route->seen = network->solution;
    return array_push(&network->part, number);
}

/* Adds the routes that a resource connects, if it is or was contended. */
static bool follow_resource(struct link_network *network, uint32_t number)
{
    struct link_resource *resource = &network->resources[number];
    if (resource->seen == network->solution)
        return true;
    resource->seen = network->solution;
    bool contended = is_contended(resource), connects = contended || resource->contended;
    resource->contended = contended;
    resource->left = resource->capacity;
    resource->unfixed = resource->flows;
    bool room = !contended || array_push(&network->limits, number);
    for (size_t i = 0; connects && room && i < resource->routes.count; i++)
        room = add_to_part(network, resource->routes.items[i]);
    return room;
}

/* Finds all routes whose rates may change. */
static bool find_part(struct link_network *network)
{
    bool room = true;
    network->solution++;
    network->part.count = network->limits.count = 0;
    for (size_t i = 0; i < network->changed.count && room; i++) {
        const struct link_route *route = &network->routes.items[network->changed.items[i]];
        room = add_to_part(network, network->changed.items[i]);
        for (uint32_t r = 0; r < route->resource_count && room; r++)
            room = follow_resource(network, route->resources[r]);
    }
    for (size_t i = 0; i < network->part.count && room; i++) {
        const struct link_route *route = &network->routes.items[network->part.items[i]];
        for (uint32_t r = 0; r < route->resource_count && room; r++)
            room = follow_resource(network, route->resources[r]);
    }
    return room;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* The rate that all flows of a resource without a rate can have. */
static double share_of(const struct link_resource *resource)
{
    if (resource->unfixed == 0)
        return INFINITY;
    return resource->left > 0 ? resource->left / resource->unfixed : 0;
}

static struct link_resource *scarcest_resource(const struct link_network *network, double *share)
{
    struct link_resource *scarcest = NULL;
    *share = INFINITY;
    for (size_t i = 0; i < network->limits.count; i++) {
        struct link_resource *resource = &network->resources[network->limits.items[i]];
        double own = share_of(resource);
        if (own < *share) {
            *share = own;
            scarcest = resource;
        }
    }
    return scarcest;
}

/* Gives a rate to a route's flows, unless they have one. */
static void fix_rate(struct link_network *network, struct link_route *route, double rate)
{
    if (route->fixed == network->solution || route->running.list.count == 0)
        return;
    double flows = (double)route->running.list.count;
    if (rate != route->rate) {
        settle(network, route);
        route->rate = rate;
        route->changed = true;
    }
    route->fixed = network->solution;
    network->fixed++;
    for (uint32_t r = 0; r < route->resource_count; r++) {
        struct link_resource *resource = &network->resources[route->resources[r]];
        resource->left -= flows * rate;
        resource->unfixed -= (uint32_t)flows;
    }
}

/* Of the routes without a rate: the smallest rate that a flow has alone. */
static double slowest_alone(const struct link_network *network)
{
    double slowest = INFINITY;
    for (size_t i = 0; i < network->part.count; i++) {
        const struct link_route *route = &network->routes.items[network->part.items[i]];
        if (route->fixed != network->solution)
            slowest = least(slowest, route->alone);
    }
    return slowest;
}

/* All rates grow together until a resource is full, or a flow has the rate that it has alone. These
 * flows keep their rates, and the others grow further. */
static void fill(struct link_network *network)
{
    double slowest = slowest_alone(network), share;
    for (network->fixed = 0; network->fixed < network->part.count;) {
        const struct link_resource *resource = scarcest_resource(network, &share);
        if (slowest <= share) {
            for (size_t i = 0; i < network->part.count; i++) {
                struct link_route *route = &network->routes.items[network->part.items[i]];
                if (route->alone <= slowest)
                    fix_rate(network, route, route->alone);
            }
            slowest = slowest_alone(network);
        } else {
            assert(resource);
            for (size_t i = 0; i < resource->routes.count; i++)
                fix_rate(network, &network->routes.items[resource->routes.items[i]], share);
        }
    }
}

static bool set_next_end(struct link_network *network, uint32_t number)
{
    struct link_route *route = &network->routes.items[number];
    double end = INFINITY;
    if (route->running.list.count > 0)
        end = route->time + fmax(route->running.list.items[0].key - route->clock, 0) / route->rate;
    if (end == route->next_end)
        return true;
    route->next_end = end;
    return isinf(end) || heap_put(&network->ends, (struct heap_item){end, number});
}

static bool find_rates(struct link_network *network)
{
    bool room = find_part(network);
    if (room)
        fill(network);
    for (size_t i = 0; room && i < network->part.count; i++) {
        struct link_route *route = &network->routes.items[network->part.items[i]];
        if (route->changed)
            room = set_next_end(network, network->part.items[i]);
        route->changed = false;
    }
    for (size_t i = 0; i < network->changed.count; i++) /* also those without flows */
        network->routes.items[network->changed.items[i]].changed = false;
    network->changed.count = 0;
    return room;
}

/* Removes entries that do not hold any more. */
static double first_end(struct link_network *network)
{
    while (network->ends.list.count > 0) {
        struct heap_item first = network->ends.list.items[0];
        if (network->routes.items[first.value].next_end == first.key)
            return first.key;
        heap_take(&network->ends);
    }
    return INFINITY;
}

/* Rates do not matter between ends at the same time. */
bool link_network_next_end(struct link_network *network, double *time)
{
    *time = first_end(network);
    if (network->changed.count == 0 || *time <= network->time)
        return true;
    bool room = find_rates(network);
    *time = first_end(network);
    return room;
}

bool link_network_end(struct link_network *network, uint32_t *flow)
{
    struct heap_item next = heap_take(&network->ends);
    struct link_route *route = &network->routes.items[next.value];
    assert(route->next_end == next.key && next.key >= network->time);
    struct heap_item ended = heap_take(&route->running);
    network->time = route->time = next.key;
    route->clock = ended.key;
    route->next_end = INFINITY;
    *flow = ended.value;
    return set_next_end(network, next.value) && note_change(network, next.value, -1);
}
