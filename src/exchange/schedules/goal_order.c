/* The order of a rank's operations (goal_rank.h): list scheduling. Each operation counts what it
 * still depends on; heaps have those that can begin, and those that only lack the end of messages
 * that have begun. */
#include "base/heap.h"
#include "exchange/schedules/goal_rank.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATE_OPEN, STATE_BEGUN, STATE_COMPLETE };

struct order {
    struct goal_rank *rank;
    struct trace_builder *builder;
    uint32_t *needs;                             /* [operation]: starts that it lacks, */
    uint32_t *lacks;                             /* and ends of messages that have begun */
    uint32_t *first_on;                          /* [operation + 1]: its dependences in `on`, */
    uint32_t *first_of;                          /* and those of others on it in `of` */
    uint32_t *on, *of;                           /* numbers of dependences */
    uint32_t *requests;                          /* [operation]: of the builder */
    struct heap messages, computations, waiting; /* in the order of the file */
    ARRAY(uint32_t) set;                         /* requests of a wait */
    uint32_t delayed; /* a message that has begun last; INDEX_NONE: none. Not written yet */
    uint32_t begun;   /* operations */
    bool no_memory;
};

/* Sorts the dependences by one of their ends: a list of their numbers for each operation. */
static bool sort_dependences(const struct goal_rank *rank, bool by_on, uint32_t **first,
                             uint32_t **sorted)
{
    size_t operations = rank->operations.count, count = rank->dependences.count;
    uint32_t *next = calloc(operations + 2, sizeof *next),
             *list = malloc((count + 1) * sizeof *list);
    *first = next;
    *sorted = list;
    if (!next || !list)
        return false;
    const struct goal_dependence *items = rank->dependences.items;
    for (size_t d = 0; d < count; d++)
        next[(by_on ? items[d].on : items[d].operation) + 2]++;
    for (size_t i = 2; i < operations + 2; i++)
        next[i] += next[i - 1];
    for (size_t d = 0; d < count; d++)
        list[next[(by_on ? items[d].on : items[d].operation) + 1]++] = (uint32_t)d;
    return true;
}

static void consider(struct order *order, uint32_t number)
{
    const struct goal_operation *operation = &order->rank->operations.items[number];
    if (operation->state != STATE_OPEN || order->needs[number] > 0)
        return;
    struct heap *heap = order->lacks[number] > 0       ? &order->waiting
                        : operation->kind == GOAL_CALC ? &order->computations
                                                       : &order->messages;
    order->no_memory |= !heap_put(heap, (struct heap_item){0, number});
}

/* An operation has begun, and is complete if it is computation. */
static void tell_begin(struct order *order, uint32_t number)
{
    const struct goal_rank *rank = order->rank;
    bool complete = rank->operations.items[number].state == STATE_COMPLETE;
    for (uint32_t i = order->first_of[number]; i < order->first_of[number + 1]; i++) {
        const struct goal_dependence *dependence = &rank->dependences.items[order->of[i]];
        order->needs[dependence->operation]--;
        if (!complete && !dependence->start)
            order->lacks[dependence->operation]++;
        consider(order, dependence->operation);
    }
}

static void tell_end(struct order *order, uint32_t number)
{
    const struct goal_rank *rank = order->rank;
    for (uint32_t i = order->first_of[number]; i < order->first_of[number + 1]; i++) {
        const struct goal_dependence *dependence = &rank->dependences.items[order->of[i]];
        if (!dependence->start && --order->lacks[dependence->operation] == 0)
            consider(order, dependence->operation);
    }
}

static struct builder_end end_of(const struct goal_operation *operation)
{
    return (struct builder_end){operation->peer, operation->tag, operation->size};
}

static void write_delayed(struct order *order)
{
    if (order->delayed == INDEX_NONE)
        return;
    const struct goal_operation *operation = &order->rank->operations.items[order->delayed];
    const struct builder_end end = end_of(operation);
    order->requests[order->delayed] =
        operation->kind == GOAL_SEND
            ? builder_isend(order->builder, MPI_CALL_ISEND, BUILDER_WORLD, &end)
            : builder_ireceive(order->builder, BUILDER_WORLD, &end);
    order->delayed = INDEX_NONE;
}

static void begin_message(struct order *order, uint32_t number)
{
    write_delayed(order);
    order->delayed = number;
    order->rank->operations.items[number].state = STATE_BEGUN;
    order->begun++;
    tell_begin(order, number);
}

static void do_computation(struct order *order, uint32_t number)
{
    struct goal_operation *operation = &order->rank->operations.items[number];
    write_delayed(order);
    builder_compute(order->builder, (double)operation->size * 1e-9);
    operation->state = STATE_COMPLETE;
    order->begun++;
    tell_begin(order, number);
}

static void wait_for_set(struct order *order)
{
    if (order->set.count > 0)
        builder_wait(order->builder, order->set.count == 1 ? MPI_CALL_WAIT : MPI_CALL_WAITALL,
                     order->set.items, (uint32_t)order->set.count);
    order->set.count = 0;
}

static void add_to_set(struct order *order, uint32_t number)
{
    order->no_memory |= !array_push(&order->set, number);
}

/* The messages in the set, which has numbers of operations so far, are complete now. */
static void complete_set(struct order *order)
{
    struct goal_operation *operations = order->rank->operations.items;
    uint32_t only = order->set.count == 1 ? order->set.items[0] : INDEX_NONE;
    if (order->no_memory)
        return;
    if (only != INDEX_NONE && only == order->delayed) {
        const struct builder_end end = end_of(&operations[only]);
        if (operations[only].kind == GOAL_SEND)
            builder_send(order->builder, MPI_CALL_SEND, BUILDER_WORLD, &end);
        else
            builder_receive(order->builder, BUILDER_WORLD, &end);
        order->delayed = INDEX_NONE;
        order->set.count = 0;
        tell_end(order, only);
        return;
    }
    write_delayed(order);
    for (size_t i = 0; i < order->set.count; i++)
        tell_end(order, order->set.items[i]);
    for (size_t i = 0; i < order->set.count; i++)
        order->set.items[i] = order->requests[order->set.items[i]];
    wait_for_set(order);
}

/* Waits for the messages whose ends an operation lacks. */
static void wait_before(struct order *order, uint32_t number)
{
    const struct goal_rank *rank = order->rank;
    struct goal_operation *operations = rank->operations.items;
    for (uint32_t i = order->first_on[number]; i < order->first_on[number + 1]; i++) {
        const struct goal_dependence *dependence = &rank->dependences.items[order->on[i]];
        if (dependence->start || operations[dependence->on].state != STATE_BEGUN)
            continue;
        operations[dependence->on].state = STATE_COMPLETE;
        add_to_set(order, dependence->on);
    }
    complete_set(order);
}

static void wait_for_rest(struct order *order)
{
    struct goal_operation *operations = order->rank->operations.items;
    for (uint32_t i = 0; i < order->rank->operations.count; i++)
        if (operations[i].state == STATE_BEGUN) {
            operations[i].state = STATE_COMPLETE;
            add_to_set(order, i);
        }
    if (order->set.count > 0)
        complete_set(order);
}

/* An operation that this one depends on and that has not begun. */
static uint32_t open_before(const struct order *order, uint32_t number)
{
    for (uint32_t i = order->first_on[number]; i < order->first_on[number + 1]; i++) {
        uint32_t on = order->rank->dependences.items[order->on[i]].on;
        if (order->rank->operations.items[on].state == STATE_OPEN)
            return on;
    }
    return INDEX_NONE;
}

static enum status circle_error(const struct order *order, const char *path, struct error *error)
{
    const struct goal_operation *operations = order->rank->operations.items;
    enum { SHOWN = 6 };
    char text[512];
    uint32_t number = 0, length = 0;
    while (operations[number].state != STATE_OPEN)
        number++;
    for (uint32_t i = 0; i < order->rank->operations.count; i++) /* into the circle */
        number = open_before(order, number);
    size_t used = (size_t)snprintf(text, sizeof text, "line %u", operations[number].line);
    for (uint32_t at = open_before(order, number); used < sizeof text;
         at = open_before(order, at), length++) {
        if (length < SHOWN)
            used += (size_t)snprintf(text + used, sizeof text - used, " requires line %u%s",
                                     operations[at].line, at == number ? "" : ", which");
        if (at == number)
            break;
    }
    return error_set(error, STATUS_INPUT,
                     "%s:%u:1: operations require each other in a circle of %u: %s%s", path,
                     operations[number].line, length + 1, text, length >= SHOWN ? " ..." : "");
}

static bool open_order(struct order *order)
{
    const struct goal_rank *rank = order->rank;
    size_t operations = rank->operations.count;
    order->needs = calloc(operations + 1, sizeof *order->needs);
    order->lacks = calloc(operations + 1, sizeof *order->lacks);
    order->requests = malloc((operations + 1) * sizeof *order->requests);
    bool sorted = sort_dependences(rank, false, &order->first_on, &order->on);
    sorted = sort_dependences(rank, true, &order->first_of, &order->of) && sorted;
    if (!order->needs || !order->lacks || !order->requests || !sorted)
        return false;
    for (size_t d = 0; d < rank->dependences.count; d++)
        order->needs[rank->dependences.items[d].operation]++;
    for (uint32_t i = 0; i < operations; i++)
        consider(order, i);
    return !order->no_memory;
}

static void close_order(struct order *order)
{
    free(order->needs);
    free(order->lacks);
    free(order->requests);
    free(order->first_on);
    free(order->on);
    free(order->first_of);
    free(order->of);
    free(order->messages.list.items);
    free(order->computations.list.items);
    free(order->waiting.list.items);
    free(order->set.items);
}

static void follow(struct order *order)
{
    while (!order->no_memory) {
        if (order->messages.list.count > 0) {
            begin_message(order, heap_take(&order->messages).value);
        } else if (order->computations.list.count > 0) {
            do_computation(order, heap_take(&order->computations).value);
        } else if (order->waiting.list.count > 0) {
            uint32_t number = heap_take(&order->waiting).value;
            if (order->rank->operations.items[number].state == STATE_OPEN &&
                order->lacks[number] > 0)
                wait_before(order, number);
        } else {
            break;
        }
    }
}

enum status goal_rank_build(struct goal_rank *rank, const char *path, struct trace_builder *builder,
                            struct error *error)
{
    assert(rank->operations.count <= INT32_MAX);
    struct order order = {.rank = rank, .builder = builder, .delayed = INDEX_NONE};
    enum status status = STATUS_OK;
    order.no_memory = !open_order(&order);
    follow(&order);
    if (!order.no_memory && order.begun < rank->operations.count)
        status = circle_error(&order, path, error);
    if (!order.no_memory && status == STATUS_OK)
        wait_for_rest(&order);
    if (order.no_memory)
        status = error_memory(error, "the schedule");
    close_order(&order);
    return status;
}
