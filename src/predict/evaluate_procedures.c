/* Seconds of procedures: loops, branches, chance. */
#include "predict/evaluate_private.h"

#include "base/map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

static double fraction(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

double evaluate_chance(uint64_t seed, uint64_t a, uint64_t b)
{
    return fraction(map_mix(map_mix(map_mix(seed + 1) ^ a) ^ b));
}

/* SplitMix64: a counter whose bits are scattered. */
double evaluate_random(struct evaluator *e)
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
        branch = evaluate_branch(e, statement, evaluate_random(e), frame);
        return branch != NO_SLOT ? seconds_of_block(e, &statement->branches[branch], frame) : 0;
    case STATEMENT_CALL:
        return evaluate_procedure(e, statement->index, statement->arguments,
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

double evaluate_procedure(struct evaluator *e, uint32_t index,
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
