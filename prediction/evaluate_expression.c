#include "prediction/evaluate_private.h"

#include "base/map.h"
#include "prediction/arithmetic.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double WHOLE_TOLERANCE = 1e-6, LARGEST_WHOLE = 9007199254740992.0;

/* --- failures --------------------------------------------------------------------------------- */

void evaluation_fail(struct evaluator *e, struct place place, const char *format, ...)
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

void evaluation_out_of_memory(struct evaluator *e)
{
    if (e->status == STATUS_OK)
        e->status = error_memory(e->error, "the prediction");
}

bool evaluation_may_call(struct evaluator *e, uint32_t depth, struct place place, const char *what)
{
    const char *here = __builtin_frame_address(0);
    if (depth == DEPTH_MOST)
        evaluation_fail(e, place, "%s call each other more than %d levels deep", what, DEPTH_MOST);
    else if (e->stack_bottom - here > STACK_MOST)
        evaluation_fail(e, place, "%s call each other too deeply for what they are nested in",
                        what);
    return e->status == STATUS_OK;
}

/* --- frames ----------------------------------------------------------------------------------- */

struct frame frame_open(struct evaluator *e, uint32_t slots)
{
    struct frame frame = {e->stack_used};
    size_t needed = e->stack_used + slots + 1;
    if (needed > e->stack_room) {
        double *grown = realloc(e->stack, 2 * needed * sizeof *grown);
        if (!grown) {
            evaluation_out_of_memory(e);
            frame.base = 0;
            return frame;
        }
        e->stack = grown;
        e->stack_room = 2 * needed;
    }
    memset(&e->stack[e->stack_used], 0, (slots + 1) * sizeof *e->stack);
    e->stack_used = needed;
    return frame;
}

void frame_close(struct evaluator *e, struct frame frame)
{
    if (e->status == STATUS_OK)
        e->stack_used = frame.base;
}

/* --- chance ----------------------------------------------------------------------------------- */

static double fraction(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

double evaluate_chance(uint64_t seed, uint64_t a, uint64_t b)
{
    return fraction(map_mix(map_mix(map_mix(seed + 1) ^ a) ^ b));
}

/* SplitMix64: a counter whose bits are scattered. */
static double next_random(struct evaluator *e)
{
    return fraction(map_mix(e->random += 0x9E3779B97F4A7C15u));
}

uint32_t evaluate_branch(struct evaluator *e, const struct statement *statement, double chance,
                         struct frame frame)
{
    double sum = 0;
    uint32_t chosen = NO_SLOT;
    for (uint32_t i = 0; i < statement->branch_count; i++) {
        double probability = evaluate(e, statement->chances[i], frame);
        if (probability < 0)
            evaluation_fail(e, statement->chances[i]->place, "a probability is %g, below 0",
                            probability);
        sum += probability;
        if (chosen == NO_SLOT && chance < sum)
            chosen = i;
    }
    if (sum > 1 + WHOLE_TOLERANCE)
        evaluation_fail(e, statement->place, "the probabilities of this case sum to %g, above 1",
                        sum);
    return chosen;
}

/* --- procedures ------------------------------------------------------------------------------- */

bool evaluate_goes_on(struct evaluator *e, const struct statement *statement)
{
    if (e->status != STATUS_OK)
        return false;
    uint64_t most = e->input->most_events;
    if (e->events + builder_events(e->builder) > most)
        evaluation_fail(e, statement->place,
                        "the program makes more than %llu events; if this is meant, raise --limit",
                        (unsigned long long)most);
    else if (++e->statements / STATEMENTS_PER_EVENT > most)
        evaluation_fail(e, statement->place,
                        "more than %llu statements are executed; if this is meant, raise --limit",
                        (unsigned long long)(most * STATEMENTS_PER_EVENT));
    return e->status == STATUS_OK;
}

double evaluate_loop(struct evaluator *e, const struct statement *loop, struct frame frame,
                     loop_body *body)
{
    int64_t least = -(int64_t)LARGEST_WHOLE;
    int64_t from =
        loop->from ? evaluate_whole(e, loop->from, frame, "the begin of a loop", least) : 1;
    int64_t to = evaluate_whole(e, loop->to, frame, "the end of a loop", least);
    int64_t step =
        loop->step ? evaluate_whole(e, loop->step, frame, "the step of a loop", least) : 1;
    double sum = 0;
    if (e->status == STATUS_OK && step == 0)
        evaluation_fail(e, loop->place, "the step of this loop is 0");
    if (e->status != STATUS_OK)
        return 0;
    for (int64_t i = from; step > 0 ? i <= to : i >= to; i += step) {
        if (!evaluate_goes_on(e, loop))
            return 0;
        if (loop->slot != NO_SLOT)
            *frame_variable(e, frame, loop->slot) = (double)i;
        sum += body(e, &loop->branches[0], frame);
    }
    return sum;
}

static double seconds_of_block(struct evaluator *e, const struct block *block, struct frame frame);

static bool is_random(const struct expression *expression)
{
    if (expression->kind == EXPRESSION_FUNCTION && expression->index == FUNCTION_RANDOM)
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (is_random(expression->arguments[i]))
            return true;
    return expression->kind == EXPRESSION_PROCEDURE; /* it may have random() or a case inside */
}

/* Whether each round of a loop over this block takes the same time: nothing in it changes a
 * variable or depends on chance. */
static bool rounds_are_equal(const struct block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct statement *statement = block->statements[i];
        if ((statement->kind != STATEMENT_COMPUTE && statement->kind != STATEMENT_IF) ||
            is_random(statement->value))
            return false;
        for (uint32_t b = 0; b < statement->branch_count; b++)
            if (!rounds_are_equal(&statement->branches[b]))
                return false;
    }
    return true;
}

static double seconds_of_loop(struct evaluator *e, const struct statement *loop, struct frame frame)
{
    if (loop->slot != NO_SLOT || !rounds_are_equal(&loop->branches[0]))
        return evaluate_loop(e, loop, frame, seconds_of_block);
    int64_t rounds = evaluate_whole(e, loop->to, frame, "the length of a loop", INT64_MIN);
    return rounds > 0 ? (double)rounds * seconds_of_block(e, &loop->branches[0], frame) : 0;
}

static double seconds_of_procedure(struct evaluator *e, uint32_t index,
                                   const struct expression *const *arguments, uint32_t count,
                                   struct frame frame, struct place place);

static double seconds_of_statement(struct evaluator *e, const struct statement *statement,
                                   struct frame frame)
{
    uint32_t branch;
    double value;
    if (!evaluate_goes_on(e, statement))
        return 0;
    switch ((enum statement_kind)statement->kind) {
    case STATEMENT_COMPUTE:
        return evaluate_seconds(e, statement->value, frame);
    case STATEMENT_LET:
        value = evaluate(e, statement->value, frame);
        *frame_variable(e, frame, statement->slot) = value;
        return 0;
    case STATEMENT_LOOP:
        return seconds_of_loop(e, statement, frame);
    case STATEMENT_IF:
        branch = evaluate(e, statement->value, frame) == 0;
        return branch < statement->branch_count
                   ? seconds_of_block(e, &statement->branches[branch], frame)
                   : 0;
    case STATEMENT_CASE:
        branch = evaluate_branch(e, statement, next_random(e), frame);
        return branch != NO_SLOT ? seconds_of_block(e, &statement->branches[branch], frame) : 0;
    case STATEMENT_CALL:
        return seconds_of_procedure(e, statement->index, statement->arguments,
                                    statement->argument_count, frame, statement->place);
    default:
        assert(!"a step in a procedure");
        return 0;
    }
}

static double seconds_of_block(struct evaluator *e, const struct block *block, struct frame frame)
{
    double seconds = 0;
    for (uint32_t i = 0; i < block->count && e->status == STATUS_OK; i++)
        seconds += seconds_of_statement(e, block->statements[i], frame);
    return seconds;
}

/* What the procedure took with these arguments, if it is remembered. */
static bool remember(const struct remembered *remembered, const double *arguments, uint32_t count,
                     double *seconds)
{
    if (!remembered->known ||
        memcmp(remembered->arguments, arguments, count * sizeof *arguments) != 0)
        return false;
    *seconds = remembered->seconds;
    return true;
}

static double seconds_of_procedure(struct evaluator *e, uint32_t index,
                                   const struct expression *const *arguments, uint32_t count,
                                   struct frame frame, struct place place)
{
    const struct procedure *procedure = &e->script->procedures[index];
    struct remembered *remembered = &e->remembered[index];
    double seconds = 0;
    if (!evaluation_may_call(e, e->depth, place, "procedures"))
        return 0;
    struct frame own = frame_open(e, procedure->slots);
    for (uint32_t i = 0; i < count && e->status == STATUS_OK; i++) {
        double value = evaluate(e, arguments[i], frame);
        *frame_variable(e, own, i) = value;
    }
    if (e->status != STATUS_OK)
        return 0;
    bool remembers = procedure->constant && e->depth == 0; /* of those called by steps */
    if (remembers && remember(remembered, frame_variable(e, own, 0), count, &seconds)) {
        frame_close(e, own);
        return seconds;
    }
    if (remembers)
        memcpy(remembered->arguments, frame_variable(e, own, 0),
               count * sizeof *remembered->arguments);
    e->depth++;
    seconds = seconds_of_block(e, &procedure->body, own);
    e->depth--;
    if (remembers) {
        remembered->seconds = seconds;
        remembered->known = true;
    }
    frame_close(e, own);
    return seconds;
}

/* --- values ----------------------------------------------------------------------------------- */

static double value_of_function(struct evaluator *e, const struct expression *expression,
                                struct frame frame)
{
    double a = expression->count > 0 ? evaluate(e, expression->arguments[0], frame) : 0;
    double b = expression->count > 1 ? evaluate(e, expression->arguments[1], frame) : 0;
    double c = expression->count > 2 ? evaluate(e, expression->arguments[2], frame) : 0;
    switch ((enum script_function)expression->index) {
    case FUNCTION_XOR:
        if (a < 0 || b < 0 || a >= LARGEST_WHOLE || b >= LARGEST_WHOLE)
            evaluation_fail(e, expression->place, "xor(%g, %g) needs whole numbers from 0 on", a,
                            b);
        break;
    case FUNCTION_DIMS:
        if (a < 1 || a > UINT32_MAX || b < 1 || b > DIMS_MOST || c < 0 || c >= b)
            evaluation_fail(e, expression->place,
                            "dims(%g, %g, %g) needs a count from 1 on, 1 to %d dimensions, and an "
                            "index below that number",
                            a, b, c, DIMS_MOST);
        break;
    case FUNCTION_RANDOM:
        return next_random(e);
    default:
        break;
    }
    const double arguments[] = {a, b, c};
    return e->status == STATUS_OK
               ? arithmetic_function((enum script_function)expression->index, arguments)
               : 0;
}

static double value_of_vector(struct evaluator *e, const struct expression *expression,
                              struct frame frame)
{
    const struct hardware *hardware = e->input->hardware;
    double seconds = 0;
    for (uint32_t i = 0; i < expression->count; i++) {
        uint8_t operation = expression->operations[i];
        double count = evaluate(e, expression->arguments[i], frame);
        if (!hardware->has_operation[operation])
            evaluation_fail(e, expression->arguments[i]->place,
                            "the hardware file does not say what %s costs; add it to section "
                            "[operations]",
                            operation_names[operation]);
        seconds += count * hardware->operation[operation];
    }
    return seconds;
}

static double value_of_measured(struct evaluator *e, const struct expression *expression,
                                struct frame frame)
{
    const struct measurement *measurement = &e->script->measurements[expression->index];
    if (e->measuring)
        return 0;
    int64_t rank = evaluate_whole(e, measurement->rank, frame, "the rank in the recording", 0);
    for (size_t i = 0; i < e->measured.count; i++) {
        if (e->measured.items[i].measurement != expression->index ||
            e->measured.items[i].rank != rank)
            continue;
        if (!isnan(e->measured.items[i].seconds))
            return e->measured.items[i].seconds;
        evaluation_fail(e, expression->place, "there is no recording %s (beside the script)",
                        e->script->traces[measurement->trace].path);
        return 0;
    }
    evaluation_fail(e, expression->place,
                    "the rank in measured() may depend on rank, size and parameters only");
    return 0;
}

/* The grid that the current rank is in; NULL: none. */
static const struct grid *grid_here(const struct evaluator *e, uint32_t comm)
{
    const struct comm_part *part = comm_part_of(e, comm);
    return part ? &part->grid : NULL;
}

static double value_in_grid(struct evaluator *e, const struct expression *expression,
                            struct frame frame)
{
    const struct grid *grid = grid_here(e, expression->index);
    int64_t dimension = evaluate_whole(e, expression->arguments[0], frame, "a dimension", 0);
    int64_t distance = 0;
    if (expression->kind == EXPRESSION_SHIFT)
        distance = evaluate_whole(e, expression->arguments[1], frame, "a distance", INT32_MIN);
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

static double value_in_table(struct evaluator *e, const struct expression *expression,
                             struct frame frame)
{
    const struct table *table = &e->script->tables[expression->index];
    int64_t index = evaluate_whole(e, expression->arguments[0], frame, "an index", INT64_MIN);
    if (e->status == STATUS_OK && (index < 0 || index >= table->count))
        evaluation_fail(e, expression->place, "item %lld of table %s, which has %u (from 0)",
                        (long long)index, table->name, table->count);
    const double *items = evaluate_table(e, expression->index);
    return e->status == STATUS_OK ? items[index] : 0;
}

static double value_of_operator(struct evaluator *e, const struct expression *expression,
                                struct frame frame)
{
    double a = evaluate(e, expression->arguments[0], frame);
    /* operators that need not evaluate all operands */
    switch ((enum expression_kind)expression->kind) {
    case EXPRESSION_NEGATE:
    case EXPRESSION_NOT:
        return arithmetic_operator((enum expression_kind)expression->kind, a, 0);
    case EXPRESSION_AND:
        return a != 0 && evaluate(e, expression->arguments[1], frame) != 0;
    case EXPRESSION_OR:
        return a != 0 || evaluate(e, expression->arguments[1], frame) != 0;
    case EXPRESSION_CHOICE:
        return evaluate(e, expression->arguments[a != 0 ? 1 : 2], frame);
    default:
        break;
    }
    double b = evaluate(e, expression->arguments[1], frame);
    bool divides = expression->kind == EXPRESSION_DIVIDE ||
                   expression->kind == EXPRESSION_FLOOR_DIVIDE ||
                   expression->kind == EXPRESSION_MODULO;
    if (divides && b == 0)
        evaluation_fail(e, expression->place, "division by zero");
    return e->status == STATUS_OK
               ? arithmetic_operator((enum expression_kind)expression->kind, a, b)
               : 0;
}

/* Of the world also before communicators are made. */
static double size_here(const struct evaluator *e, uint32_t comm)
{
    if (comm == 0)
        return e->input->ranks;
    const struct comm_part *part = comm_part_of(e, comm);
    return part ? part->size : 0;
}

static double rank_here(const struct evaluator *e, uint32_t comm)
{
    if (comm == 0)
        return e->rank;
    return comm_part_of(e, comm) ? (double)e->comms[comm].rank[e->rank] : -1;
}

static double value_of(struct evaluator *e, const struct expression *expression, struct frame frame)
{
    switch ((enum expression_kind)expression->kind) {
    case EXPRESSION_NUMBER:
        return expression->number;
    case EXPRESSION_LOCAL:
        return *frame_variable(e, frame, expression->index);
    case EXPRESSION_GLOBAL:
        return e->globals[expression->index];
    case EXPRESSION_RANK:
        return rank_here(e, expression->index);
    case EXPRESSION_SIZE:
        return size_here(e, expression->index);
    case EXPRESSION_PEER:
        return e->peer;
    case EXPRESSION_TABLE:
        return value_in_table(e, expression, frame);
    case EXPRESSION_COORD:
    case EXPRESSION_SHIFT:
        return value_in_grid(e, expression, frame);
    case EXPRESSION_FUNCTION:
        return value_of_function(e, expression, frame);
    case EXPRESSION_PROCEDURE:
        return seconds_of_procedure(e, expression->index, expression->arguments, expression->count,
                                    frame, expression->place);
    case EXPRESSION_VECTOR:
        return value_of_vector(e, expression, frame);
    case EXPRESSION_MEASURED:
        return value_of_measured(e, expression, frame);
    default:
        return value_of_operator(e, expression, frame);
    }
}

double evaluate(struct evaluator *e, const struct expression *expression, struct frame frame)
{
    if (e->status != STATUS_OK)
        return 0;
    double value = value_of(e, expression, frame);
    if (!isfinite(value)) {
        evaluation_fail(e, expression->place, "the value is %s",
                        isnan(value) ? "not a number" : "infinite");
        return 0;
    }
    return e->status == STATUS_OK ? value : 0;
}

int64_t evaluate_whole(struct evaluator *e, const struct expression *expression, struct frame frame,
                       const char *what, int64_t least)
{
    double value = evaluate(e, expression, frame), whole = round(value);
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

uint64_t evaluate_bytes(struct evaluator *e, const struct expression *expression,
                        struct frame frame)
{
    double value = evaluate(e, expression, frame);
    if (value < 0 || value > LARGEST_WHOLE) {
        evaluation_fail(e, expression->place, "a size is %.10g bytes", value);
        return 0;
    }
    return (uint64_t)llround(value);
}

double evaluate_seconds(struct evaluator *e, const struct expression *expression,
                        struct frame frame)
{
    double seconds = evaluate(e, expression, frame);
    if (seconds < 0 || seconds > 1e9) {
        evaluation_fail(e, expression->place, "a computation takes %.6g s", seconds);
        return 0;
    }
    return seconds;
}
