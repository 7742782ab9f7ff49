/* Statements of parts and procedures: variables, loops, branches, calls. What a statement of a part
 * does besides is in evaluate_steps.c; procedures only add up seconds. */
#include "predict/evaluate_private.h"

#include "base/map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A number from 0 to below 1 from the upper 53 bits. */
static double fraction(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* SplitMix64: a counter whose bits are scattered. */
double evaluate_random(struct script_evaluator *e)
{
    return fraction(map_mix(e->random += 0x9E3779B97F4A7C15u));
}

/* In a part all ranks take the same branch of a case at their k-th visit. */
static double chance_of(struct script_evaluator *e, const struct statement *statement)
{
    if (e->depth > 0)
        return evaluate_random(e);
    uint64_t visit = e->case_visits[statement->index]++;
    return fraction(map_mix(map_mix(map_mix(e->input->seed + 1) ^ statement->index) ^ visit));
}

/* The branch of a case that is taken; NO_SLOT: none. */
static uint32_t choose_branch(struct script_evaluator *e, const struct statement *statement)
{
    double sum = 0, chance = chance_of(e, statement);
    uint32_t chosen = NO_SLOT;
    for (uint32_t i = 0; i < statement->branch_count; i++) {
        double probability = evaluate(e, statement->chances[i]);
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

/* Counts a statement; false if the evaluation has failed, or fails because there are too many. */
static bool count_statement(struct script_evaluator *e, const struct statement *statement)
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

/* Follows a block. Returns the seconds that it computes in a procedure; 0 in a part, whose
 * computation goes to the trace. */
static double follow_block(struct script_evaluator *e, const struct statement_block *block);

static double follow_branch(struct script_evaluator *e, const struct statement *statement,
                            uint32_t branch)
{
    return branch < statement->branch_count ? follow_block(e, &statement->branches[branch]) : 0;
}

/* Whether the value may differ from one evaluation to the next. */
static bool is_varying(const struct expression *expression)
{
    if (expression->kind == EXPRESSION_IN_TURN || expression->kind == EXPRESSION_SAMPLED ||
        (expression->kind == EXPRESSION_FUNCTION && expression->index == FUNCTION_RANDOM))
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (is_varying(expression->arguments[i]))
            return true;
    return expression->kind == EXPRESSION_PROCEDURE; /* it may have random() or a case inside */
}

/* Whether each round of a procedure's loop over this block takes the same time: nothing in it
 * changes a variable or depends on chance. */
static bool rounds_are_equal(const struct statement_block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct statement *statement = block->statements[i];
        if ((statement->kind != STATEMENT_COMPUTE && statement->kind != STATEMENT_IF) ||
            is_varying(statement->value))
            return false;
        for (uint32_t b = 0; b < statement->branch_count; b++)
            if (!rounds_are_equal(&statement->branches[b]))
                return false;
    }
    return true;
}

static double follow_loop(struct script_evaluator *e, const struct statement *loop)
{
    const int64_t least = -(int64_t)LARGEST_WHOLE;
    double sum = 0;
    if (e->depth > 0 && loop->slot == NO_SLOT && rounds_are_equal(&loop->branches[0])) {
        int64_t rounds = evaluate_whole(e, loop->to, "the length of a loop", INT64_MIN);
        return rounds > 0 ? (double)rounds * follow_branch(e, loop, 0) : 0;
    }
    int64_t from = loop->from ? evaluate_whole(e, loop->from, "the start of a loop", least) : 1;
    int64_t to = evaluate_whole(e, loop->to, "the end of a loop", least);
    int64_t step = loop->step ? evaluate_whole(e, loop->step, "the step of a loop", least) : 1;
    if (e->status == STATUS_OK && step == 0)
        evaluation_fail(e, loop->place, "the step of this loop is 0");
    if (e->status != STATUS_OK)
        return 0;
    for (int64_t i = from; step > 0 ? i <= to : i >= to; i += step) {
        if (!count_statement(e, loop))
            return 0;
        if (loop->slot != NO_SLOT)
            *local_variable(e, loop->slot) = (double)i;
        sum += follow_branch(e, loop, 0);
    }
    return sum;
}

static bool reserve_variables(struct script_evaluator *e, uint32_t count)
{
    size_t needed = e->stack_used + count + 1;
    if (needed > e->stack_room) {
        double *grown = realloc(e->stack, 2 * needed * sizeof *grown);
        if (!grown) {
            evaluation_out_of_memory(e);
            return false;
        }
        e->stack = grown;
        e->stack_room = 2 * needed;
    }
    memset(&e->stack[e->stack_used], 0, (count + 1) * sizeof *e->stack);
    e->stack_used = needed;
    return true;
}

/* Begins a part or procedure: its variables, the first of which are the arguments, become the
 * current ones. `*caller`: for end_call. False if the evaluation has failed. */
static bool begin_call(struct script_evaluator *e, const struct procedure *called,
                       const struct expression *const *arguments, size_t *caller)
{
    size_t own = e->stack_used;
    *caller = e->frame;
    if (!reserve_variables(e, called->slots))
        return false;
    for (uint32_t i = 0; i < called->parameters && e->status == STATUS_OK; i++) {
        double value = evaluate(e, arguments[i]); /* the stack may move */
        e->stack[own + i] = value;
    }
    if (e->status != STATUS_OK)
        return false;
    e->frame = own;
    return true;
}

static void end_call(struct script_evaluator *e, size_t caller)
{
    e->stack_used = e->frame;
    e->frame = caller;
}

double evaluate_procedure(struct script_evaluator *e, uint32_t index,
                          const struct expression *const *arguments, struct script_position place)
{
    assert(index < e->script->procedure_count);
    const struct procedure *procedure = &e->script->procedures[index];
    struct remembered *remembered = &e->remembered[index];
    size_t size = procedure->parameters * sizeof *remembered->arguments, caller;
    if (!evaluation_may_call(e, e->depth, place, "procedures") ||
        !begin_call(e, procedure, arguments, &caller))
        return 0;
    bool remembers = procedure->constant && e->depth == 0; /* of those called by steps */
    double seconds = remembered->seconds;
    if (!remembers || !remembered->known ||
        memcmp(remembered->arguments, local_variable(e, 0), size) != 0) {
        if (remembers)
            memcpy(remembered->arguments, local_variable(e, 0), size);
        e->depth++;
        seconds = follow_block(e, &procedure->body);
        e->depth--;
        if (remembers) {
            remembered->seconds = seconds;
            remembered->known = true;
        }
    }
    end_call(e, caller);
    return seconds;
}

static void follow_part(struct script_evaluator *e, const struct statement *call)
{
    const struct procedure *part = &e->script->parts[call->index];
    size_t caller;
    if (!evaluation_may_call(e, e->part_depth, call->place, "parts") ||
        !begin_call(e, part, call->arguments, &caller))
        return;
    if (part->region != INDEX_NONE)
        builder_enter(e->builder, part->region);
    e->part_depth++;
    follow_block(e, &part->body);
    e->part_depth--;
    if (part->region != INDEX_NONE)
        builder_leave(e->builder);
    end_call(e, caller);
}

static double follow(struct script_evaluator *e, const struct statement *statement)
{
    double value;
    switch ((enum statement_kind)statement->kind) {
    case STATEMENT_LET:
        value = evaluate(e, statement->value);
        *local_variable(e, statement->slot) = value;
        return 0;
    case STATEMENT_LOOP:
        return follow_loop(e, statement);
    case STATEMENT_IF:
        return follow_branch(e, statement, evaluate(e, statement->value) == 0);
    case STATEMENT_CASE:
        return follow_branch(e, statement, choose_branch(e, statement));
    case STATEMENT_COMPUTE:
        return evaluate_seconds(e, statement->value);
    case STATEMENT_CALL:
        if (e->depth > 0)
            return evaluate_procedure(e, statement->index, statement->arguments, statement->place);
        follow_part(e, statement);
        return 0;
    case STATEMENT_REGION:
        builder_enter(e->builder, statement->index);
        follow_branch(e, statement, 0);
        builder_leave(e->builder);
        return 0;
    default:
        evaluate_step(e, statement);
        return 0;
    }
}

static double follow_block(struct script_evaluator *e, const struct statement_block *block)
{
    double seconds = 0;
    for (uint32_t i = 0; i < block->count && count_statement(e, block->statements[i]); i++) {
        seconds += follow(e, block->statements[i]);
        if (e->locates && e->found.line == 0 && builder_events(e->builder) > e->wanted) {
            e->found = block->statements[i]->place;
            e->status = STATUS_INPUT; /* stop here */
        }
    }
    return seconds;
}

void evaluate_main(struct script_evaluator *e)
{
    assert(e->open.count == 0 && e->script->main < e->script->part_count);
    const struct procedure *main = &e->script->parts[e->script->main];
    size_t caller;
    if (!begin_call(e, main, NULL, &caller))
        return;
    follow_block(e, &main->body);
    end_call(e, caller);
    if (e->open.count > 0)
        evaluation_fail(e, e->open.items[0].place, "no step waits for request %s",
                        e->script->requests[e->open.items[0].name]);
}
