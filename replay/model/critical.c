#include "replay/model/critical.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void index_steps(struct critical *critical)
{
    const struct equations *equations = critical->equations;
    size_t end = 0;
    memset(critical->post_of_slot, 0xff, equations->slot_count * sizeof(size_t));
    for (size_t i = 0; i < equations->first[equations->rank_count]; i++) {
        const struct step *step = &equations->steps[i];
        if (step->code == STEP_END)
            critical->step_of_end[end++] = i;
        else if (step->code == STEP_POST || step->code == STEP_POST_SCAN)
            critical->post_of_slot[step->slot] = i;
    }
}

enum status critical_create(const struct equations *equations, struct critical **result,
                            struct error *error)
{
    size_t ends = equations->first_end[equations->rank_count] + 1;
    size_t slots = (size_t)equations->slot_count + 1,
           instances = (size_t)equations->instance_count + 1;
    struct critical *critical = calloc(1, sizeof *critical);
    *result = NULL;
    if (!critical)
        return error_memory(error, "the critical path");
    *critical = (struct critical){
        .equations = equations,
        .least_wait = 1,
        .step_of_end = malloc(ends * sizeof *critical->step_of_end),
        .ends = malloc(ends * sizeof *critical->ends),
        .post_of_slot = malloc(slots * sizeof *critical->post_of_slot),
        .last_to_arrive = malloc(instances * sizeof *critical->last_to_arrive),
        .values = malloc((slots + instances) * sizeof *critical->values),
    };
    if (!critical->step_of_end || !critical->ends || !critical->post_of_slot ||
        !critical->last_to_arrive || !critical->values) {
        critical_destroy(critical);
        return error_memory(error, "the critical path");
    }
    index_steps(critical);
    *result = critical;
    return STATUS_OK;
}

void critical_destroy(struct critical *critical)
{
    if (!critical)
        return;
    free(critical->step_of_end);
    free(critical->ends);
    free(critical->post_of_slot);
    free(critical->last_to_arrive);
    free(critical->values);
    free(critical);
}

/* Sets the values that one rank posts, from the shifts at the ends of its calls. */
static void value_rank(struct critical *critical, uint32_t rank)
{
    const struct equations *equations = critical->equations;
    int64_t *instances = critical->values + equations->slot_count, shift = 0;
    size_t end = equations->first_end[rank];
    for (size_t i = equations->first[rank]; i < equations->first[rank + 1]; i++) {
        const struct step *step = &equations->steps[i];
        int64_t value = shift + step->time;
        if (step->code == STEP_END)
            shift = critical->ends[end++];
        else if (step->code == STEP_POST || step->code == STEP_POST_SCAN)
            critical->values[step->slot] = value;
        else if (step->code == STEP_ARRIVE && value > instances[step->slot]) {
            instances[step->slot] = value;
            critical->last_to_arrive[step->slot] = i;
        }
    }
}

void critical_update(struct critical *critical, struct evaluator *evaluator)
{
    const struct equations *equations = critical->equations;
    evaluator_run(evaluator, critical->ends);
    critical->last_time = evaluator_last_time(evaluator);
    for (uint32_t i = 0; i < equations->instance_count; i++) {
        critical->values[equations->slot_count + i] = INT64_MIN;
        critical->last_to_arrive[i] = SIZE_MAX;
    }
    for (uint32_t rank = 0; rank < equations->rank_count; rank++)
        value_rank(critical, rank);
}

static uint32_t rank_of(const size_t *first, uint32_t count, size_t index)
{
    return first_where(1, count, rank, first[rank] > index) - 1;
}

/* The step of the member whose arrival determines the prefix in `slot` (equations/walk_template.h):
 * the last of the arrivals before the prefix that are equal to it. */
static size_t last_of_prefix(const struct critical *critical, uint32_t slot)
{
    uint32_t arrival = slot - 1, last = arrival;
    int64_t latest = INT64_MIN;
    for (;; arrival -= 2) {
        if (critical->values[arrival] > latest) {
            latest = critical->values[arrival];
            last = arrival;
        }
        if (critical->post_of_slot[arrival - 1] != SIZE_MAX) /* the empty prefix has been posted */
            break;
    }
    return critical->post_of_slot[last];
}

/* The value for which a step waits, and the step that made it. INT64_MIN: no step has made it. */
static int64_t awaited_value(const struct critical *critical, const struct step *step,
                             size_t *maker)
{
    const struct equations *equations = critical->equations;
    if (step->code == STEP_AWAIT) {
        *maker = critical->last_to_arrive[step->slot];
        return *maker == SIZE_MAX ? INT64_MIN
                                  : critical->values[equations->slot_count + step->slot];
    }
    *maker = critical->post_of_slot[step->slot];
    if (*maker != SIZE_MAX)
        return critical->values[step->slot];
    *maker = last_of_prefix(critical, step->slot);
    const struct step *arrival = &equations->steps[*maker];
    return critical->values[arrival->slot];
}

static bool is_wait(const struct step *step)
{
    return step->code == STEP_WAIT || step->code == STEP_AWAIT;
}

/* Number of the program's ends before step `index` of a rank. */
static size_t ends_before(const struct critical *critical, uint32_t rank, size_t index)
{
    const size_t *first = critical->equations->first_end;
    return first_where(first[rank], first[rank + 1], end, critical->step_of_end[end] >= index);
}

/* S before the waits of a call. */
static int64_t shift_before(const struct critical *critical, uint32_t rank, size_t end)
{
    return end == critical->equations->first_end[rank] ? 0 : critical->ends[end - 1];
}

struct waiting_call critical_call(const struct critical *critical, size_t end)
{
    const struct equations *equations = critical->equations;
    size_t step = critical->step_of_end[end], first = step, maker;
    assert(end < equations->first_end[equations->rank_count]);
    struct waiting_call call = {.end = end,
                                .rank = rank_of(equations->first, equations->rank_count, step)};
    while (first > equations->first[call.rank] && is_wait(&equations->steps[first - 1]))
        first--;
    int64_t shift = shift_before(critical, call.rank, end), latest = shift;
    size_t latest_maker = SIZE_MAX;
    for (size_t i = first; i < step; i++) {
        int64_t value = awaited_value(critical, &equations->steps[i], &maker);
        if (value != INT64_MIN && value + equations->steps[i].time > latest) {
            latest = value + equations->steps[i].time;
            latest_maker = maker;
        }
    }
    call.wait = latest - shift;
    if (latest_maker == SIZE_MAX)
        return call;
    call.other_rank = rank_of(equations->first, equations->rank_count, latest_maker);
    call.other_end = ends_before(critical, call.other_rank, latest_maker);
    return call;
}

bool critical_path(const struct critical *critical, struct waiting_calls *calls)
{
    const struct equations *equations = critical->equations;
    uint32_t rank = 0;
    calls->list.count = 0;
    for (; rank < equations->rank_count; rank++) {
        size_t end = equations->first_end[rank + 1];
        int64_t shift = end > equations->first_end[rank] ? critical->ends[end - 1] : 0;
        if (equations->last_event[rank] + shift == critical->last_time)
            break;
    }
    if (rank == equations->rank_count)
        return true;
    for (size_t end = equations->first_end[rank + 1]; end > equations->first_end[rank];) {
        struct waiting_call call = critical_call(critical, --end);
        if (call.wait <= 0)
            continue;
        if (!array_push(&calls->list, call))
            return false;
        rank = call.other_rank;
        end = call.other_end;
    }
    return true;
}

void critical_skip(const struct critical *critical, size_t end, bool skip)
{
    const struct equations *equations = critical->equations;
    size_t i = critical->step_of_end[end];
    size_t first = equations->first[rank_of(equations->first, equations->rank_count, i)];
    for (; i > first; i--) {
        struct step *step = &equations->steps[i - 1];
        if (step->sets)
            return; /* the start of a thread */
        if (is_wait(step) && skip)
            *step = (struct step){step->time, step->slot, STEP_SKIPPED, step->code + 1, 0, 0};
        else if (step->skipped && !skip)
            *step = (struct step){step->time, step->slot, step->skipped - 1, 0, 0, 0};
        else if (!is_wait(step) && !step->skipped)
            return;
    }
}

int64_t critical_without(const struct critical *critical, struct evaluator *evaluator,
                         const size_t *ends, size_t count)
{
    assert(count == 0 || ends);
    for (size_t i = 0; i < count; i++)
        critical_skip(critical, ends[i], true);
    evaluator_run(evaluator, NULL);
    for (size_t i = 0; i < count; i++)
        critical_skip(critical, ends[i], false);
    return evaluator_last_time(evaluator);
}
