#include "replay/realtime/realtime.h"

#include "base/log.h"
#include "base/plural.h"
#include "replay/realtime/realtime_errors.h"
#include "replay/realtime/realtime_private.h"
#include "replay/realtime/tuning.h"
#include "trace/threads.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t BSEND_SPACE = 256ull << 20;

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

static enum status check_options(const struct ini *ini, const void *memory, struct error *error)
{
    const struct realtime_options *options = memory;
    const struct ini_section *section = ini_find_section(ini, "replay");
    if (options->timeout_s <= 0)
        return ini_error(error, ini, ini_line_of(section, "timeout"),
                         "timeout = 0: expected a time after which a replay without progress "
                         "is ended");
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

/* All processes of a host read the same clock the same way. */
static void open_clock(struct realtime *state)
{
    clock_open(&state->clock);
    MPI_Bcast(&state->clock, sizeof state->clock, MPI_BYTE, 0, state->placement.host);
}

/* The cost of MPI_Finalize after the last arrival is its duration on the rank that arrived last:
 * the shortest of all, however a transformation has moved the ranks against each other. */
static void look_at_finalize(const struct trace *trace, struct compile_input *input)
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
    uint64_t space = buffer_limit ? buffer_limit / 4 : BSEND_SPACE;
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
    for (uint32_t i = 0; i < state->lane_count && status == STATUS_OK; i++) {
        struct thread_lane *lane = &state->lanes[i];
        input->trace = calls->trace = &lane->trace;
        state->buffers.salt = map_mix(lane->number);
        status = program_compile(input, calls, &lane->program, &attached, error);
        state->attached_size += attached;
    }
    return status;
}

static void place_buffers(struct realtime *state, struct collective_calls *calls)
{
    program_place_calls(calls, &state->buffers);
    program_place_buffers(&state->program, &state->buffers);
    for (uint32_t i = 0; i < state->lane_count; i++)
        program_place_buffers(&state->lanes[i].program, &state->buffers);
}

/* Compiles the program, then allocates what it needs. */
static enum status build_program(struct realtime *state, struct approximations *approximations,
                                 struct error *error)
{
    const struct trace *trace = state->trace;
    struct agreement agreement = {0};
    enum status status = agreement_make(trace, &state->communicators, &agreement, error);
    if (status != STATUS_OK)
        goto clear_agreement;
    struct collective_calls calls = {
        .trace = trace,
        .communicators = &state->communicators,
        .agreement = &agreement,
        .buffers = &state->buffers,
        .datatypes = &state->datatypes,
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
    look_at_finalize(trace, &input);
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

/* Collective. One line for each approximation that occurs on any rank, "" if none does; NULL when
 * memory is out (free it). */
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

/* Collective. How much of the ranks' time the trials have fitted. */
static void find_fitted(const struct realtime *state, struct engine_facts *facts)
{
    const struct trace *trace = state->trace;
    int64_t fitted = (int64_t)state->tuning.fitted;
    double time = (double)(trace->end - trace->begin) * trace->rank_count;
    processes_sum(trace->processes, &fitted, 1);
    facts->fits = state->tuning.path_count > 0;
    facts->fitted = time > 0 ? (double)fitted / time : 0;
}

static enum status build_facts(const struct realtime *state,
                               const struct approximations *approximations,
                               struct engine_facts *facts, struct error *error)
{
    facts->trustworthy = !state->placement.crowded;
    facts->reason = state->placement.crowded
                        ? "there are more ranks than cores, so the ranks disturb each other"
                        : NULL;
    facts->correctable = !state->keeps_noise && !state->trace->definitions->threads;
    facts->free_wildcards = state->options.free_wildcards;
    facts->timer_ns = state->clock.read_ns;
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

/* Trial replays tune the program; a replay of its changed trace takes over their result. */
static enum status tune(struct realtime *state, const struct realtime *tuned, struct error *error)
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

/* Computation streams at the same rate in all call paths: there is nothing to tune. */
static enum status stream(struct realtime *state, struct error *error)
{
    if (state->placement.crowded) {
        log_warning("fill = stream is of no use where ranks share cores: they sleep instead");
        return STATUS_OK;
    }
    state->executor.stream = &state->stream;
    return stream_fill_open(&state->stream, state->trace->processes, &state->clock,
                            state->placement.cache_bytes, state->options.stream_rate, error);
}

/* Collective. Opens what a program stands on: cores, events, communicators, windows. */
static enum status open_surroundings(struct realtime *state, const struct trace *trace,
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
    errors_open_comms(&state->handler);
    status = communicators_create(trace, state->handler, &state->communicators, error);
    if (status == STATUS_OK && state->options.free_wildcards)
        status = wildcards_open(trace, &state->communicators, &state->wildcards, error);
    if (status == STATUS_OK)
        status = windows_open(trace, state->calls_arena, &state->windows, error);
    if (status == STATUS_OK)
        errors_open_windows(&state->windows.handler);
    return status;
}

/* Collective unless a process fails before. */
static enum status watch(struct realtime *state, enum status status, struct error *error)
{
    const uint32_t count = state->lane_count + 1;
    struct executor **executors = malloc(count * sizeof(struct executor *));
    if (status == STATUS_OK && !executors)
        status = error_memory(error, "the watchdog");
    status = processes_agree(state->trace->processes, status, error);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        executors[i] = i == 0 ? &state->executor : &state->lanes[i - 1].executor;
    if (status == STATUS_OK)
        status = watchdog_open(state->trace, &state->placement, executors, count,
                               state->options.timeout_s, &state->watchdog, error);
    free(executors);
    return status;
}

/* Collective. Opens what runs the program. */
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
    for (uint32_t i = 0; i < state->lane_count && status == STATUS_OK; i++) {
        struct thread_lane *lane = &state->lanes[i];
        status = executor_open(&lane->executor, &lane->program, &state->clock, placement->crowded,
                               error);
        lane->executor.windows = &state->windows;
    }
    threads_link(state, state->clock.ticks_per_second /
                            (double)state->trace->definitions->ticks_per_second);
    return processes_agree(state->trace->processes, watch(state, status, error), error);
}

static enum status realtime_prepare(const struct trace *trace, const struct engine_setup *setup,
                                    void **opaque, struct engine_facts *facts, struct error *error)
{
    struct approximations approximations = {0};
    *opaque = NULL;
    memset(facts, 0, sizeof *facts);
    enum status status = check_process_count(trace, error);
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
    /* With free wildcards messages may have taken other ways than in the equations. */
    state->keeps_noise = state->options.keep_noise || state->options.free_wildcards;
    state->handler = MPI_ERRHANDLER_NULL;
    state->calls_arena = arena;
    status = threads_check(trace, &state->options, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = open_surroundings(state, trace, error);
    if (status == STATUS_OK)
        status = build_program(state, &approximations, error);
    if (status == STATUS_OK)
        status = open_executor(state, error);
    if (status == STATUS_OK)
        status = state->options.stream ? stream(state, error) : tune(state, setup->original, error);
    if (status == STATUS_OK)
        status = build_facts(state, &approximations, facts, error);
    if (status == STATUS_OK)
        *opaque = state;
    else
        realtime_release(state);
    return status;
}

const struct engine engine_realtime = {
    .name = "realtime",
    .description = "spins for each computation and makes every MPI call on this machine",
    .replay_keys = realtime_keys,
    .options_size = sizeof(struct realtime_options),
    .default_options = &realtime_defaults,
    .check_options = check_options,
    .prepare = realtime_prepare,
    .run = realtime_run,
    .release = realtime_release,
};
