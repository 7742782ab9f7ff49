#include "replay/memory/memory.h"

#include "replay/memory/estimate.h"
#include "replay/model/model.h"
#include "replay/model/share.h"
#include "trace/load/load.h"
#include "transform/rewrite.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct memory, with the parts that the header does not show. */
struct memory_state {
    struct memory memory; /* first */
    const struct memory_config *config;
    const struct trace *recording;
    struct memory_sharing sharing;
    struct memory_class *classes;
    struct share_estimate *estimates; /* [section] */
    struct shared_pieces pieces;      /* of the recording, with their work */
    int64_t *alone;                   /* [piece]: the work in whole ticks */
};

/* The pieces of a rank, and their new lengths. */
struct new_lengths {
    const struct trace *trace;
    const struct sharing *sharing;
    const struct piece *pieces;
    const int64_t *lengths;
    size_t count;
    const struct stream *rank;
    const uint64_t *times; /* of the rank's rows: new */
};

/* What a thread computes in a class becomes longer as the rank's piece does at that time. */
static enum status write_thread(const struct new_lengths *new, const struct stream *thread,
                                uint64_t *times, struct error *error)
{
    const size_t bytes = thread->count * sizeof *times;
    uint64_t *warped = malloc(bytes + 1);
    uint32_t path = CALLPATH_NONE;
    if (!warped)
        return error_memory(error, "the shares of bandwidth");
    memcpy(warped, thread->time, bytes);
    warp_times(new->rank->time, new->times, new->rank->count, warped, thread->count);
    for (uint32_t row = 0; row < thread->count; row++) {
        const bool shares = path != CALLPATH_NONE &&
                            path<new->sharing->path_count &&new->sharing->thread_class_of[path]> 0;
        const uint64_t *from = shares ? warped : thread->time;
        times[row] = row == 0 ? from[0] : times[row - 1] + (from[row] - from[row - 1]);
        path = callpath_after(&new->trace->calltree, thread, row, path);
    }
    free(warped);
    return STATUS_OK;
}

/* `rewrite_threads` writes the times of the rank first. */
static enum status write_with_lengths(void *data, const struct stream *stream, uint64_t *times,
                                      struct error *error)
{
    struct new_lengths *new = data;
    size_t p = 0;
    if (stream != new->rank)
        return write_thread(new, stream, times, error);
    new->times = times;
    for (uint32_t row = 0; row < stream->count; row++) {
        const struct piece *piece = p < new->count ? &new->pieces[p] : NULL;
        if (row == 0) {
            times[0] = stream->time[0];
        } else if (!piece || row <= piece->first) {
            times[row] = times[row - 1] + (stream->time[row] - stream->time[row - 1]);
        } else {
            uint64_t begin = stream->time[piece->first], old = stream->time[piece->last] - begin;
            uint64_t passed = stream->time[row] - begin, length = (uint64_t) new->lengths[p];
            times[row] = times[piece->first] +
                         (uint64_t)(((unsigned __int128)passed * length + old / 2) / old);
        }
        if (piece && row == piece->last)
            p++;
    }
    return STATUS_OK;
}

/* Collective. Changes the lengths of all pieces of a trace. */
static enum status set_lengths(struct trace *trace, const struct sharing *sharing,
                               const int64_t *lengths, struct error *error)
{
    enum status status = STATUS_OK;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        struct pieces found = {0};
        if (pieces_find(trace, &trace->streams[s], sharing, &found)) {
            struct new_lengths new = {.trace = trace,
                                      .sharing = sharing,
                                      .pieces = found.list.items,
                                      .lengths = lengths,
                                      .count = found.list.count,
                                      .rank = &trace->streams[s]};
            status = (sharing->thread_class_of ? rewrite_threads : rewrite_stream)(
                trace, &trace->streams[s], write_with_lengths, &new, error);
        } else {
            status = error_memory(error, "the shares of bandwidth");
        }
        lengths += found.list.count;
        free(found.list.items);
    }
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        trace_update_span(trace);
    return status;
}

/* Collective. Estimates one share from another recording of the program. */
static enum status estimate_from(const char *path, struct memory_state *state, size_t c,
                                 const bool *wanted, struct error *error)
{
    const struct memory_config *config = state->config;
    struct processes *processes = state->recording->processes;
    struct memory_sharing sharing = {0};
    struct trace *trace = NULL;
    enum status status = trace_load(path, processes, &trace, error);
    if (status == STATUS_OK) {
        status = memory_sharing_make(config, trace, &sharing, error);
        status = processes_agree(processes, status, error);
    }
    if (status == STATUS_OK) {
        for (size_t other = 0; other < config->count; other++)
            sharing.shares[other] = state->sharing.shares[other];
        status = memory_estimate(config, trace, wanted, &sharing, state->estimates, error);
        state->sharing.shares[c] = sharing.shares[c];
    }
    memory_sharing_clear(&sharing);
    trace_destroy(trace);
    return status;
}

/* Collective. Sets the shares that are to be estimated: first those from other recordings, one by
 * one, then those from this recording together. */
static enum status estimate_shares(struct memory_state *state, struct error *error)
{
    const struct memory_config *config = state->config;
    struct processes *processes = state->recording->processes;
    bool *wanted = calloc(config->count + 1, sizeof *wanted), any = false;
    enum status status =
        processes_agree_memory(processes, wanted != NULL, "the shares of bandwidth", error);
    for (size_t c = 0; c < config->count && status == STATUS_OK; c++) {
        const struct memory_section *section = &config->sections[c];
        if (!section->is_auto || !section->recording)
            continue;
        wanted[c] = true;
        status = estimate_from(section->recording, state, c, wanted, error);
        wanted[c] = false;
    }
    for (size_t c = 0; c < config->count && status == STATUS_OK; c++)
        any |= wanted[c] = config->sections[c].is_auto && !config->sections[c].recording;
    if (status == STATUS_OK && any)
        status = memory_estimate(config, state->recording, wanted, &state->sharing,
                                 state->estimates, error);
    free(wanted);
    for (size_t c = 0; c < config->count && status == STATUS_OK; c++)
        state->classes[c] = (struct memory_class){.section = config->sections[c].section,
                                                  .share = state->sharing.shares[c],
                                                  .estimated = config->sections[c].is_auto,
                                                  .estimate = state->estimates[c]};
    return status;
}

/* Collective. Finds how long each piece of the recording would have been without other ranks. */
static enum status find_work_alone(struct memory_state *state, struct error *error)
{
    const struct trace *recording = state->recording;
    struct shared_pieces *pieces = &state->pieces;
    enum status status = shared_pieces_make(recording, &state->sharing.sharing, pieces, error);
    if (status == STATUS_OK)
        status = shared_pieces_find_work(recording, &state->sharing.sharing, pieces, error);
    if (status != STATUS_OK)
        return status;
    size_t count = pieces->first[recording->owned_count];
    state->alone = malloc((count + 1) * sizeof *state->alone);
    for (size_t p = 0; state->alone && p < count; p++)
        state->alone[p] = llround(pieces->pieces[p].work);
    return processes_agree_memory(recording->processes, state->alone != NULL,
                                  "the shares of bandwidth", error);
}

static struct memory_state *allocate_memory_state(const struct memory_config *config,
                                                  const struct trace *recording)
{
    struct memory_state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    *state = (struct memory_state){
        .config = config,
        .recording = recording,
        .classes = calloc(config->count + 1, sizeof *state->classes),
        .estimates = calloc(config->count + 1, sizeof *state->estimates),
    };
    state->memory = (struct memory){.classes = state->classes, .class_count = config->count};
    return state;
}

enum status memory_open(const struct memory_config *config, const struct trace *recording,
                        struct memory **memory, struct error *error)
{
    const struct processes *processes = recording->processes;
    struct memory_state *state = allocate_memory_state(config, recording);
    assert(config->count > 0);
    *memory = NULL;
    enum status status = processes_agree_memory(
        processes, state && state->classes && state->estimates, "the shares of bandwidth", error);
    if (status == STATUS_OK) {
        status = memory_sharing_make(config, recording, &state->sharing, error);
        status = processes_agree(processes, status, error);
    }
    if (status == STATUS_OK)
        status = estimate_shares(state, error);
    if (status == STATUS_OK) {
        memory_sharing_set_threads(&state->sharing);
        status = find_work_alone(state, error);
    }
    if (status == STATUS_OK)
        *memory = &state->memory;
    else
        memory_close(state ? &state->memory : NULL);
    return status;
}

void memory_close(struct memory *memory)
{
    struct memory_state *state = (struct memory_state *)memory;
    if (!state)
        return;
    memory_sharing_clear(&state->sharing);
    shared_pieces_clear(&state->pieces);
    free(state->classes);
    free(state->estimates);
    free(state->alone);
    free(state);
}

/* The state of a hypothesis that precedes those of the user: every piece gets the length that it
 * would have without other ranks. */
struct alone_state {
    const struct ini_section *section; /* first, as in all states */
    const struct memory_state *memory;
    bool unshared; /* nothing shares bandwidth: the lengths stay */
};

static enum status alone_apply(const void *state, struct trace *trace,
                               struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    static const struct bandwidth_shares none;
    const struct alone_state *alone = state;
    const struct memory_state *memory = alone->memory;
    if (!memory->config->files)
        trace->bandwidth = alone->unshared ? &none : &memory->sharing.of_threads;
    if (alone->unshared)
        return STATUS_OK;
    return set_lengths(trace, &memory->sharing.sharing, memory->alone, error);
}

static const struct ini_key no_keys[] = {INI_KEYS_END};
static const struct hypothesis_kind alone_kind = {.name = "memory",
                                                  .description = "lengths without other ranks",
                                                  .keys = no_keys,
                                                  .state_size = sizeof(struct alone_state),
                                                  .apply = alone_apply};

/* Gives pieces that no hypothesis has changed their exact work, so that rounding does not change
 * their lengths. */
static void keep_exact_work(const struct memory_state *state, struct shared_pieces *pieces)
{
    const struct shared_pieces *recorded = &state->pieces;
    for (uint32_t s = 0; s < state->recording->owned_count; s++) {
        size_t count = pieces->first[s + 1] - pieces->first[s];
        if (count != recorded->first[s + 1] - recorded->first[s])
            continue;
        for (size_t i = 0; i < count; i++) {
            struct fluid_piece *piece = &pieces->pieces[pieces->first[s] + i];
            size_t before = recorded->first[s] + i;
            if (piece->length == state->alone[before])
                piece->work = recorded->pieces[before].work;
        }
    }
}

/* Collective. Gives all pieces of the changed trace the lengths that they have with the computation
 * of all other ranks. */
static enum status share_bandwidth(struct memory_state *state, const struct engine_setup *setup,
                                   struct trace *changed, struct error *error)
{
    static const struct model_options defaults;
    struct model_options options =
        setup->options ? *(const struct model_options *)setup->options : defaults;
    options.sharing = &state->sharing.sharing;
    const struct engine_setup sharing_setup = {.options = &options,
                                               .poll_gap_s = setup->poll_gap_s};
    struct engine_facts facts = {0};
    struct shared_pieces pieces = {0};
    int64_t *lengths = NULL;
    void *engine = NULL;
    enum status status = engine_model.prepare(changed, &sharing_setup, &engine, &facts, error);
    if (status != STATUS_OK)
        return status;
    status = shared_pieces_make(changed, options.sharing, &pieces, error);
    if (status == STATUS_OK) {
        lengths = calloc(pieces.first[changed->owned_count] + 1, sizeof *lengths);
        status = processes_agree_memory(changed->processes, lengths != NULL,
                                        "the shares of bandwidth", error);
    }
    if (status == STATUS_OK) {
        keep_exact_work(state, &pieces);
        status = model_share(engine_model.equations(engine), &pieces, lengths,
                             &state->memory.shared_s, error);
    }
    if (status == STATUS_OK)
        status = set_lengths(changed, options.sharing, lengths, error);
    free(lengths);
    free(facts.approximations);
    shared_pieces_clear(&pieces);
    engine_model.release(engine);
    return status;
}

/* Collective. Sets T by the model if all computation keeps its recorded length. */
static enum status predict_unshared(struct memory_state *state, const struct hypothesis *hypotheses,
                                    size_t count, const struct engine_setup *setup,
                                    struct error *error)
{
    struct trace *changed = NULL;
    struct engine_facts facts = {0};
    struct engine_run run = {0};
    void *engine = NULL;
    enum status status =
        hypotheses_apply(hypotheses, count, state->recording, &changed, NULL, error);
    if (status == STATUS_OK)
        status = engine_model.prepare(changed, setup, &engine, &facts, error);
    if (status == STATUS_OK) {
        status = engine_model.run(engine, NULL, NULL, &run, error);
        engine_model.release(engine);
    }
    state->memory.unshared_s = run.time_s;
    free(facts.approximations);
    trace_destroy(changed);
    return status;
}

enum status memory_apply(struct memory *memory, const struct hypothesis *hypotheses, size_t count,
                         const struct engine_setup *setup, struct trace **changed,
                         struct hypothesis_outcome *outcomes, struct error *error)
{
    assert(setup && changed);
    struct memory_state *state = (struct memory_state *)memory;
    const struct processes *processes = state->recording->processes;
    struct alone_state alone = {state->config->sections[0].section, state, .unshared = true};
    struct hypothesis *all = calloc(count + 1, sizeof *all);
    struct hypothesis_outcome *all_outcomes = calloc(count + 1, sizeof *all_outcomes);
    struct trace *fresh = NULL;
    enum status status =
        processes_agree_memory(processes, all && all_outcomes, "the shares of bandwidth", error);
    if (status == STATUS_OK)
        for (size_t i = 0; i <= count; i++)
            all[i] =
                i > 0 ? hypotheses[i - 1] : (struct hypothesis){&alone_kind, alone.section, &alone};
    if (status == STATUS_OK)
        status = predict_unshared(state, all, count + 1, setup, error);
    if (status == STATUS_OK) {
        alone.unshared = false;
        status = hypotheses_apply(all, count + 1, state->recording, &fresh, all_outcomes, error);
    }
    if (status == STATUS_OK) {
        for (size_t i = 0; outcomes && i < count; i++)
            outcomes[i] = all_outcomes[i + 1];
        status = share_bandwidth(state, setup, fresh, error);
        fresh->bandwidth = NULL; /* it belongs to the state */
        if (status == STATUS_OK)
            *changed = fresh;
        else
            trace_destroy(fresh);
    }
    free(all);
    free(all_outcomes);
    return status;
}

void memory_class_describe(const struct memory_class *class, char *text, size_t size)
{
    assert(size > 0);
    const struct share_estimate *estimate = &class->estimate;
    char title[100];
    section_title(class->section, title, sizeof title);
    if (!class->estimated)
        snprintf(text, size, "%s: share %.3g of the bandwidth, as given", title, class->share);
    else
        snprintf(text, size,
                 "%s: share %.3f of the bandwidth (%.3f .. %.3f), estimated from %llu visits; "
                 "durations of comparable visits differ by %.1f %%, without sharing by %.1f %%",
                 title, class->share, estimate->low, estimate->high,
                 (unsigned long long)estimate->visits, 100 * estimate->apart,
                 100 * estimate->apart_left);
}
