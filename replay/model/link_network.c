/* Flows between the same two nodes have the same rate, so they form a route: a flow ends when the
 * route has moved its bytes. Each route is either limited by a contended resource, one on which
 * flows want more than there is, or by the rate that a flow has alone. All flows that a resource
 * limits have the same rate. So they need only one clock, and only routes whose limit changes are
 * touched when a rate changes.
 *
 * Contended resources with a route in common form a component. After a begin or an end, only the
 * rates of its component are found again, by progressive filling (D. Bertsekas, R. Gallager: Data
 * Networks, 1992, section 6.5.2). */
#include "replay/model/link_network.h"

#include "base/heap.h"
#include "base/map.h"
#include "replay/model/link_queue.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { ROUTE_RESOURCES = 3 };

/* How many resources are compared to find the next one that is full: the order in which they become
 * full rarely changes by more than this from one solution to the next. */
enum { COMPARED_RESOURCES = 8 };

/* Sums of rates agree with capacities up to this part: they are sums of many terms. */
#define ROUNDING     1e-9

/* Of a route: the rate that its flows have alone. Of a resource: not in a component. */
#define UNLIMITED    UINT32_MAX
#define NO_COMPONENT UINT32_MAX

/* A route that passes a resource, and which of the route's resources this is. */
struct passing_route {
    uint32_t route, which;
};

/* Links of a node in one direction, the memory of a node, or the switch. */
struct link_resource {
    double capacity; /* bytes per time; INFINITY: it limits nothing */
    double wanted;   /* sum of the rates that its flows have alone */
    uint32_t flows;  /* that pass it */
    bool contended;
    uint32_t component;                 /* also if it was contended before; or NO_COMPONENT */
    ARRAY(struct passing_route) routes; /* with flows; first those that it limits */
    double slowest;                     /* no route of these is slower alone */
    double rate, clock, time;           /* of the flows that it limits: bytes up to `time` */
    uint32_t limited_count;             /* routes that it limits */
    uint32_t place;                     /* in its component */
    struct heap limited;                /* these, by the clock at which their next flow ends */
    double next_end;                    /* time of the first of these ends */
};

/* Of a resource, while rates are found. */
struct link_remainder {
    double left;      /* capacity not given away; INFINITY: the resource is not contended */
    double share;     /* of it for each flow without a rate; INFINITY: there is no such flow */
    uint32_t unfixed; /* these flows */
};

struct link_route {
    uint32_t fixed; /* number of the last solution that gave it its rate */
    uint32_t limit; /* the resource that limits it, or UNLIMITED */
    uint32_t flows;
    uint32_t resources[ROUTE_RESOURCES], resource_count;
    double alone; /* rate of a flow that is alone */
    /* Bytes that a flow has moved up to `time` if it is UNLIMITED; otherwise these are the
     * resource's clock and `clock`. */
    double clock, time;
    struct heap running;              /* flows, by the bytes at which they end */
    double next_end;                  /* of these: a time, or the clock of the resource */
    uint32_t places[ROUTE_RESOURCES]; /* of the route in the lists of its resources */
};

/* Contended resources that routes connect, directly or not. It can be larger than necessary until
 * it is found anew. */
struct link_component {
    ARRAY(uint32_t) resources; /* in the order in which they became full; without any: unused */
    size_t solutions_left;     /* until it is found anew */
    double next_end;           /* of the routes that the resources limit; the valid entry in */
    uint32_t next;             /* component_ends. The resource that limits this route */
    bool changed;              /* rates have to be found */
};

struct link_network {
    struct link_queue *queue; /* if messages take links whole; then nothing below is used */
    double time;
    uint32_t node_count;
    struct link_resource *resources;   /* [3 * node_count + 1]: out, in, memory; then the switch */
    struct link_remainder *remainders; /* [the same] */
    struct map numbers;                /* of routes */
    ARRAY(struct link_route) routes;
    ARRAY(struct link_component) components;
    ARRAY(uint32_t) unused;     /* components */
    ARRAY(uint32_t) changed;    /* components */
    ARRAY(uint32_t) relaxed;    /* resources that are no longer contended */
    ARRAY(uint32_t) gathered;   /* resources of a component that is found anew */
    struct heap route_ends;     /* routes that are UNLIMITED, and components: entries whose */
    struct heap component_ends; /* time has changed are skipped */
    struct heap levels;         /* resources, by the rate at which they would be full */
    uint32_t solution;          /* number */
};

static uint32_t resource_of(const struct link_network *network, uint32_t node, int which)
{
    return node + (uint32_t)which * network->node_count;
}

static uint32_t switch_of(const struct link_network *network)
{
    return NODE_RESOURCES * network->node_count;
}

enum status link_network_create(const struct network_links *links, double second,
                                uint32_t node_count, struct link_network **result,
                                struct error *error)
{
    struct link_network *network = calloc(1, sizeof *network);
    *result = NULL;
    if (!network)
        return error_memory(error, "the links");
    if (links->whole) {
        enum status status = link_queue_create(links, second, node_count, &network->queue, error);
        *result = status == STATUS_OK ? network : NULL;
        if (status != STATUS_OK)
            free(network);
        return status;
    }
    network->node_count = node_count;
    network->resources =
        calloc((size_t)NODE_RESOURCES * node_count + 1, sizeof *network->resources);
    network->remainders =
        calloc((size_t)NODE_RESOURCES * node_count + 1, sizeof *network->remainders);
    if (!network->resources || !network->remainders) {
        link_network_destroy(network);
        return error_memory(error, "the links");
    }
    double number = (double)links->number;
    for (uint32_t node = 0; node < node_count; node++) {
        network->resources[resource_of(network, node, RESOURCE_OUT)].capacity =
            link_rate(number * links->out, second);
        network->resources[resource_of(network, node, RESOURCE_IN)].capacity =
            link_rate(number * links->in, second);
        network->resources[resource_of(network, node, RESOURCE_MEMORY)].capacity =
            link_rate(links->memory, second);
    }
    network->resources[switch_of(network)].capacity = link_rate(links->switched, second);
    for (uint32_t r = 0; r <= switch_of(network); r++)
        network->resources[r].component = NO_COMPONENT, network->resources[r].next_end = INFINITY;
    *result = network;
    return STATUS_OK;
}

void link_network_destroy(struct link_network *network)
{
    if (!network)
        return;
    link_queue_destroy(network->queue);
    for (uint32_t r = 0; network->resources && r <= switch_of(network); r++) {
        free(network->resources[r].routes.items);
        free(network->resources[r].limited.list.items);
    }
    for (size_t r = 0; r < network->routes.count; r++)
        free(network->routes.items[r].running.list.items);
    for (size_t c = 0; c < network->components.count; c++)
        free(network->components.items[c].resources.items);
    free(network->resources);
    free(network->remainders);
    free(network->routes.items);
    free(network->components.items);
    free(network->unused.items);
    free(network->changed.items);
    free(network->relaxed.items);
    free(network->gathered.items);
    free(network->route_ends.list.items);
    free(network->component_ends.list.items);
    free(network->levels.list.items);
    map_clear(&network->numbers);
    free(network);
}

double link_network_time(const struct link_network *network)
{
    return network->queue ? link_queue_time(network->queue) : network->time;
}

/* Resources without a limit are left out. */
static void add_resource(const struct link_network *network, struct link_route *route,
                         uint32_t resource)
{
    if (isinf(network->resources[resource].capacity))
        return;
    route->resources[route->resource_count++] = resource;
    route->alone = fmin(route->alone, network->resources[resource].capacity);
}

static bool make_route(struct link_network *network, const struct link_path *path)
{
    struct link_route route = {.limit = UNLIMITED, .alone = path->rate, .next_end = INFINITY};
    if (path->from == path->to) {
        add_resource(network, &route, resource_of(network, path->from, RESOURCE_MEMORY));
    } else {
        add_resource(network, &route, resource_of(network, path->from, RESOURCE_OUT));
        add_resource(network, &route, resource_of(network, path->to, RESOURCE_IN));
        add_resource(network, &route, switch_of(network));
    }
    return array_push(&network->routes, route);
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

/* The bytes that each flow which the resource limits has moved. */
static double resource_clock(const struct link_network *network,
                             const struct link_resource *resource)
{
    return resource->clock + resource->rate * (network->time - resource->time);
}

/* The bytes that each flow has moved that has run all the time. */
static double route_clock(const struct link_network *network, const struct link_route *route)
{
    if (route->limit != UNLIMITED)
        return route->clock + resource_clock(network, &network->resources[route->limit]);
    if (network->time > route->time)
        return route->clock + route->alone * (network->time - route->time);
    return route->clock;
}

/* To be called when the first flow of the route or its limit has changed. */
static bool schedule_route(struct link_network *network, uint32_t number)
{
    struct link_route *route = &network->routes.items[number];
    route->next_end = INFINITY;
    if (route->running.list.count == 0)
        return true;
    double bytes = route->running.list.items[0].key;
    if (route->limit == UNLIMITED) {
        route->next_end = route->time + fmax(bytes - route->clock, 0) / route->alone;
        return heap_put(&network->route_ends, (struct heap_item){route->next_end, number});
    }
    route->next_end = bytes - route->clock;
    return heap_put(&network->resources[route->limit].limited,
                    (struct heap_item){route->next_end, number});
}

/* Exchanges two routes in the list of a resource. */
static void exchange_routes(struct link_network *network, struct link_resource *resource,
                            uint32_t a, uint32_t b)
{
    struct passing_route *routes = resource->routes.items;
    assert(a < resource->routes.count && b < resource->routes.count);
    const struct passing_route first = routes[a];
    routes[a] = routes[b];
    routes[b] = first;
    network->routes.items[routes[a].route].places[routes[a].which] = a;
    network->routes.items[routes[b].route].places[routes[b].which] = b;
}

/* The place of a route in the list of a resource that it passes. */
static uint32_t place_in(const struct link_route *route, uint32_t resource)
{
    uint32_t i = 0;
    while (route->resources[i] != resource)
        i++;
    return route->places[i];
}

/* Changes the limit of a route. Its clock keeps its value. */
static bool limit_route(struct link_network *network, uint32_t number, uint32_t limit)
{
    struct link_route *route = &network->routes.items[number];
    if (route->limit == limit)
        return true;
    double clock = route_clock(network, route);
    if (route->limit != UNLIMITED) {
        struct link_resource *former = &network->resources[route->limit];
        exchange_routes(network, former, place_in(route, route->limit), --former->limited_count);
    }
    if (limit == UNLIMITED) {
        route->clock = clock;
        route->time = network->time;
    } else {
        struct link_resource *resource = &network->resources[limit];
        assert(resource->time == network->time);
        if (resource->limited_count == 0) {
            resource->clock = 0;
            resource->limited.list.count = 0;
        }
        exchange_routes(network, resource, place_in(route, limit), resource->limited_count++);
        route->clock = clock - resource->clock;
    }
    route->limit = limit;
    return schedule_route(network, number);
}

static bool is_contended(const struct link_resource *resource)
{
    return resource->wanted > resource->capacity * (1 + ROUNDING);
}

static bool change_component(struct link_network *network, uint32_t number)
{
    struct link_component *component = &network->components.items[number];
    if (component->changed)
        return true;
    component->changed = true;
    return array_push(&network->changed, number);
}

static bool add_to_component(struct link_network *network, uint32_t number, uint32_t resource)
{
    struct link_component *component = &network->components.items[number];
    network->resources[resource].component = number;
    network->resources[resource].place = (uint32_t)component->resources.count;
    return array_push(&component->resources, resource);
}

/* A component of one resource. */
static bool make_component(struct link_network *network, uint32_t resource)
{
    uint32_t number = (uint32_t)network->components.count;
    if (network->unused.count > 0)
        number = network->unused.items[--network->unused.count];
    else if (!array_push(&network->components, (struct link_component){.next_end = INFINITY}))
        return false;
    network->components.items[number].solutions_left = 1;
    return add_to_component(network, number, resource) && change_component(network, number);
}

/* Leaves the component without resources. */
static bool leave_component(struct link_network *network, uint32_t number)
{
    struct link_component *component = &network->components.items[number];
    component->resources.count = 0;
    component->next_end = INFINITY;
    return array_push(&network->unused, number);
}

/* The resources of the smaller component join the larger one. */
static bool join_components(struct link_network *network, uint32_t a, uint32_t b)
{
    struct link_component *components = network->components.items;
    if (a == b)
        return true;
    uint32_t to = components[a].resources.count < components[b].resources.count ? b : a;
    uint32_t from = to == a ? b : a;
    for (size_t i = 0; i < components[from].resources.count; i++)
        if (!add_to_component(network, to, components[from].resources.items[i]))
            return false;
    return leave_component(network, from) && change_component(network, to);
}

/* Joins the components of the contended resources that the route passes. */
static bool connect_route(struct link_network *network, const struct link_route *route)
{
    const struct link_resource *first = NULL;
    for (uint32_t i = 0; i < route->resource_count; i++) {
        const struct link_resource *resource = &network->resources[route->resources[i]];
        if (!resource->contended || resource->component == NO_COMPONENT)
            continue;
        if (first && !join_components(network, first->component, resource->component))
            return false;
        first = resource;
    }
    return true;
}

/* A contended resource gets into the component of the resources with which it has routes in common.
 */
static bool connect_resource(struct link_network *network, uint32_t number)
{
    struct link_resource *resource = &network->resources[number];
    bool room = resource->component != NO_COMPONENT || make_component(network, number);
    for (size_t i = 0; room && i < resource->routes.count; i++)
        room = connect_route(network, &network->routes.items[resource->routes.items[i].route]);
    return room;
}

/* The resource has `change` flows more, each of which has the rate `alone` when it is alone. */
static bool change_flows(struct link_network *network, uint32_t number, int change, double alone)
{
    struct link_resource *resource = &network->resources[number];
    bool before = resource->contended;
    resource->flows += (uint32_t)change;
    resource->wanted = resource->flows > 0 ? resource->wanted + change * alone : 0;
    resource->contended = is_contended(resource);
    if (resource->contended && !before && !connect_resource(network, number))
        return false;
    if (before && !resource->contended && !array_push(&network->relaxed, number))
        return false;
    return (!before && !resource->contended) || change_component(network, resource->component);
}

static bool note_change(struct link_network *network, uint32_t number, int change)
{
    struct link_route *route = &network->routes.items[number];
    bool room = true;
    route->flows += (uint32_t)change;
    for (uint32_t i = 0; room && i < route->resource_count; i++)
        room = change_flows(network, route->resources[i], change, route->alone);
    return room;
}

/* The route gets its first flow. */
static bool open_route(struct link_network *network, uint32_t number)
{
    struct link_route *route = &network->routes.items[number];
    route->clock = 0;
    route->time = network->time;
    for (uint32_t i = 0; i < route->resource_count; i++) {
        struct link_resource *resource = &network->resources[route->resources[i]];
        if (resource->routes.count == 0 || route->alone < resource->slowest)
            resource->slowest = route->alone;
        route->places[i] = (uint32_t)resource->routes.count;
        if (!array_push(&resource->routes, ((struct passing_route){number, i})))
            return false;
    }
    return connect_route(network, route);
}

/* The last flow of the route has ended. */
static bool close_route(struct link_network *network, uint32_t number)
{
    struct link_route *route = &network->routes.items[number];
    if (!limit_route(network, number, UNLIMITED))
        return false;
    for (uint32_t i = 0; i < route->resource_count; i++) {
        struct link_resource *resource = &network->resources[route->resources[i]];
        struct passing_route last = resource->routes.items[--resource->routes.count];
        resource->routes.items[route->places[i]] = last;
        network->routes.items[last.route].places[last.which] = route->places[i];
    }
    route->next_end = INFINITY;
    return true;
}

bool link_network_begin(struct link_network *network, uint32_t flow, const struct link_path *path,
                        double bytes, double time)
{
    if (network->queue)
        return link_queue_begin(network->queue, flow, path, bytes, time);
    assert(bytes > 0 && path->rate > 0 && time >= network->time);
    assert(path->from < network->node_count && path->to < network->node_count);
    network->time = time;
    uint32_t number = find_route(network, path);
    if (number == MAP_NONE)
        return false;
    struct link_route *route = &network->routes.items[number];
    if (route->running.list.count == 0 && !open_route(network, number))
        return false;
    if (!heap_put(&route->running, (struct heap_item){route_clock(network, route) + bytes, flow}) ||
        !note_change(network, number, 1))
        return false;
    return route->running.list.items[0].value != flow || schedule_route(network, number);
}

/* Leaves `left` for `unfixed` flows. */
static inline void set_remainder(struct link_remainder *remainder, double left, uint32_t unfixed)
{
    *remainder = (struct link_remainder){left, unfixed > 0 ? left / unfixed : INFINITY, unfixed};
}

/* Gives their rate to the flows of a route that have none in this solution. The remainder of the
 * resource `limit` stays as it is. */
static inline bool fix_route(struct link_network *network, uint32_t number, double rate,
                             uint32_t limit)
{
    struct link_route *route = &network->routes.items[number];
    const uint32_t flows = route->flows;
    route->fixed = network->solution;
    for (uint32_t r = 0; r < route->resource_count; r++) {
        struct link_remainder *remainder = &network->remainders[route->resources[r]];
        if (route->resources[r] != limit)
            set_remainder(remainder, remainder->left - flows * rate, remainder->unfixed - flows);
    }
    return route->limit == limit || limit_route(network, number, limit);
}

/* Gives their rate to the flows of a resource that have a smaller one alone. */
static bool fix_slower(struct link_network *network, const struct link_resource *resource,
                       double rate)
{
    bool room = true;
    for (size_t i = resource->routes.count; room && i-- > 0;) { /* fixed ones move to the end */
        uint32_t number = resource->routes.items[i].route;
        const struct link_route *route = &network->routes.items[number];
        if (route->fixed != network->solution && route->alone <= rate)
            room = fix_route(network, number, route->alone, UNLIMITED);
    }
    return room;
}

/* A resource would be full if all its flows without a rate had the rate `share`. They get it,
 * unless some are slower alone: these get theirs, and `*full` is false. */
static bool fill_resource(struct link_network *network, uint32_t number, double share, bool *full)
{
    struct link_resource *resource = &network->resources[number];
    struct link_remainder *remainder = &network->remainders[number];
    uint32_t unfixed = remainder->unfixed;
    bool room = true;
    assert(unfixed > 0);
    share = share > 0 ? share : 0; /* rounding */
    *full = true;
    if (resource->slowest <= share) {
        room = fix_slower(network, resource, share);
        *full = remainder->unfixed == unfixed;
        if (!*full)
            return room;
    }
    resource->rate = share;
    for (size_t i = 0; room && unfixed > 0; i++) {
        const uint32_t number_of_route = resource->routes.items[i].route;
        const struct link_route *route = &network->routes.items[number_of_route];
        if (route->fixed == network->solution)
            continue;
        unfixed -= route->flows;
        room = fix_route(network, number_of_route, share, number);
    }
    set_remainder(remainder, 0, 0);
    return room;
}

static struct link_resource *component_resource(const struct link_network *network,
                                                const struct link_component *component, size_t i)
{
    return &network->resources[component->resources.items[i]];
}

/* No flow has a rate. */
static void empty_component(struct link_network *network, const struct link_component *component)
{
    network->solution++;
    for (size_t i = 0; i < component->resources.count; i++) {
        struct link_resource *resource = component_resource(network, component, i);
        resource->clock = resource_clock(network, resource);
        resource->time = network->time;
        set_remainder(&network->remainders[component->resources.items[i]],
                      resource->contended ? resource->capacity : INFINITY, resource->flows);
    }
}

/* Whether the flows that have a rate want more than the resource has. */
static bool is_overfull(const struct link_network *network, uint32_t number)
{
    return network->remainders[number].left < -ROUNDING * network->resources[number].capacity;
}

static void exchange_resources(struct link_network *network, struct link_component *component,
                               size_t a, size_t b)
{
    uint32_t *resources = component->resources.items, first = resources[a];
    resources[a] = resources[b];
    resources[b] = first;
    network->resources[resources[a]].place = (uint32_t)a;
    network->resources[resources[b]].place = (uint32_t)b;
}

/* Fills the resources in about the order of the last solution. `*ordered` is false if the order is
 * too different: if a resource has less for each flow than one that is full already, or nothing
 * left at all, the rates are wrong. If there is none, they are right, because filling a resource
 * with a larger share never leaves another one more for each flow than it had. */
static bool fill_in_order(struct link_network *network, struct link_component *component,
                          bool *ordered)
{
    const size_t count = component->resources.count;
    double last = 0;
    bool room = true;
    *ordered = true;
    for (size_t i = 0; room && i < count;) {
        const size_t end = i + COMPARED_RESOURCES < count ? i + COMPARED_RESOURCES : count;
        double least = network->remainders[component->resources.items[i]].share;
        size_t first = i;
        bool full = true;
        for (size_t k = i + 1; k < end; k++) {
            const double share = network->remainders[component->resources.items[k]].share;
            if (share < least) {
                least = share;
                first = k;
            }
        }
        *ordered = least >= last * (1 - ROUNDING);
        if (!*ordered)
            return true;
        if (first != i)
            exchange_resources(network, component, i, first);
        if (!isinf(least)) {
            room = fill_resource(network, component->resources.items[i], least, &full);
            last = least;
        } else if (is_overfull(network, component->resources.items[i])) {
            *ordered = false;
            return true;
        }
        i += full;
    }
    return room;
}

/* All rates grow together until a resource is full. Its flows keep their rates, and the others grow
 * further. What a resource has left for each flow only grows, so an entry of `levels` that is out
 * of date is too small. */
static bool fill_by_level(struct link_network *network, struct link_component *component)
{
    struct heap *levels = &network->levels;
    bool room = true;
    size_t filled = 0;
    levels->list.count = 0;
    for (size_t i = 0; room && i < component->resources.count; i++) {
        const uint32_t number = component->resources.items[i];
        if (network->resources[number].contended)
            room = heap_put(levels, (struct heap_item){network->remainders[number].share, number});
    }
    while (room && levels->list.count > 0) {
        struct heap_item level = heap_take(levels);
        double share = network->remainders[level.value].share;
        bool full = true;
        if (isinf(share))
            continue;
        if (levels->list.count > 0 && share > levels->list.items[0].key) {
            room = heap_put(levels, (struct heap_item){share, level.value});
            continue;
        }
        room = fill_resource(network, level.value, share, &full);
        if (full)
            exchange_resources(network, component, filled++, network->resources[level.value].place);
        else if (room)
            room = heap_put(
                levels, (struct heap_item){network->remainders[level.value].share, level.value});
    }
    return room;
}

static bool fill_component(struct link_network *network, struct link_component *component)
{
    bool ordered;
    empty_component(network, component);
    if (!fill_in_order(network, component, &ordered))
        return false;
    if (ordered)
        return true;
    empty_component(network, component);
    return fill_by_level(network, component);
}

/* Sets the time of the next end of a flow that the resource limits. Removes entries that do not
 * hold any more. */
static void find_next_end(const struct link_network *network, struct link_resource *resource,
                          uint32_t number)
{
    struct heap *limited = &resource->limited;
    resource->next_end = INFINITY;
    while (resource->limited_count > 0 && limited->list.count > 0) {
        struct heap_item first = limited->list.items[0];
        const struct link_route *route = &network->routes.items[first.value];
        if (route->limit == number && route->next_end == first.key) {
            const double bytes = first.key - resource->clock;
            resource->next_end = resource->time + (bytes > 0 ? bytes : 0) / resource->rate;
            return;
        }
        heap_take(limited);
    }
}

/* To be called when next ends of the component's resources have changed. */
static bool schedule_component(struct link_network *network, uint32_t number)
{
    struct link_component *component = &network->components.items[number];
    double end = INFINITY;
    component->next = UNLIMITED;
    for (size_t i = 0; i < component->resources.count; i++) {
        const struct link_resource *resource = component_resource(network, component, i);
        if (resource->next_end < end) {
            end = resource->next_end;
            component->next = component->resources.items[i];
        }
    }
    if (end == component->next_end)
        return true;
    component->next_end = end;
    return isinf(end) || heap_put(&network->component_ends, (struct heap_item){end, number});
}

/* Finds which of the component's resources are still connected. */
static bool divide_component(struct link_network *network, uint32_t number)
{
    struct link_component *component = &network->components.items[number];
    bool room = true;
    network->gathered.count = 0;
    for (size_t i = 0; room && i < component->resources.count; i++) {
        component_resource(network, component, i)->component = NO_COMPONENT;
        component_resource(network, component, i)->next_end = INFINITY;
        room = array_push(&network->gathered, component->resources.items[i]);
    }
    room = room && leave_component(network, number);
    for (size_t i = 0; room && i < network->gathered.count; i++)
        if (network->resources[network->gathered.items[i]].contended)
            room = connect_resource(network, network->gathered.items[i]);
    for (size_t i = 0; room && i < network->gathered.count; i++) {
        uint32_t part = network->resources[network->gathered.items[i]].component;
        if (part != NO_COMPONENT)
            network->components.items[part].solutions_left =
                network->components.items[part].resources.count;
    }
    return room;
}

static bool solve_component(struct link_network *network, uint32_t number)
{
    struct link_component *component = &network->components.items[number];
    component->changed = false;
    if (component->resources.count == 0)
        return true;
    if (component->solutions_left-- == 0)
        return divide_component(network, number); /* its parts have changed */
    return fill_component(network, component);
}

/* Routes that a resource limited which is no longer contended, and that no other one limits. */
static bool release_routes(struct link_network *network, uint32_t number)
{
    const struct link_resource *resource = &network->resources[number];
    bool room = true;
    while (room && !resource->contended && resource->limited_count > 0)
        room = limit_route(network, resource->routes.items[0].route, UNLIMITED);
    return room;
}

static bool find_rates(struct link_network *network)
{
    bool room = true;
    for (size_t i = 0; room && i < network->changed.count; i++) /* grows */
        room = solve_component(network, network->changed.items[i]);
    for (size_t i = 0; room && i < network->relaxed.count; i++)
        room = release_routes(network, network->relaxed.items[i]);
    for (size_t i = 0; room && i < network->changed.count; i++) {
        const struct link_component *component =
            &network->components.items[network->changed.items[i]];
        for (size_t k = 0; k < component->resources.count; k++)
            find_next_end(network, component_resource(network, component, k),
                          component->resources.items[k]);
        room = schedule_component(network, network->changed.items[i]);
    }
    network->changed.count = network->relaxed.count = 0;
    return room;
}

/* Whether a component has the first end, not a route that is UNLIMITED. Removes entries that do not
 * hold any more. */
static bool first_end(struct link_network *network, double *time)
{
    struct heap *routes = &network->route_ends, *components = &network->component_ends;
    while (routes->list.count > 0) {
        struct heap_item first = routes->list.items[0];
        const struct link_route *route = &network->routes.items[first.value];
        if (route->limit == UNLIMITED && route->next_end == first.key)
            break;
        heap_take(routes);
    }
    while (components->list.count > 0 &&
           network->components.items[components->list.items[0].value].next_end !=
               components->list.items[0].key)
        heap_take(components);
    double of_route = routes->list.count > 0 ? routes->list.items[0].key : INFINITY;
    double of_component = components->list.count > 0 ? components->list.items[0].key : INFINITY;
    *time = fmin(of_route, of_component);
    return of_component < of_route;
}

/* Rates do not matter between ends at the same time. */
bool link_network_next_end(struct link_network *network, double *time)
{
    if (network->queue) {
        *time = link_queue_next_end(network->queue);
        return true;
    }
    first_end(network, time);
    if (network->changed.count == 0 || *time <= network->time)
        return true;
    bool room = find_rates(network);
    first_end(network, time);
    return room;
}

/* Removes the first flow of the route, which has ended. */
static bool end_route_flow(struct link_network *network, uint32_t number, uint32_t *flow)
{
    struct link_route *route = &network->routes.items[number];
    *flow = heap_take(&route->running).value;
    bool room = route->running.list.count > 0 ? schedule_route(network, number)
                                              : close_route(network, number);
    return room && note_change(network, number, -1);
}

bool link_network_end(struct link_network *network, uint32_t *flow)
{
    double time;
    if (network->queue)
        return link_queue_end(network->queue, flow);
    bool limited = first_end(network, &time);
    assert(time >= network->time && !isinf(time));
    network->time = time;
    if (!limited) {
        uint32_t number = heap_take(&network->route_ends).value;
        struct link_route *route = &network->routes.items[number];
        route->clock = route->running.list.items[0].key;
        route->time = time;
        return end_route_flow(network, number, flow);
    }
    const uint32_t component = network->component_ends.list.items[0].value;
    const uint32_t number = network->components.items[component].next;
    struct link_resource *resource = &network->resources[number];
    find_next_end(network, resource, number); /* flows may have begun since */
    struct heap_item route = heap_take(&resource->limited);
    resource->clock = route.key;
    resource->time = network->time;
    if (!end_route_flow(network, route.value, flow))
        return false;
    find_next_end(network, resource, number);
    return schedule_component(network, component);
}
