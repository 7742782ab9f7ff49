#include "replay/memory/memory_private.h"

#include "replay/model/model.h"
#include "replay/model/share.h"
#include "trace/load/load.h"
#include "transform/rewrite.h"

#include <math.h>
#include <stdlib.h>

/* With the parts that the header does not show. */
struct opened {
    struct memory memory; /* first */
    const struct memory_config *config;
    const struct trace *recording;
    struct memory_sharing sharing;
    struct memory_class *classes;
    struct shared_pieces pieces; /* of the recording, with their work */
    int64_t *alone;              /* [piece]: the work in whole ticks */
    struct ini_section *section; /* what stands for the first hypothesis in messages */
};

/* A stream's pieces, and what becomes of them. */
struct stretch {
    const struct piece *pieces;
    const int64_t *lengths;
    size_t count;
};

static enum status write_stretched(void *data, const struct stream *stream, uint64_t *times,
                                   struct error *error)
{
    (void)error;
    const struct stretch *stretch = data;
    size_t p = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        const struct piece *piece = p < stretch->count ? &stretch->pieces[p] : NULL;
        if (row == 0) {
            times[0] = stream->time[0];
        } else if (!piece || row <= piece->first) {
            times[row] = times[row - 1] + (stream->time[row] - stream->time[row - 1]);
        } else {
            uint64_t begin = stream->time[piece->first], old = stream->time[piece->last] - begin;
            uint64_t passed = stream->time[row] - begin, length = (uint64_t)stretch->lengths[p];
            times[row] = times[piece->first] +
                         (uint64_t)(((unsigned __int128)passed * length + old / 2) / old);
        }
        if (piece && row == piece->last)
            p++;
    }
    return STATUS_OK;
}

/* Collective. Gives all pieces of a trace other lengths. */
static enum status stretch_pieces(struct trace *trace, const struct sharing *sharing,
                                  const int64_t *lengths, struct error *error)
{
    enum status status = STATUS_OK;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        struct pieces found = {0};
        if (pieces_find(trace, &trace->streams[s], sharing, &found)) {
            struct stretch stretch = {found.list.items, lengths, found.list.count};
            status = rewrite_stream(trace, &trace->streams[s], write_stretched, &stretch, error);
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
static enum status estimate_elsewhere(struct opened *opened, size_t c, struct error *error)
{
    const struct memory_config *config = opened->config;
    struct memory_sharing sharing = {0};
    struct trace *trace = NULL;
    bool *wanted = calloc(config->count + 1, sizeof *wanted);
    struct processes *processes = opened->recording->processes;
    enum status status =
        processes_agree_memory(processes, wanted != NULL, "the shares of bandwidth", error);
    if (status == STATUS_OK)
        status = trace_load(config->sections[c].recording, processes, &trace, error);
    if (status == STATUS_OK) {
        wanted[c] = true;
        status = memory_sharing_make(config, trace, &sharing, error);
        status = processes_agree(processes, status, error);
    }
    if (status == STATUS_OK) {
        for (size_t other = 0; other < config->count; other++)
            sharing.shares[other] = opened->sharing.shares[other];
        status = memory_estimate(config, trace, wanted, &sharing, opened->classes, error);
        opened->sharing.shares[c] = opened->classes[c].share;
    }
    memory_sharing_clear(&sharing);
    trace_destroy(trace);
    free(wanted);
    return status;
}

static enum status estimate(struct opened *opened, struct error *error)
{
    const struct memory_config *config = opened->config;
    enum status status = STATUS_OK;
    bool *here = calloc(config->count + 1, sizeof *here), any = false;
    status = processes_agree_memory(opened->recording->processes, here != NULL,
                                    "the shares of bandwidth", error);
    for (size_t c = 0; c < config->count && status == STATUS_OK; c++) {
        const struct memory_section *section = &config->sections[c];
        opened->classes[c] =
            (struct memory_class){.section = section->section, .share = section->share};
        if (section->is_auto && section->recording)
            status = estimate_elsewhere(opened, c, error);
        else
            any |= here[c] = section->is_auto;
    }
    if (status == STATUS_OK && any)
        status = memory_estimate(config, opened->recording, here, &opened->sharing, opened->classes,
                                 error);
    free(here);
    return status;
}

static enum status find_work(struct opened *opened, struct error *error)
{
    const struct trace *recording = opened->recording;
    struct shared_pieces *pieces = &opened->pieces;
    enum status status = shared_pieces_make(recording, &opened->sharing.sharing, pieces, error);
    if (status == STATUS_OK)
        status = shared_pieces_find_work(recording, &opened->sharing.sharing, pieces, error);
    if (status != STATUS_OK)
        return status;
    size_t count = pieces->first[recording->owned_count];
    opened->alone = malloc((count + 1) * sizeof *opened->alone);
    for (size_t p = 0; opened->alone && p < count; p++)
        opened->alone[p] = llround(pieces->pieces[p].work);
    return processes_agree_memory(recording->processes, opened->alone != NULL,
                                  "the shares of bandwidth", error);
}

enum status memory_open(const struct memory_config *config, const struct trace *recording,
                        struct memory **memory, struct error *error)
{
    struct opened *opened = calloc(1, sizeof *opened);
    if (opened) {
        opened->config = config;
        opened->recording = recording;
        opened->classes = calloc(config->count + 1, sizeof *opened->classes);
        opened->memory.classes = opened->classes;
        opened->memory.class_count = config->count;
    }
    enum status status = processes_agree_memory(recording->processes, opened && opened->classes,
                                                "the shares of bandwidth", error);
    *memory = NULL;
    if (status != STATUS_OK) {
        free(opened ? opened->classes : NULL);
        free(opened);
        return status;
    }
    *memory = &opened->memory;
    status = memory_sharing_make(config, recording, &opened->sharing, error);
    status = processes_agree(recording->processes, status, error);
    if (status == STATUS_OK)
        status = estimate(opened, error);
    return status == STATUS_OK ? find_work(opened, error) : status;
}

void memory_close(struct memory *memory)
{
    struct opened *opened = (struct opened *)memory;
    if (!opened)
        return;
    memory_sharing_clear(&opened->sharing);
    shared_pieces_clear(&opened->pieces);
    free(opened->classes);
    free(opened->alone);
    free(opened);
}

/* What is done before the hypotheses: every piece takes what it would have taken alone. */
struct alone_state {
    const struct ini_section *section;
    const struct opened *opened;
};

static enum status alone_apply(const void *state, struct trace *trace,
                               struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    const struct opened *opened = ((const struct alone_state *)state)->opened;
    return stretch_pieces(trace, &opened->sharing.sharing, opened->alone, error);
}

static const struct ini_key no_keys[] = {INI_KEYS_END};
static const struct hypothesis_kind alone_kind = {.name = "memory",
                                                  .description = "the pace of computation alone",
                                                  .keys = no_keys,
                                                  .state_size = sizeof(struct alone_state),
                                                  .apply = alone_apply};

/* Pieces that no hypothesis has changed keep their exact work, so that rounding does not change
 * their lengths. */
static void keep_exact_work(const struct opened *opened, struct shared_pieces *pieces)
{
    const struct shared_pieces *recorded = &opened->pieces;
    for (uint32_t s = 0; s < opened->recording->owned_count; s++) {
        size_t count = pieces->first[s + 1] - pieces->first[s];
        if (count != recorded->first[s + 1] - recorded->first[s])
            continue;
        for (size_t i = 0; i < count; i++) {
            struct fluid_piece *piece = &pieces->pieces[pieces->first[s] + i];
            size_t before = recorded->first[s] + i;
            if (piece->length == opened->alone[before])
                piece->work = recorded->pieces[before].work;
        }
    }
}

/* Collective. Gives all pieces of the changed trace the lengths that they have beside each other.
 */
static enum status share_bandwidth(struct opened *opened, const struct engine_setup *setup,
                                   struct trace *changed, struct error *error)
{
    static const struct model_options defaults;
    struct model_options options =
        setup->options ? *(const struct model_options *)setup->options : defaults;
    options.sharing = &opened->sharing.sharing;
    const struct engine_setup sharing_setup = {.options = &options,
                                               .poll_gap_s = setup->poll_gap_s};
    struct engine_facts facts = {0};
    struct shared_pieces pieces = {0};
    int64_t *lengths = NULL;
    void *state = NULL;
    enum status status = engine_model.prepare(changed, &sharing_setup, &state, &facts, error);
    if (status != STATUS_OK)
        return status;
    status = shared_pieces_make(changed, options.sharing, &pieces, error);
    if (status == STATUS_OK) {
        lengths = calloc(pieces.first[changed->owned_count] + 1, sizeof *lengths);
        status = processes_agree_memory(changed->processes, lengths != NULL,
                                        "the shares of bandwidth", error);
    }
    if (status == STATUS_OK) {
        keep_exact_work(opened, &pieces);
        status = model_share(engine_model.equations(state), &pieces, lengths,
                             &opened->memory.shared_s, error);
    }
    if (status == STATUS_OK)
        status = stretch_pieces(changed, options.sharing, lengths, error);
    free(lengths);
    free(facts.approximations);
    shared_pieces_clear(&pieces);
    engine_model.release(state);
    return status;
}

/* Collective. T by the model if all computation keeps its pace. */
static enum status predict_unshared(struct opened *opened, const struct hypothesis *hypotheses,
                                    size_t count, const struct engine_setup *setup,
                                    struct error *error)
{
    struct trace *changed = NULL;
    struct engine_facts facts = {0};
    struct engine_run run = {0};
    void *state = NULL;
    enum status status =
        hypotheses_apply(hypotheses, count, opened->recording, &changed, NULL, error);
    if (status == STATUS_OK)
        status = engine_model.prepare(changed, setup, &state, &facts, error);
    if (status == STATUS_OK) {
        status = engine_model.run(state, NULL, NULL, &run, error);
        engine_model.release(state);
    }
    opened->memory.unshared_s = run.time_s;
    free(facts.approximations);
    trace_destroy(changed);
    return status;
}

enum status memory_apply(struct memory *memory, const struct hypothesis *hypotheses, size_t count,
                         const struct engine_setup *setup, struct trace **changed,
                         struct hypothesis_outcome *outcomes, struct error *error)
{
    struct opened *opened = (struct opened *)memory;
    const struct processes *processes = opened->recording->processes;
    struct alone_state state = {opened->config->sections[0].section, opened};
    struct hypothesis *all = calloc(count + 1, sizeof *all);
    struct hypothesis_outcome *all_outcomes = calloc(count + 1, sizeof *all_outcomes);
    struct trace *fresh = NULL;
    enum status status =
        processes_agree_memory(processes, all && all_outcomes, "the shares of bandwidth", error);
    if (status == STATUS_OK)
        status = predict_unshared(opened, hypotheses, count, setup, error);
    if (status == STATUS_OK) {
        all[0] = (struct hypothesis){&alone_kind, state.section, &state};
        for (size_t i = 0; i < count; i++)
            all[i + 1] = hypotheses[i];
        status = hypotheses_apply(all, count + 1, opened->recording, &fresh, all_outcomes, error);
    }
    if (status == STATUS_OK) {
        for (size_t i = 0; outcomes && i < count; i++)
            outcomes[i] = all_outcomes[i + 1];
        status = share_bandwidth(opened, setup, fresh, error);
        if (status == STATUS_OK)
            *changed = fresh;
        else
            trace_destroy(fresh);
    }
    free(all);
    free(all_outcomes);
    return status;
}
