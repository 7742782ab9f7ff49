#include "replay/realtime/tuning.h"

#include "base/progress.h"
#include "replay/realtime/realtime_private.h"
#include "base/sort.h"
#include "replay/costs/call_groups.h"
#include "replay/realtime/shortfall.h"
#include "replay/realtime/trial_part.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_CALLS = 8 }; /* of a call path: too few to compare */

/* The durations of one call in ticks of the engine's clock: recorded, and replayed with each
 * reach. */
struct call_times {
    uint32_t path;
    double recorded, replayed[REACH_COUNT];
};

static void set_reach_of_all(struct replay_program *program, uint8_t reach)
{
    for (size_t i = 0; i < program->ops.count; i++)
        program->ops.items[i].reach = reach;
}

/* Returns the number of replayed calls. */
static size_t take_durations(const struct realtime *state, int reach, struct call_times *calls)
{
    const struct replay_program *program = &state->program;
    const struct skipped_part *skip = &state->executor.skip;
    const uint64_t *time =
        trace_stream(state->trace, (uint32_t)state->trace->processes->rank)->time;
    const uint64_t *readings = state->executor.readings;
    double scale =
        state->clock.ticks_per_second / (double)state->trace->definitions->ticks_per_second;
    size_t count = 0;
    for (size_t i = 0; i < program->timed_calls.count; i++) {
        const struct timed_call *timed = &program->timed_calls.items[i];
        if (i >= skip->first_call && i < skip->end_call)
            continue;
        calls[count].path = timed->path;
        calls[count].recorded =
            scale * (double)(time[timed->end] - timed->rest - time[timed->begin] - timed->lead);
        calls[count++].replayed[reach] = (double)(readings[2 * i + 1] - readings[2 * i]);
    }
    return count;
}

ORDER_BY(compare_call_paths, struct call_times, ASCENDING(path))

/* The distance of two distributions: the mean distance of their deciles up to the seventh. The
 * higher ones are long waits, which say little about the caches. */
static double decile_distance(const double *recorded, const double *replayed, size_t count)
{
    double sum = 0;
    enum { LAST_DECILE = 7 };
    for (size_t decile = 1; decile <= LAST_DECILE; decile++)
        sum += fabs(recorded[count * decile / 10] - replayed[count * decile / 10]);
    return sum / LAST_DECILE;
}

/* Sets distances[reach] for the calls of one call path. `room` has 2 * count values. */
static void compare_reaches(const struct call_times *calls, size_t count, double *room,
                            double *distances)
{
    double *recorded = room, *replayed = room + count;
    for (size_t i = 0; i < count; i++)
        recorded[i] = calls[i].recorded;
    qsort(recorded, count, sizeof *recorded, order_double);
    for (int reach = 0; reach < REACH_COUNT; reach++) {
        for (size_t i = 0; i < count; i++)
            replayed[i] = calls[i].replayed[reach];
        qsort(replayed, count, sizeof *replayed, order_double);
        distances[reach] = decile_distance(recorded, replayed, count);
    }
}

static uint8_t best_reach(const double *distances)
{
    uint8_t best = 0;
    for (uint8_t reach = 1; reach < REACH_COUNT; reach++)
        if (distances[reach] < distances[best])
            best = reach;
    return best;
}

/* Call paths with few calls get the reach that is best for all calls of the rank. */
static void choose_reaches(struct call_times *calls, size_t count, double *room,
                           struct tuning *tuning)
{
    double all[REACH_COUNT] = {0}, distances[REACH_COUNT];
    qsort(calls, count, sizeof *calls, compare_call_paths);
    memset(tuning->reach, UINT8_MAX, tuning->path_count);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && calls[end].path == calls[first].path;)
            end++;
        if (end - first < FEW_CALLS)
            continue;
        compare_reaches(calls + first, end - first, room, distances);
        for (int reach = 0; reach < REACH_COUNT; reach++)
            all[reach] += distances[reach] * (double)(end - first);
        if (calls[first].path < tuning->path_count)
            tuning->reach[calls[first].path] = best_reach(distances);
    }
    tuning->otherwise = best_reach(all);
    for (uint32_t path = 0; path < tuning->path_count; path++)
        if (tuning->reach[path] == UINT8_MAX)
            tuning->reach[path] = tuning->otherwise;
}

static void apply_reach(const struct tuning *tuning, struct replay_program *program)
{
    for (size_t i = 0; i < program->timed_calls.count; i++) {
        const struct timed_call *timed = &program->timed_calls.items[i];
        program->ops.items[timed->op].reach =
            timed->path < tuning->path_count ? tuning->reach[timed->path] : tuning->otherwise;
    }
}

static void announce_trials(const struct realtime *state)
{
    const double trial_s = trial_part_seconds(state);
    const int trials = REACH_COUNT + shortfall_trials(trial_s);
    progress_announce(state->trace->path, trials, "trial", trials * trial_s,
                      state->trace->processes->per_core);
}

/* The four arrays of a shortfall are one block, which begins with `before`. */
enum { SHORTFALLS = 4 };

static bool allocate_tuning(struct tuning *tuning, uint32_t path_count)
{
    struct shortfall *shortfall = &tuning->shortfall;
    size_t groups = (size_t)path_count * CALL_SIZES;
    int64_t *block = calloc(SHORTFALLS * groups + 1, sizeof *block);
    tuning->path_count = path_count;
    tuning->reach = calloc((size_t)path_count + 1, sizeof *tuning->reach);
    shortfall->before = block;
    if (!block || !tuning->reach)
        return false;
    shortfall->after = block + groups;
    shortfall->excess_before = block + 2 * groups;
    shortfall->excess_after = block + 3 * groups;
    return true;
}

static size_t shortfalls_size(const struct tuning *tuning)
{
    return SHORTFALLS * CALL_SIZES * (size_t)tuning->path_count * sizeof *tuning->shortfall.before;
}

enum status tuning_measure(struct realtime *state, struct tuning *tuning, struct error *error)
{
    assert(!tuning->reach);
    size_t count = state->program.timed_calls.count, taken = 0;
    double scale =
        state->clock.ticks_per_second / (double)state->trace->definitions->ticks_per_second;
    struct call_times *calls = calloc(count + 1, sizeof *calls);
    double *room = calloc(2 * count + 1, sizeof *room);
    bool fits =
        allocate_tuning(tuning, (uint32_t)state->trace->calltree.paths.count) && calls && room;
    enum status status = processes_agree(
        state->trace->processes, fits ? STATUS_OK : error_memory(error, "tuning a replay"), error);
    if (status == STATUS_OK)
        status =
            trial_part_find(state->trace, &state->program, scale, &state->executor.skip, error);
    if (status == STATUS_OK)
        announce_trials(state);
    progress_begin("tuning the memory traffic", "trials", REACH_COUNT);
    for (int reach = 0; reach < REACH_COUNT && status == STATUS_OK; reach++) {
        struct timeline timeline;
        set_reach_of_all(&state->program, (uint8_t)reach);
        status = realtime_run_once(state, &timeline, error);
        if (status == STATUS_OK)
            taken = take_durations(state, reach, calls);
        progress_add(1); /* between two trials */
    }
    progress_end();
    if (status == STATUS_OK) {
        choose_reaches(calls, taken, room, tuning);
        apply_reach(tuning, &state->program);
        status = shortfall_measure(state, error);
    }
    memset(&state->executor.skip, 0, sizeof state->executor.skip);
    free(calls);
    free(room);
    return status;
}

enum status tuning_copy(const struct tuning *from, struct tuning *to, struct error *error)
{
    assert(from != to);
    if (!allocate_tuning(to, from->path_count))
        return error_memory(error, "tuning a replay");
    memcpy(to->reach, from->reach, from->path_count);
    memcpy(to->shortfall.before, from->shortfall.before, shortfalls_size(from));
    to->shortfall.synchronous_from = from->shortfall.synchronous_from;
    to->otherwise = from->otherwise;
    to->error_unfitted = from->error_unfitted;
    to->error_fitted = from->error_fitted;
    return STATUS_OK;
}

enum status tuning_move(const struct moved *moved, struct tuning *tuning, struct error *error)
{
    enum status status = moved_exchange(moved, tuning->reach, tuning->path_count, error);
    if (status == STATUS_OK)
        status = moved_exchange(moved, tuning->shortfall.before, shortfalls_size(tuning), error);
    if (status == STATUS_OK)
        status = moved_exchange(moved, &tuning->otherwise, sizeof tuning->otherwise, error);
    return status;
}

void tuning_clear(struct tuning *tuning)
{
    free(tuning->reach);
    free(tuning->shortfall.before);
    memset(tuning, 0, sizeof *tuning);
}

void tuning_apply(struct tuning *tuning, const struct stream *stream, double ticks_scale,
                  struct replay_program *program)
{
    apply_reach(tuning, program);
    tuning->fitted =
        shortfall_apply(&tuning->shortfall, tuning->path_count, stream, ticks_scale, program);
}
