#include "replay/realtime/realtime.h"

#include "base/log.h"
#include "base/mpi/start.h"
#include "base/plural.h"
#include "replay/realtime/realtime_errors.h"
#include "replay/realtime/realtime_private.h"
#include "replay/realtime/tuning.h"
#include "trace/spawned.h"
#include "trace/threads.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes for MPI_Buffer_attach: without a limit of buffers; and the part of the limit, as divisor.
 */
static const uint64_t BSEND_SPACE = 256ull << 20;
enum { BSEND_DIVISOR = 4 };

static const struct realtime_options realtime_defaults = {.timeout_s = 60};

static const char *const orders[] = {"recorded", "free", NULL};
static const char *const fills[] = {"spin", "stream", NULL};

static const struct ini_key realtime_keys[] = {
    INI_KEY(realtime_options, oversubscribe, BOOL),
    INI_KEY_AT("timeout", realtime_options, timeout_s, DURATION),
    INI_KEY(realtime_options, buffer_limit, BYTES),
    INI_KEY_AT("wildcards", realtime_options, free_wildcards, CHOICE, .choices = orders),
    INI_KEY_AT("tune", realtime_options, untuned, NOT),
    INI_KEY_AT("correct_noise", realtime_options, keep_noise, NOT),
    INI_KEY_AT("fill", realtime_options, stream, CHOICE, .choices = fills),
    INI_KEY(realtime_options, stream_rate, BYTES),
    INI_KEYS_END,
};

static enum status check_replay_section(const struct ini *ini, const void *memory,
                                        struct error *error)
{
    const struct realtime_options *options = memory;
    const struct ini_section *section = ini_find_section(ini, "replay");
    if (options->timeout_s <= 0)
        return ini_error(error, ini, ini_line_of(section, "timeout"),
                         "timeout = 0: expected the time after which a replay without progress "
                         "is aborted");
    if (!options->stream && options->stream_rate > 0)
        return ini_error(error, ini, ini_line_of(section, "stream_rate"),
                         "stream_rate is for fill = stream only");
    return STATUS_OK;
}

static enum status check_process_count(const struct trace *trace, struct error *error)
{
    const uint32_t needed = mpi_process_count(trace->definitions);
    if ((uint32_t)trace->processes->size == needed)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE,
                     "%s has %u rank%s, so the real-time engine needs %u process%s, not %d: start "
                     "it with -np %u",
                     trace->path ? trace->path : "the trace", needed, plural(needed), needed,
                     needed == 1 ? "" : "es", trace->processes->size, needed);
}

/* All processes of a host use the same clock in the same way. */
static void open_clock(struct realtime *state)
{
    clock_open(&state->clock);
    MPI_Bcast(&state->clock, sizeof state->clock, MPI_BYTE, 0, state->placement.host);
}

/* The cost of MPI_Finalize after the last arrival is its duration on the rank that arrived last,
 * the shortest of all ranks. That does not depend on how a hypothesis has shifted the ranks. */
static void find_finalize_rest(const struct trace *trace, struct compile_input *input)
{
    const struct stream *stream = &trace->streams[0]; /* the master thread's */
    uint32_t row = stream_finalize_row(trace, stream);
    int64_t shortest = row == INDEX_NONE
                           ? -1
                           : (int64_t)(stream->time[region_leave(stream, row)] - stream->time[row]);
    processes_min(trace->processes, &shortest, 1);
    input->finalizes = shortest >= 0;
    input->finalize_rest = input->finalizes ? (uint64_t)shortest : 0;
}

/* Upper limit of bytes for MPI_Buffer_attach, which takes an int. */
static uint64_t bsend_space(uint64_t buffer_limit)
{
    uint64_t space = buffer_limit ? buffer_limit / BSEND_DIVISOR : BSEND_SPACE;
    return space < INT_MAX ? space : INT_MAX;
}

/* Compiles the programs of all ranks of this process. */
static enum status compile_ranks(struct realtime *state, struct compile_input *input,
                                 struct collective_calls *calls, struct error *error)
{
    uint64_t attached;
    input->trace = calls->trace = &state->first;
    enum status status =
        program_compile(input, calls, &state->program, &state->attached_size, error);
    for (uint32_t i = 0; i < state->thread_count && status == STATUS_OK; i++) {
        struct rank_thread *thread = &state->threads[i];
        input->trace = calls->trace = &thread->trace;
        state->buffers.salt = map_mix(thread->number);
        state->windows.thread = thread->number;
        status = program_compile(input, calls, &thread->program, &attached, error);
        state->attached_size += attached;
    }
    if (status == STATUS_OK && (!windows_find_locks(&state->windows) ||
                                (state->thread_count > 0 &&
                                 !windows_order_calls(&state->windows, state->thread_count + 1))))
        status = error_memory(error, "the one-sided calls of a replay");
    return status;
}

static void place_buffers(struct realtime *state, struct collective_calls *calls)
{
    program_place_calls(calls, &state->buffers);
    program_place_buffers(&state->program, &state->buffers);
    for (uint32_t i = 0; i < state->thread_count; i++)
        program_place_buffers(&state->threads[i].program, &state->buffers);
}

/* Compiles the program, then allocates its memory. */
static enum status build_program(struct realtime *state, struct approximations *approximations,
                                 struct error *error)
{
    const struct trace *trace = state->trace;
    struct collective_agreement agreement = {0};
    enum status status = agreement_make(trace, &state->communicators, &agreement, error);
    if (status != STATUS_OK)
        goto clear_agreement;
    struct collective_calls calls = {
        .trace = trace,
        .communicators = &state->communicators,
        .agreement = &agreement,
        .buffers = &state->buffers,
        .datatypes = &state->datatypes,
        .rebuilt = &state->rebuilt,
        .approximations = approximations,
        .windows = &state->windows,
        .arena = state->calls_arena,
    };
    struct compile_input input = {
        .trace = trace,
        .ticks_scale = state->clock.ticks_per_second / (double)trace->definitions->ticks_per_second,
        .poll_gap_s = state->poll_gap_s,
        .bsend_space = bsend_space(state->options.buffer_limit),
        .crowded = state->placement.crowded,
        .wildcards = &state->wildcards,
    };
    find_finalize_rest(trace, &input);
    buffers_open(&state->buffers, state->options.buffer_limit);
    status = compile_ranks(state, &input, &calls, error);
    if (status == STATUS_OK)
        status = buffers_allocate(&state->buffers, state->options.buffer_limit, error);
    if (status == STATUS_OK)
        place_buffers(state, &calls);
    if (status == STATUS_OK && state->attached_size > 0) {
        state->attached = malloc(state->attached_size);
        if (!state->attached)
            status = error_memory(error, "the buffer of MPI_Bsend");
        else
            memset(state->attached, 1, state->attached_size);
    }
    collective_calls_clear(&calls);
    status = processes_agree(trace->processes, status, error);

clear_agreement:
    agreement_clear(&agreement);
    return status;
}

/* Collective. Returns one line for each approximation that occurs on any rank, "" if none does.
 * Free it; NULL if out of memory. */
static char *format_approximations(const struct approximations *approximations,
                                   const struct trace *trace)
{
    static const char *const texts[APPROXIMATION_COUNT] = {
#define X(identifier, text) [APPROXIMATION_##identifier] = text,
        APPROXIMATIONS(X)
#undef X
    };
    struct approximations all = *approximations;
    all.counts[APPROXIMATION_THREADS] = trace->definitions->threads ? trace->owned_count : 0;
    all.counts[APPROXIMATION_SPAWNED] = 0;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        all.counts[APPROXIMATION_SPAWNED] +=
            spawned_creator(trace->definitions, trace->first_rank + i) != INDEX_NONE;
    processes_sum(trace->processes, all.counts, APPROXIMATION_COUNT);
    char *lines = NULL;
    size_t size;
    FILE *stream = open_memstream(&lines, &size);
    if (!stream)
        return NULL;
    for (int i = 0; i < APPROXIMATION_COUNT; i++)
        if (all.counts[i] > 0)
            fprintf(stream, "%lld %s\n", (long long)all.counts[i], texts[i]);
    if (fclose(stream) != 0) {
        free(lines);
        return NULL;
    }
    return lines;
}

/* Collective. Sets the part of the ranks' time by which the trials have changed calls. */
static void find_fitted(const struct realtime *state, struct engine_facts *facts)
{
    const struct trace *trace = state->trace;
    int64_t sums[] = {(int64_t)state->tuning.fitted, (int64_t)state->tuning.error_unfitted,
                      (int64_t)state->tuning.error_fitted};
    const double time = (double)(trace->end - trace->begin) * trace->rank_count;
    processes_sum(trace->processes, sums, 3);
    facts->fits = state->tuning.path_count > 0;
    facts->fitted = time > 0 ? (double)sums[0] / time : 0;
    facts->error_unfitted = time > 0 ? (double)sums[1] / time : 0;
    facts->error_fitted = time > 0 ? (double)sums[2] / time : 0;
}

/* Called for a changed trace: in an unchanged one they begin when they began. */
static void warn_of_spawned(const struct trace *trace)
{
    if (spawned_world_count(trace->definitions) > 1)
        log_warning("ranks that MPI_Comm_spawn has started begin at their recorded times, also if "
                    "the change moves the call that starts them; silas-model moves them");
}

static enum status describe_replay(const struct realtime *state,
                                   const struct approximations *approximations,
                                   struct engine_facts *facts, struct error *error)
{
    facts->trustworthy = !state->placement.crowded;
    facts->reason = state->placement.crowded
                        ? "there are more ranks than cores, so the ranks disturb each other"
                        : NULL;
    facts->correctable = !state->keeps_noise && !state->trace->definitions->threads;
    facts->free_wildcards = state->options.free_wildcards;
    find_fitted(state, facts);
    facts->approximations = format_approximations(approximations, state->trace);
    if (state->placement.crowded && !state->options.oversubscribe)
        log_warning("there are more ranks than cores: the ranks sleep instead of spinning, and the "
                    "times are NOT TRUSTWORTHY (oversubscribe = yes silences this warning)");
    return processes_agree_memory(state->trace->processes, facts->approximations,
                                  "the facts of a replay", error);
}

static void realtime_release(void *opaque)
{
    struct realtime *state = opaque;
    if (!state)
        return;
    watchdog_close(state->watchdog);
    executor_close(&state->executor);
    threads_close(state);
    working_set_close(&state->working_set);
    stream_fill_close(&state->stream);
    tuning_clear(&state->tuning);
    wildcard_log_close(&state->wildcard_log);
    program_clear(&state->program);
    windows_close(&state->windows);
    buffers_close(&state->buffers);
    datatypes_clear(&state->datatypes);
    rebuilt_types_clear(&state->rebuilt);
    arena_destroy(state->calls_arena);
    wildcards_close(&state->wildcards);
    communicators_release(&state->communicators);
    if (state->handler != MPI_ERRHANDLER_NULL)
        MPI_Errhandler_free(&state->handler);
    placement_close(&state->placement);
    moved_close(state->moved);
    free(state->attached);
    free(state);
}

/* Tunes the program by trial replays. A replay of the changed trace uses the result of `tuned`, the
 * replay of the unchanged one. */
static enum status tune_program(struct realtime *state, const struct realtime *tuned,
                                struct error *error)
{
    const struct trace *trace = state->trace;
    if (state->placement.crowded || state->options.untuned || trace->definitions->threads)
        return STATUS_OK;
    if (!tuned)
        return tuning_measure(state, &state->tuning, error);
    enum status status = processes_agree(trace->processes,
                                         tuning_copy(&tuned->tuning, &state->tuning, error), error);
    if (status == STATUS_OK && state->moved)
        status = tuning_move(state->moved, &state->tuning, error);
    if (status == STATUS_OK)
        tuning_apply(&state->tuning, trace_stream(trace, (uint32_t)trace->processes->rank),
                     state->clock.ticks_per_second / (double)trace->definitions->ticks_per_second,
                     &state->program);
    return status;
}

/* For fill = stream. Computation streams at the same rate in all call paths, so nothing is tuned.
 */
static enum status open_stream_fill(struct realtime *state, struct error *error)
{
    if (state->placement.crowded) {
        log_warning("fill = stream is ignored, because ranks share cores and sleep instead");
        return STATUS_OK;
    }
    state->executor.stream = &state->stream;
    return stream_fill_open(&state->stream, state->trace->processes, &state->clock,
                            state->placement.cache_bytes, state->options.stream_rate, error);
}

/* Collective. Opens what a program needs: cores, threads, communicators, windows. */
static enum status open_environment(struct realtime *state, const struct trace *trace,
                                    struct error *error)
{
    enum status status =
        placement_open(trace->processes, (int)trace->owned_count, &state->placement, error);
    if (status == STATUS_OK)
        status = moved_open(trace, &state->moved, error);
    if (status != STATUS_OK)
        return status;
    state->trace = trace = state->moved ? state->moved->trace : trace;
    state->first = trace_of_rank(trace, 0);
    status = processes_agree_memory(trace->processes, threads_open(state), "a replay", error);
    if (status != STATUS_OK)
        return status;
    open_clock(state);
    state->rebuilt = (struct rebuilt_types){
        .definitions = trace->definitions,
        .ticks_scale = state->clock.ticks_per_second / (double)trace->definitions->ticks_per_second,
        .clock = &state->clock};
    errors_open_comms(&state->handler);
    status = communicators_create(trace, state->handler, &state->communicators, error);
    if (status == STATUS_OK && state->options.free_wildcards)
        status = wildcards_open(trace, &state->communicators, &state->wildcards, error);
    if (status == STATUS_OK)
        status = windows_open(trace, &state->rebuilt, state->calls_arena, &state->windows, error);
    if (status == STATUS_OK)
        errors_open_windows(&state->windows.handler);
    return status;
}

/* Collective. Fails on all processes if `status` is a failure on any. */
static enum status open_watchdog(struct realtime *state, enum status status, struct error *error)
{
    const uint32_t count = state->thread_count + 1;
    struct executor **executors = malloc(count * sizeof(struct executor *));
    if (status == STATUS_OK && !executors)
        status = error_memory(error, "the watchdog");
    status = processes_agree(state->trace->processes, status, error);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        executors[i] = i == 0 ? &state->executor : &state->threads[i - 1].executor;
    if (status == STATUS_OK)
        status = watchdog_open(state->trace, &state->placement, executors, count,
                               state->options.timeout_s, &state->watchdog, error);
    free(executors);
    return status;
}

/* Collective. Opens the executors and the watchdog. */
static enum status open_executor(struct realtime *state, struct error *error)
{
    const struct placement *placement = &state->placement;
    enum status status =
        executor_open(&state->executor, &state->program, &state->clock, placement->crowded, error);
    if (status == STATUS_OK)
        status = wildcard_log_open(&state->wildcard_log, &state->program, error);
    if (state->wildcard_log.slots)
        state->executor.wildcards = &state->wildcard_log;
    state->executor.windows = &state->windows;
    if (status == STATUS_OK && !placement->crowded) {
        status = working_set_open(&state->working_set, placement->cache_bytes,
                                  placement->cache_sharers, error);
        state->executor.working_set = &state->working_set;
    }
    for (uint32_t i = 0; i < state->thread_count && status == STATUS_OK; i++) {
        struct rank_thread *thread = &state->threads[i];
        status = executor_open(&thread->executor, &thread->program, &state->clock,
                               placement->crowded, error);
        thread->executor.windows = &state->windows;
    }
    threads_link(state, state->clock.ticks_per_second /
                            (double)state->trace->definitions->ticks_per_second);
    return processes_agree(state->trace->processes, open_watchdog(state, status, error), error);
}

static enum status realtime_prepare(const struct trace *trace, const struct engine_setup *setup,
                                    void **opaque, struct engine_facts *facts, struct error *error)
{
    struct approximations approximations = {0};
    *opaque = NULL;
    memset(facts, 0, sizeof *facts);
    enum status status = check_process_count(trace, error);
    if (status == STATUS_OK && trace->processes->size == 1)
        status = mpi_start_alone(trace->processes, error);
    struct realtime *state = calloc(1, sizeof *state);
    struct arena *arena = arena_create();
    if (status == STATUS_OK && (!state || !arena))
        status = error_memory(error, "a replay");
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK) {
        arena_destroy(arena);
        free(state);
        return status;
    }
    state->options =
        setup->options ? *(const struct realtime_options *)setup->options : realtime_defaults;
    state->poll_gap_s = setup->poll_gap_s;
    /* With free wildcards, messages may have gone to other receives than in the equations. */
    state->keeps_noise = state->options.keep_noise || state->options.free_wildcards;
    state->handler = MPI_ERRHANDLER_NULL;
    state->calls_arena = arena;
    status = threads_check(trace, &state->options, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = open_environment(state, trace, error);
    if (status == STATUS_OK)
        status = build_program(state, &approximations, error);
    if (status == STATUS_OK)
        status = open_executor(state, error);
    if (status == STATUS_OK)
        status = state->options.stream ? open_stream_fill(state, error)
                                       : tune_program(state, setup->original, error);
    if (status == STATUS_OK)
        status = describe_replay(state, &approximations, facts, error);
    if (status == STATUS_OK && setup->original)
        warn_of_spawned(trace);
    if (status == STATUS_OK) {
        *opaque = state;
    } else {
        realtime_release(state);
        free(facts->approximations);
        facts->approximations = NULL;
    }
    return status;
}

const struct engine engine_realtime = {
    .name = "realtime",
    .description = "spins for each computation and makes every MPI call on this machine",
    .replay_keys = realtime_keys,
    .options_size = sizeof(struct realtime_options),
    .default_options = &realtime_defaults,
    .check_options = check_replay_section,
    .prepare = realtime_prepare,
    .run = realtime_run,
    .release = realtime_release,
};
