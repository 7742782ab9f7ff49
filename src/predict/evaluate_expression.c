#include "predict/evaluate_private.h"

#include "base/map.h"
#include "predict/arithmetic.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void evaluation_fail(struct script_evaluator *e, struct script_position place, const char *format,
                     ...)
{
    char text[1024];
    va_list arguments;
    if (e->status != STATUS_OK)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    e->status = script_error(e->script, place, e->error, "%s, on rank %u of %u", text, e->rank,
                             e->input->ranks);
}

void evaluation_out_of_memory(struct script_evaluator *e)
{
    if (e->status == STATUS_OK)
        e->status = error_memory(e->error, "the prediction");
}

bool evaluation_may_call(struct script_evaluator *e, uint32_t depth, struct script_position place,
                         const char *what)
{
    const char *here = __builtin_frame_address(0);
    if (depth == DEPTH_MOST)
        evaluation_fail(e, place, "%s call each other more than %d levels deep", what, DEPTH_MOST);
    else if (e->stack_bottom - here > STACK_MOST)
        evaluation_fail(
            e, place,
            "%s are nested too deeply, with the statements and expressions around their calls",
            what);
    return e->status == STATUS_OK;
}

static double value_of_function(struct script_evaluator *e, const struct expression *expression)
{
    double arguments[3] = {0};
    enum script_function function = (enum script_function)expression->index;
    if (function == FUNCTION_RANDOM)
        return evaluate_random(e);
    for (uint32_t i = 0; i < expression->count && i < 3; i++)
        arguments[i] = evaluate(e, expression->arguments[i]);
    double value = arithmetic_function(function, arguments);
    if (isnan(value) && function == FUNCTION_XOR)
        evaluation_fail(e, expression->place, "xor(%g, %g) needs whole numbers from 0 on",
                        arguments[0], arguments[1]);
    if (isnan(value) && function == FUNCTION_DIMS)
        evaluation_fail(e, expression->place,
                        "dims(%g, %g, %g) needs a count from 1 on, 1 to %d dimensions, and an "
                        "index below that number",
                        arguments[0], arguments[1], arguments[2], DIMS_MOST);
    return value;
}

/* Seconds of an operation that the script declares. */
static double seconds_of_own(struct script_evaluator *e, const struct script_operation *operation,
                             struct script_position place)
{
    const struct own_operation *own = hardware_own_operation(e->input->hardware, operation->name);
    if (own)
        return own->cost;
    if (operation->seconds)
        return evaluate_seconds(e, operation->seconds);
    evaluation_fail(e, place,
                    "neither the script nor the hardware file says what %s costs; add \"[operation "
                    "%s] cost = ...\" to the file",
                    operation->name, operation->name);
    return 0;
}

static void count_amount(struct script_evaluator *e, const struct expression *expression,
                         uint32_t i, struct resource_vector *vector)
{
    const struct vector_amount *amount = &expression->amounts[i];
    const struct expression *argument = expression->arguments[i];
    const double value = evaluate(e, argument);
    const char *name = amount->kind == AMOUNT_OWN ? e->script->operations[amount->index].name
                       : amount->kind == AMOUNT_FOOTPRINT ? "footprint"
                                                          : operation_names[amount->index];
    if (value < 0)
        evaluation_fail(e, argument->place, "the number of %s is %g", name, value);
    else if (amount->kind == AMOUNT_FOOTPRINT)
        vector->footprint = value;
    else if (amount->kind == AMOUNT_OWN)
        vector->own_s +=
            value * seconds_of_own(e, &e->script->operations[amount->index], argument->place);
    else if (amount->kind == AMOUNT_CHAIN)
        vector->chain[amount->index] = value;
    else
        vector->counts[amount->index] = value;
}

/* Fails at the first operation whose cost the hardware file does not have. */
static void require_costs(struct script_evaluator *e, const struct expression *expression,
                          const struct resource_vector *vector)
{
    const struct hardware *hardware = e->input->hardware;
    for (uint32_t i = 0; i < expression->count && e->status == STATUS_OK; i++) {
        const struct vector_amount *amount = &expression->amounts[i];
        const struct script_position place = expression->arguments[i]->place;
        const enum operation operation = (enum operation)amount->index;
        if (amount->kind == AMOUNT_CHAIN && !hardware->has_chain[operation])
            evaluation_fail(e, place,
                            "the hardware file does not say how long %s takes in a chain; add it "
                            "to section [chain]",
                            operation_names[operation]);
        else if (amount->kind == AMOUNT_OPERATION && operation == OPERATION_LOAD &&
                 !hardware_prices(hardware, operation, vector->footprint))
            evaluation_fail(e, place,
                            "load needs \"footprint: BYTES\" in the vector, and sections "
                            "[footprint SIZE] in the hardware file");
        else if (amount->kind == AMOUNT_OPERATION &&
                 !hardware_prices(hardware, operation, vector->footprint))
            evaluation_fail(e, place,
                            "the hardware file does not say what %s costs; add it to section "
                            "[operations]",
                            operation_names[operation]);
    }
}

static double value_of_vector(struct script_evaluator *e, const struct expression *expression)
{
    struct resource_vector vector = {.own_s = 0};
    for (uint32_t i = 0; i < expression->count && e->status == STATUS_OK; i++)
        count_amount(e, expression, i, &vector);
    require_costs(e, expression, &vector);
    return e->status == STATUS_OK
               ? hardware_vector_seconds(e->input->hardware, &vector, VECTOR_OVERLAP)
               : 0;
}

uint32_t evaluate_measured_rank(struct script_evaluator *e, uint32_t measurement)
{
    assert(measurement < e->script->measurement_count);
    int64_t rank = evaluate_whole(e, e->script->measurements[measurement].rank,
                                  "the rank in the recording", 0);
    return rank < UINT32_MAX ? (uint32_t)rank : UINT32_MAX;
}

static double value_of_measured(struct script_evaluator *e, const struct expression *expression)
{
    uint32_t measurement = expression->index;
    if (e->measuring)
        return 0;
    uint32_t rank = evaluate_measured_rank(e, measurement);
    for (size_t i = 0; i < e->measured.count && e->status == STATUS_OK; i++) {
        if (e->measured.items[i].measurement != measurement || e->measured.items[i].rank != rank)
            continue;
        if (isnan(e->measured.items[i].seconds))
            evaluation_fail(e, expression->place, "the recording %s does not exist",
                            e->script->traces[e->script->measurements[measurement].trace].path);
        const struct measured_seconds *found = &e->measured.items[i];
        if (expression->kind == EXPRESSION_SAMPLED && found->visits > 0)
            return found->lengths[(uint64_t)(evaluate_random(e) * (double)found->visits)];
        return found->seconds;
    }
    assert(e->status != STATUS_OK); /* find_measured_ranks has requested all */
    return 0;
}

/* The grid that the current rank is in; NULL: none. */
static const struct cartesian_grid *grid_here(const struct script_evaluator *e, uint32_t comm)
{
    const struct evaluated_comm *part = comm_part_of(e, comm);
    return part ? &part->grid : NULL;
}

static double value_in_grid(struct script_evaluator *e, const struct expression *expression)
{
    const struct cartesian_grid *grid = grid_here(e, expression->index);
    int64_t dimension = evaluate_whole(e, expression->arguments[0], "a dimension", 0);
    int64_t distance = 0;
    if (expression->kind == EXPRESSION_SHIFT)
        distance = evaluate_whole(e, expression->arguments[1], "a distance", INT32_MIN);
    if (!grid || e->status != STATUS_OK)
        return -1;
    if (dimension >= grid->count) {
        evaluation_fail(e, expression->place, "dimension %lld of a grid that has %u (from 0)",
                        (long long)dimension, grid->count);
        return -1;
    }
    uint32_t rank = e->comms[expression->index].rank[e->rank];
    return (double)(expression->kind == EXPRESSION_COORD
                        ? grid_coordinate(grid, rank, (uint32_t)dimension)
                        : grid_shift(grid, rank, (uint32_t)dimension, distance));
}

const double *evaluate_table(struct script_evaluator *e, uint32_t number)
{
    assert(number < e->script->table_count);
    const struct script_table *table = &e->script->tables[number];
    if (e->tables[number] || e->status != STATUS_OK)
        return e->tables[number];
    double *items = arena_alloc_array(e->arena, (size_t)table->count + 1, sizeof *items);
    if (!items)
        evaluation_out_of_memory(e);
    for (uint32_t i = 0; i < table->count && e->status == STATUS_OK; i++)
        items[i] = evaluate(e, table->items[i]);
    e->tables[number] = items;
    return items;
}

/* Item `index` of a table. */
static double item_of(struct script_evaluator *e, const struct expression *expression,
                      int64_t index)
{
    const struct script_table *table = &e->script->tables[expression->index];
    if (e->status == STATUS_OK && (index < 0 || index >= table->count))
        evaluation_fail(e, expression->place, "item %lld of table %s, which has %u (from 0)",
                        (long long)index, table->name, table->count);
    const double *items = evaluate_table(e, expression->index);
    return e->status == STATUS_OK ? items[index] : 0;
}

static double value_in_table(struct script_evaluator *e, const struct expression *expression)
{
    return item_of(e, expression,
                   evaluate_whole(e, expression->arguments[0], "an index", INT64_MIN));
}

static double value_in_turn(struct script_evaluator *e, const struct expression *expression)
{
    int64_t first = evaluate_whole(e, expression->arguments[0], "the first item", 0);
    int64_t count = evaluate_whole(e, expression->arguments[1], "the number of items", 1);
    if (e->status != STATUS_OK)
        return 0;
    uint64_t turn = e->turns[(uint32_t)expression->number]++;
    return item_of(e, expression, first + (int64_t)(turn % (uint64_t)count));
}

static double value_of_operator(struct script_evaluator *e, const struct expression *expression)
{
    enum expression_kind kind = (enum expression_kind)expression->kind;
    double a = evaluate(e, expression->arguments[0]);
    /* operators that need not evaluate all operands */
    if (kind == EXPRESSION_AND)
        return a != 0 && evaluate(e, expression->arguments[1]) != 0;
    if (kind == EXPRESSION_OR)
        return a != 0 || evaluate(e, expression->arguments[1]) != 0;
    if (kind == EXPRESSION_CHOICE)
        return evaluate(e, expression->arguments[a != 0 ? 1 : 2]);
    double b = expression->count > 1 ? evaluate(e, expression->arguments[1]) : 0;
    bool divides =
        kind == EXPRESSION_DIVIDE || kind == EXPRESSION_FLOOR_DIVIDE || kind == EXPRESSION_MODULO;
    if (divides && b == 0) {
        evaluation_fail(e, expression->place, "division by zero");
        return 0;
    }
    return arithmetic_operator(kind, a, b);
}

/* Of the world also before communicators are made. */
static double size_here(const struct script_evaluator *e, uint32_t comm)
{
    if (comm == 0)
        return e->input->ranks;
    const struct evaluated_comm *part = comm_part_of(e, comm);
    return part ? part->size : 0;
}

static double rank_here(const struct script_evaluator *e, uint32_t comm)
{
    if (comm == 0)
        return e->rank;
    return comm_part_of(e, comm) ? (double)e->comms[comm].rank[e->rank] : -1;
}

static double value_of(struct script_evaluator *e, const struct expression *expression)
{
    switch ((enum expression_kind)expression->kind) {
    case EXPRESSION_NUMBER:
        return expression->number;
    case EXPRESSION_LOCAL:
        return *local_variable(e, expression->index);
    case EXPRESSION_GLOBAL:
        return e->globals[expression->index];
    case EXPRESSION_RANK:
        return rank_here(e, expression->index);
    case EXPRESSION_SIZE:
        return size_here(e, expression->index);
    case EXPRESSION_PEER:
        return e->peer;
    case EXPRESSION_TABLE:
        return value_in_table(e, expression);
    case EXPRESSION_IN_TURN:
        return value_in_turn(e, expression);
    case EXPRESSION_COORD:
    case EXPRESSION_SHIFT:
        return value_in_grid(e, expression);
    case EXPRESSION_FUNCTION:
        return value_of_function(e, expression);
    case EXPRESSION_PROCEDURE:
        return evaluate_procedure(e, expression->index, expression->arguments, expression->place);
    case EXPRESSION_VECTOR:
        return value_of_vector(e, expression);
    case EXPRESSION_MEASURED:
    case EXPRESSION_SAMPLED:
        return value_of_measured(e, expression);
    default:
        return value_of_operator(e, expression);
    }
}

double evaluate(struct script_evaluator *e, const struct expression *expression)
{
    if (e->status != STATUS_OK)
        return 0;
    double value = value_of(e, expression);
    if (!isfinite(value)) {
        evaluation_fail(e, expression->place, "the value is %s",
                        isnan(value) ? "not a number" : "infinite");
        return 0;
    }
    return e->status == STATUS_OK ? value : 0;
}

int64_t evaluate_whole(struct script_evaluator *e, const struct expression *expression,
                       const char *what, int64_t least)
{
    double value = evaluate(e, expression), whole = round(value);
    if (e->status != STATUS_OK)
        return 0;
    if (fabs(value - whole) > WHOLE_TOLERANCE || fabs(value) > LARGEST_WHOLE ||
        value < (double)least) {
        if (least > -(int64_t)LARGEST_WHOLE)
            evaluation_fail(e, expression->place,
                            "%s is %.10g, where a whole number from %lld on is expected", what,
                            value, (long long)least);
        else
            evaluation_fail(e, expression->place, "%s is %.10g, where a whole number is expected",
                            what, value);
        return 0;
    }
    return (int64_t)whole;
}

uint64_t evaluate_bytes(struct script_evaluator *e, const struct expression *expression)
{
    double value = evaluate(e, expression);
    if (value < 0 || value > LARGEST_WHOLE) {
        evaluation_fail(e, expression->place, "a size is %.10g bytes", value);
        return 0;
    }
    return (uint64_t)llround(value);
}

double evaluate_seconds(struct script_evaluator *e, const struct expression *expression)
{
    double seconds = evaluate(e, expression);
    if (seconds < 0 || seconds > 1e9) {
        evaluation_fail(e, expression->place, "a computation takes %.6g s", seconds);
        return 0;
    }
    return seconds;
}

static bool is_before(struct script_position a, struct script_position b)
{
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

void evaluate_set_rank(struct script_evaluator *e, uint32_t rank,
                       const struct script_position *before)
{
    assert(rank < e->input->ranks);
    bool all = e->rank == UINT32_MAX;
    e->rank = rank;
    e->stack_bottom = __builtin_frame_address(0);
    e->random = map_mix(map_mix(e->input->seed) ^ rank);
    for (uint32_t p = 0; p < e->script->procedure_count; p++)
        e->remembered[p].known = false;
    for (uint32_t g = 0; g < e->script->global_count && e->status == STATUS_OK; g++) {
        const struct global *global = &e->script->globals[g];
        if (before && !is_before(global->place, *before))
            break;
        if (!isnan(e->params[g]))
            e->globals[g] = e->params[g];
        else if (all || global->varies || before)
            e->globals[g] = evaluate(e, global->value);
    }
}
