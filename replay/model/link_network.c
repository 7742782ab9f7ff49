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
    ARRAY(struct passing_route) routes; /* with flows */
    double slowest;                     /* no route of these is slower alone */
    double rate, clock, time;           /* of the flows that it limits: bytes up to `time` */
    uint32_t limited_count;             /* routes that it limits */
    struct heap limited;                /* these, by the clock at which their next flow ends */
    double left;                        /* while rates are found: capacity not given away, */
    uint32_t unfixed;                   /* and flows that have no rate yet */
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
    ARRAY(uint32_t) resources; /* without any: unused */
    size_t solutions_left;     /* until it is found anew */
    double next_end;           /* of the routes that the resources limit; the valid entry in */
    bool changed;              /* component_ends. Rates have to be found */
};

struct link_network {
    struct link_queue *queue; /* if messages take links whole; then nothing below is used */
    double time;
    uint32_t node_count;
    struct link_resource *resources; /* [3 * node_count + 1]: out, in, memory; then the switch */
    struct map numbers;              /* of routes */
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
    if (!network->resources) {
        free(network);
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
        network->resources[r].component = NO_COMPONENT;
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

/* Changes the limit of a route. Its clock keeps its value. */
static bool limit_route(struct link_network *network, uint32_t number, uint32_t limit)
{
    struct link_route *route = &network->routes.items[number];
    if (route->limit == limit)
        return true;
    double clock = route_clock(network, route);
    if (route->limit != UNLIMITED)
        network->resources[route->limit].limited_count--;
    if (limit == UNLIMITED) {
        route->clock = clock;
        route->time = network->time;
    } else {
        struct link_resource *resource = &network->resources[limit];
        assert(resource->time == network->time);
        if (resource->limited_count++ == 0) {
            resource->clock = 0;
            resource->limited.list.count = 0;
        }
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
    network->resources[resource].component = number;
    return array_push(&network->components.items[number].resources, resource);
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
    for (uint32_t i = 0; i < route->resource_count; i++) {
        struct link_resource *resource = &network->resources[route->resources[i]];
        struct passing_route last = resource->routes.items[--resource->routes.count];
        resource->routes.items[route->places[i]] = last;
        network->routes.items[last.route].places[last.which] = route->places[i];
    }
    route->next_end = INFINITY;
    return limit_route(network, number, UNLIMITED);
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

/* The rate that all flows of a resource without a rate can have. */
static double resource_share(const struct link_resource *resource)
{
    if (resource->unfixed == 0)
        return INFINITY;
    return resource->left > 0 ? resource->left / resource->unfixed : 0;
}

/* Gives their rate to the flows of a route that have none in this solution. */
static bool fix_route(struct link_network *network, uint32_t number, double rate, uint32_t limit)
{
    struct link_route *route = &network->routes.items[number];
    uint32_t flows = route->flows;
    route->fixed = network->solution;
    for (uint32_t r = 0; r < route->resource_count; r++) {
        struct link_resource *resource = &network->resources[route->resources[r]];
        resource->left -= flows * rate;
        resource->unfixed -= flows;
    }
    return limit_route(network, number, limit);
}

/* Gives their rate to the flows of a resource that have a smaller one alone. */
static bool fix_slower(struct link_network *network, const struct link_resource *resource,
                       double rate)
{
    bool room = true;
    for (size_t i = 0; room && i < resource->routes.count; i++) {
        uint32_t number = resource->routes.items[i].route;
        const struct link_route *route = &network->routes.items[number];
        if (route->fixed != network->solution && route->alone <= rate)
            room = fix_route(network, number, route->alone, UNLIMITED);
    }
    return room;
}

/* A resource would be full if all its flows without a rate had the rate `share`. They get it,
 * unless some are slower alone. */
static bool fill_resource(struct link_network *network, uint32_t number, double share)
{
    struct link_resource *resource = &network->resources[number];
    bool room = true;
    if (resource->slowest <= share) {
        uint32_t unfixed = resource->unfixed;
        room = fix_slower(network, resource, share);
        if (resource->unfixed < unfixed)
            return room &&
                   heap_put(&network->levels, (struct heap_item){resource_share(resource), number});
    }
    resource->rate = share;
    for (size_t i = 0; room && resource->unfixed > 0; i++) {
        uint32_t route = resource->routes.items[i].route;
        if (network->routes.items[route].fixed != network->solution)
            room = fix_route(network, route, share, number);
    }
    return room;
}

static struct link_resource *component_resource(const struct link_network *network,
                                                const struct link_component *component, size_t i)
{
    return &network->resources[component->resources.items[i]];
}

/* All rates grow together until a resource is full. Its flows keep their rates, and the others grow
 * further. What a resource has left for each flow only grows, so an entry of `levels` that is out
 * of date is too small. */
static bool fill_component(struct link_network *network, const struct link_component *component)
{
    struct heap *levels = &network->levels;
    bool room = true;
    levels->list.count = 0;
    for (size_t i = 0; room && i < component->resources.count; i++) {
        struct link_resource *resource = component_resource(network, component, i);
        resource->clock = resource_clock(network, resource);
        resource->time = network->time;
        resource->left = resource->capacity;
        resource->unfixed = resource->flows;
        if (resource->contended)
            room = heap_put(levels, (struct heap_item){resource_share(resource),
                                                       component->resources.items[i]});
    }
    while (room && levels->list.count > 0) {
        struct heap_item level = heap_take(levels);
        double share = resource_share(&network->resources[level.value]);
        if (isinf(share))
            continue;
        if (levels->list.count > 0 && share > levels->list.items[0].key)
            room = heap_put(levels, (struct heap_item){share, level.value});
        else
            room = fill_resource(network, level.value, share);
    }
    return room;
}

/* The time of the next end of a flow that the resource limits. Removes entries that do not hold any
 * more. */
static double resource_next_end(const struct link_network *network, struct link_resource *resource,
                                uint32_t number)
{
    struct heap *limited = &resource->limited;
    while (resource->limited_count > 0 && limited->list.count > 0) {
        struct heap_item first = limited->list.items[0];
        const struct link_route *route = &network->routes.items[first.value];
        if (route->limit == number && route->next_end == first.key)
            return resource->time + fmax(first.key - resource->clock, 0) / resource->rate;
        heap_take(limited);
    }
    return INFINITY;
}

/* The number of the resource that limits the flow of the component that ends next. */
static uint32_t component_next_end(const struct link_network *network,
                                   const struct link_component *component, double *end)
{
    uint32_t next = UNLIMITED;
    *end = INFINITY;
    for (size_t i = 0; i < component->resources.count; i++) {
        uint32_t number = component->resources.items[i];
        double own = resource_next_end(network, &network->resources[number], number);
        if (own < *end) {
            *end = own;
            next = number;
        }
    }
    return next;
}

static bool schedule_component(struct link_network *network, uint32_t number)
{
    struct link_component *component = &network->components.items[number];
    double end;
    component_next_end(network, component, &end);
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
    for (size_t i = 0; room && !resource->contended && i < resource->routes.count; i++)
        if (network->routes.items[resource->routes.items[i].route].limit == number)
            room = limit_route(network, resource->routes.items[i].route, UNLIMITED);
    return room;
}

static bool find_rates(struct link_network *network)
{
    bool room = true;
    network->solution++;
    for (size_t i = 0; room && i < network->changed.count; i++) /* grows */
        room = solve_component(network, network->changed.items[i]);
    for (size_t i = 0; room && i < network->relaxed.count; i++)
        room = release_routes(network, network->relaxed.items[i]);
    for (size_t i = 0; room && i < network->changed.count; i++)
        room = schedule_component(network, network->changed.items[i]);
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
    uint32_t component = network->component_ends.list.items[0].value;
    uint32_t number = component_next_end(network, &network->components.items[component], &time);
    struct link_resource *resource = &network->resources[number];
    struct heap_item route = heap_take(&resource->limited);
    resource->clock = route.key;
    resource->time = network->time;
    return end_route_flow(network, route.value, flow) && schedule_component(network, component);
}
