#include "replay/model/model.h"

#include "base/cpus.h"
#include "base/log.h"
#include "base/mpi/exchange.h"
#include "base/units.h"
#include "replay/costs/rewrite.h"
#include "replay/model/flows.h"
#include "trace/environment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void model_release(void *opaque)
{
    struct model *model = opaque;
    if (!model)
        return;
    evaluator_destroy(model->evaluator);
    equations_clear_steps(&model->equations);
    part_clear(&model->part);
    if (model->recorded.trace)
        recorded_clear(&model->recorded);
    free(model);
}

/* Process 0 reads the machine file for all. */
static enum status share_machine(const struct trace *trace, const char *path,
                                 struct machine *machine, struct error *error)
{
    enum status status = STATUS_OK;
    if (trace->processes->rank == 0)
        status = machine_load(path, machine, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        processes_broadcast(trace->processes, machine, sizeof *machine);
    return status;
}

/* Warns if a hypothesis has no effect because a parameter is missing. The same on all processes. */
static enum status check_environment(const struct environment *environment,
                                     const struct platform *recorded, uint32_t rank_count,
                                     struct error *error)
{
    const struct machine *machine = &recorded->machine;
    const struct loggps *node = &machine->distances[DISTANCE_NODE];
    bool near, far, spread_far;
    if (environment->overhead != 1 && node->send_overhead == 0 && node->receive_overhead == 0)
        return error_set(error, STATUS_INPUT,
                         "[network] overhead: a recording shows only the sum of overhead and "
                         "latency; name a machine file in section [model] (silas-calibrate)");
    const bool has_latency = environment->has_latency_s, has_rate = environment->has_bandwidth_rate;
    if (has_latency && node->latency == 0)
        log_warning("[network] latency: the recording shows no latency, so the given one is added "
                    "to each message; name a machine file in section [model]");
    if (has_rate && node->per_byte == 0)
        log_warning(
            "[network] bandwidth: the recording shows no time per byte, so each byte takes longer "
            "by that of the given bandwidth; name a machine file in section [model]");
    if (!has_latency && environment->latency != 1 && node->latency == 0)
        log_warning(
            "[network] latency: the recording shows no latency, so a factor changes nothing; "
            "name a machine file in section [model]");
    if (!has_rate && environment->bandwidth != 1 && node->per_byte == 0)
        log_warning(
            "[network] bandwidth: the recording shows no time per byte, so a factor changes "
            "nothing; name a machine file in section [model]");
    if (!environment->node)
        return STATUS_OK;
    struct platform mapped = platform_in(recorded, environment, rank_count);
    platform_spread(recorded, rank_count, &near, &far);
    platform_spread(&mapped, rank_count, &near, &spread_far);
    if (spread_far && memcmp(node, &machine->distances[DISTANCE_NETWORK], sizeof *node) == 0)
        log_warning(
            "[mapping]: messages between nodes are assumed to cost as much as messages within a "
            "node; name a machine file with [distance network] in section [model]");
    return STATUS_OK;
}

static enum status check_links(const struct model_options *options,
                               const struct environment *environment,
                               const struct network_links *recorded, struct error *error)
{
    const struct network_links *links = &environment->links;
    bool changed = links->number > 0 || links->out > 0 || links->in > 0 || links->memory > 0 ||
                   links->switched > 0;
    if (changed && !options->absolute)
        return error_set(error, STATUS_INPUT,
                         "[network]: recorded costs contain the sharing of links; links, "
                         "link_out, link_in, memory and switch need mode = absolute in "
                         "section [model]");
    if (links->switched > 0 && recorded->whole)
        return error_set(error, STATUS_INPUT,
                         "[network] switch: the machine file says sharing = links, so messages "
                         "take buses, not a part of the switch's bandwidth");
    return STATUS_OK;
}

/* Bytes of the largest message of the owned ranks. */
struct message_sizes {
    int64_t largest, bytes, count;
};

static struct message_sizes add_message_sizes(const struct trace *trace)
{
    struct message_sizes sizes = {0, 0, 0};
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t m = 0; m < trace->streams[s].message_count; m++) {
            const struct message *message = &trace->streams[s].messages[m];
            if (!message_takes_part(message))
                continue;
            sizes.count++;
            sizes.bytes += (int64_t)message->bytes;
            if ((int64_t)message->bytes > sizes.largest)
                sizes.largest = (int64_t)message->bytes;
        }
    processes_max(trace->processes, &sizes.largest, 1);
    processes_sum(trace->processes, &sizes.bytes, 1);
    processes_sum(trace->processes, &sizes.count, 1);
    return sizes;
}

/* Whether hypotheses have changed no messages on this process: tables are copied when they are. */
static bool has_same_messages(const struct trace *trace, const struct trace *recording)
{
    uint32_t s = 0;
    while (s < trace->owned_count && trace->streams[s].messages == recording->streams[s].messages)
        s++;
    return s == trace->owned_count;
}

/* A message takes so much longer by its bytes that a change of its size matters. */
#define LARGE_MESSAGE 4096

/* Collective. Warns if messages have another size and the recording does not show the time per
 * byte. */
static void check_sizes(const struct trace *trace, const struct trace *recording,
                        const struct platform *recorded)
{
    bool near, far;
    int64_t changed = !has_same_messages(trace, recording);
    const struct loggps *distances = recorded->machine.distances;
    platform_spread(recorded, trace->rank_count, &near, &far);
    bool free_bytes = (near && distances[DISTANCE_NODE].per_byte == 0) ||
                      (far && distances[DISTANCE_NETWORK].per_byte == 0);
    processes_max(trace->processes, &changed, 1);
    if (!changed || !free_bytes)
        return;
    const struct message_sizes before = add_message_sizes(recording),
                               after = add_message_sizes(trace);
    const bool grow = after.largest > before.largest;
    const bool shrink = before.largest >= LARGE_MESSAGE && after.count == before.count &&
                        after.bytes < before.bytes;
    if (grow || shrink)
        log_warning(
            "messages %s to %lld bytes, but the messages of the recording (at most %lld bytes) do "
            "not show the time per byte, so it counts as 0; name a machine file in section [model]",
            grow ? "grow" : "shrink", (long long)after.largest, (long long)before.largest);
}

static enum distance farthest(const struct platform *platform, uint32_t rank_count)
{
    bool near, far;
    platform_spread(platform, rank_count, &near, &far);
    return far ? DISTANCE_NETWORK : DISTANCE_NODE;
}

static void describe_rate(const char *name, double rate, FILE *file)
{
    if (rate > 0)
        fprintf(file, ", %s %.4g GB/s", name, 1e-9 * rate);
}

/* Whether messages share links: only where all costs come from the machine file. */
static bool uses_links(const struct model_options *options, const struct platform *platform)
{
    const struct network_links *links = &platform->machine.links;
    return options->absolute && (machine_links_limit(links, DISTANCE_NODE) ||
                                 machine_links_limit(links, DISTANCE_NETWORK));
}

static void describe_links(const struct model_options *options, const struct part_input *input,
                           FILE *file)
{
    const struct network_links *links = &input->platform->machine.links;
    bool near, far;
    platform_spread(input->platform, input->trace->rank_count, &near, &far);
    if (input->flows) {
        fprintf(file, "links that messages share: %lld per node", (long long)links->number);
        describe_rate("out", links->out, file);
        describe_rate("in", links->in, file);
        describe_rate("memory", links->memory, file);
        describe_rate("switch", links->switched, file);
        if (links->whole)
            fprintf(file, ", each for one message at a time");
        if (links->buses > 0)
            fprintf(file, ", %lld bus%s", (long long)links->buses, links->buses == 1 ? "" : "es");
        fprintf(file, "\n");
    } else if (options->absolute && near && far && !input->ideal) {
        fprintf(file,
                "several ranks per node, and no [links] in the machine file: each message has "
                "the full bandwidth, whatever else the node sends\n");
    }
}

/* Returns text on where costs come from, the parameters of the recorded platform and, if it
 * differs, those of the platform to run on. Free it; NULL if out of memory. */
static char *describe_costs(const struct model_options *options, const struct part_input *input)
{
    const struct platform *recorded = &input->recorded->platform;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    fprintf(file, "costs of communication: %s\n",
            options->absolute  ? "from the machine file"
            : options->machine ? "as recorded; arrivals of messages: from the machine file"
                               : "as recorded; arrivals of messages: by parameters fitted to the "
                                 "recording");
    platform_describe(recorded, input->trace->rank_count, file);
    if (input->platform != recorded) {
        fprintf(file, "assumed:\n");
        platform_describe(input->platform, input->trace->rank_count, file);
    }
    describe_links(options, input, file);
    if (fclose(file) == 0)
        return text;
    free(text);
    return NULL;
}

static const struct model_options model_defaults = {.absolute = 0};

static const struct trace *model_recording(const struct trace *trace)
{
    return trace->recording ? trace->recording : trace;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether this model has the same costs as another one. */
static bool can_take_over(const struct model *model, const struct model *other)
{
    return other && other->recorded.trace == model_recording(model->trace) &&
           other->poll_gap_s == model->poll_gap_s &&
           other->options.untimed == model->options.untimed &&
           other->options.modes_only == model->options.modes_only &&
           same_text(other->options.machine, model->options.machine);
}

/* Collective. Whether only the modes of messages are needed. With calls on windows the costs are
 * needed, because they show which of these did not wait. */
static bool needs_modes_only(const struct model *model)
{
    const struct trace *recording = model_recording(model->trace);
    int64_t syncs = 0;
    if (!model->options.modes_only || model->options.machine)
        return false;
    for (uint32_t s = 0; s < recording->owned_count; s++)
        syncs += recording->streams[s].rma_sync_count;
    processes_sum(recording->processes, &syncs, 1);
    return syncs == 0;
}

/* Collective. Finds the costs of calls in the recording. */
static enum status find_costs(struct model *model, struct error *error)
{
    const struct model_options *options = &model->options;
    struct machine machine = {0};
    enum status status = STATUS_OK;
    if (needs_modes_only(model))
        return recorded_make_modes(model_recording(model->trace), &model->recorded, error);
    if (options->machine)
        status = share_machine(model->trace, options->machine, &machine, error);
    machine.limit_is_assumed |= options->untimed;
    if (status == STATUS_OK)
        status = recorded_make(model_recording(model->trace), options->machine ? &machine : NULL,
                               model->poll_gap_s, &model->recorded, error);
    return status;
}

/* What the trace is compiled from; `*changed` becomes the platform if hypotheses change it. */
static struct part_input input_of(const struct model *model, const struct recorded *recorded,
                                  const struct layout *layout, struct platform *changed)
{
    const struct model_options *options = &model->options;
    const struct trace *trace = model->trace;
    const struct environment *environment = trace->environment;
    struct part_input input = {.trace = trace,
                               .layout = layout,
                               .recorded = recorded,
                               .platform = &recorded->platform,
                               .absolute = options->absolute,
                               .varied = DISTANCE_COUNT,
                               .sharing = options->sharing,
                               .same_rows = model_recording(trace) == trace,
                               .poll_gap_s = model->poll_gap_s};
    if (environment) {
        *changed = platform_in(&recorded->platform, environment, trace->rank_count);
        input.platform = changed;
        input.ideal = environment->ideal;
        memcpy(input.algorithms, environment->algorithms, sizeof input.algorithms);
    }
    if (options->parametric)
        input.varied = farthest(input.platform, trace->rank_count);
    input.flows = !input.ideal && uses_links(options, input.platform);
    return input;
}

/* Collective. Compiles the trace into the owned part of its program. `*links`: the platform, if
 * messages share its links; host NULL: they do not. */
static enum status compile(struct model *model, const struct recorded *recorded,
                           struct layout *layout, struct platform *links,
                           struct engine_facts *facts, struct error *error)
{
    const struct model_options *options = &model->options;
    const struct trace *trace = model->trace, *recording = model_recording(trace);
    const struct environment *environment = trace->environment;
    struct platform changed = {.host = NULL};
    enum status status = STATUS_OK;
    if (recording != trace)
        check_sizes(trace, recording, &recorded->platform);
    if (environment) {
        status = check_environment(environment, &recorded->platform, trace->rank_count, error);
        if (status == STATUS_OK)
            status = check_links(options, environment, &recorded->platform.machine.links, error);
    }
    const struct part_input input = input_of(model, recorded, layout, &changed);
    model->varied = input.varied;
    if (input.varied < DISTANCE_COUNT)
        model->latency_s = input.platform->machine.distances[input.varied].latency;
    *links = *input.platform;
    if (!input.flows)
        links->host = NULL;
    if (status == STATUS_OK)
        status = part_compile(&input, &model->part, error);
    facts->approximations = describe_costs(options, &input);
    if (status == STATUS_OK && !facts->approximations)
        status = error_memory(error, "the model");
    return processes_agree(trace->processes, status, error);
}

enum status model_explain(const struct model *model, struct model_part *part, struct layout *layout,
                          struct error *error)
{
    assert(model->recorded.trace && part->steps.count == 0);
    struct platform changed = {.host = NULL};
    enum status status = layout_make(model->trace, layout, error);
    if (status != STATUS_OK)
        return status;
    struct part_input input = input_of(model, &model->recorded, layout, &changed);
    input.explains = true;
    status = part_compile(&input, part, error);
    status = processes_agree(model->trace->processes, status, error);
    if (status != STATUS_OK) {
        part_clear(part);
        layout_clear(layout);
    }
    return status;
}

static enum status check_machine(const struct model_options *options, struct error *error)
{
    if (options->absolute && !options->machine)
        return error_set(error, STATUS_INPUT,
                         "mode = absolute needs the machine's parameters: name a machine file in "
                         "section [model]");
    return STATUS_OK;
}

/* Uses all cores of the process. Not to be called by one of several workers. */
static void use_cores(struct model *model)
{
    struct cpu_mask mask;
    cpus_of_process(&mask);
    const int cores = cpus_count_cores(&mask, CPUS_FOLDER);
    evaluator_use_threads(model->evaluator, &model->equations,
                          evaluator_threads_for(&model->equations, cores));
}

/* Process 0: delays messages that share links, and describes the delays. */
static enum status delay_messages(struct model *model, const struct platform *platform,
                                  struct engine_facts *facts, struct error *error)
{
    struct flow_delays delays;
    char *text;
    enum status status = flows_delay(&model->equations, platform, &delays, error);
    if (status != STATUS_OK)
        return status;
    double longest = trace_seconds(model->trace, (double)delays.longest);
    if (asprintf(&text, "%smessages that links delay: %llu of %llu, by at most %s\n",
                 facts->approximations, (unsigned long long)delays.delayed,
                 (unsigned long long)delays.messages, time_text_alone(longest, 4).text) < 0)
        return error_memory(error, "the model");
    free(facts->approximations);
    facts->approximations = text;
    return STATUS_OK;
}

/* `original` (may be NULL): the model of the unchanged trace. */
static enum status model_build(struct model *model, const struct model *original,
                               struct engine_facts *facts, struct error *error)
{
    const struct trace *trace = model->trace;
    const bool shares = can_take_over(model, original);
    struct layout layout;
    struct platform links;
    enum status status = layout_make(trace, &layout, error);
    if (status != STATUS_OK)
        return status;
    if (!shares)
        status = find_costs(model, error);
    if (status == STATUS_OK)
        status = compile(model, shares ? &original->recorded : &model->recorded, &layout, &links,
                         facts, error);
    if (status == STATUS_OK)
        status = equations_join(&model->part, &layout, &model->equations, error);
    if (status == STATUS_OK) {
        if (trace->processes->rank == 0 && links.host)
            status = delay_messages(model, &links, facts, error);
        if (trace->processes->rank == 0 && status == STATUS_OK)
            status = evaluator_create(&model->equations, &model->evaluator, error);
        if (trace->processes->size == 1 && status == STATUS_OK && !log_holds())
            use_cores(model);
        status = processes_agree(trace->processes, status, error);
    }
    layout_clear(&layout);
    return status;
}

static enum status model_prepare(const struct trace *trace, const struct engine_setup *setup,
                                 void **opaque, struct engine_facts *facts, struct error *error)
{
    const struct model_options *options = setup->options ? setup->options : &model_defaults;
    *opaque = NULL;
    memset(facts, 0, sizeof *facts);
    struct model *model = calloc(1, sizeof *model);
    enum status status = check_machine(options, error);
    if (status == STATUS_OK && !model)
        status = error_memory(error, "the model");
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK) {
        model->trace = trace;
        model->options = *options;
        model->poll_gap_s = setup->poll_gap_s;
        status = model_build(model, setup->original, facts, error);
    }
    if (status != STATUS_OK) {
        model_release(model);
        free(facts->approximations);
        facts->approximations = NULL;
        return status;
    }
    facts->trustworthy = true;
    *opaque = model;
    return STATUS_OK;
}

/* Collective. Reports the call at which a rank is stuck: the first one that has not ended. */
static enum status report_stuck(const struct model *model, uint32_t rank, size_t ends,
                                struct error *error)
{
    const struct trace *trace = model->trace;
    const struct stream *stream = trace_stream(trace, rank);
    enum status status = STATUS_OK;
    if (stream) {
        char where[1024] = "";
        const size_t *first_end = model->equations.first_end;
        size_t span = first_end[rank] - first_end[trace->first_rank] + ends;
        trace_describe_event(trace, stream, model->part.spans.items[span].enter, where,
                             sizeof where);
        status = error_set(error, STATUS_INPUT,
                           "in the model the ranks wait for each other forever; one of them: %s. "
                           "Does the program rely on buffering of messages as large as S?",
                           where);
    }
    return processes_agree(trace->processes, status, error);
}

/* Collective. Evaluates at process 0; only process 0 gets `*ends`, unless it is NULL. */
static enum status model_evaluate(struct model *model, int64_t **ends, struct error *error)
{
    const struct processes *processes = model->trace->processes;
    const struct equations *equations = &model->equations;
    struct {
        uint64_t ends;
        uint32_t rank;
    } stuck = {0, equations->rank_count};
    enum status status = STATUS_OK;
    if (ends)
        *ends = NULL;
    if (processes->rank == 0) {
        if (ends)
            *ends = malloc((equations->first_end[equations->rank_count] + 1) * sizeof **ends);
        if (!ends || *ends)
            stuck.rank = evaluator_run(model->evaluator, ends ? *ends : NULL);
        else
            status = error_memory(error, "the model");
        if (status == STATUS_OK && stuck.rank < equations->rank_count) {
            const struct step *steps = equations->steps + equations->first[stuck.rank];
            for (size_t i = 0; i < evaluator_steps_done(model->evaluator, stuck.rank); i++)
                stuck.ends += steps[i].code == STEP_END;
        }
    }
    status = processes_agree(processes, status, error);
    processes_broadcast(processes, &stuck, sizeof stuck);
    if (status == STATUS_OK && stuck.rank < equations->rank_count)
        status = report_stuck(model, stuck.rank, stuck.ends, error);
    return status;
}

/* ends[span] of the owned ranks: the shift at the end of each span's call. */
static void write_view(const struct model *model, const int64_t *ends, struct trace *view)
{
    const struct call_span *span = model->part.spans.items;
    for (uint32_t s = 0; s < view->owned_count; s++) {
        struct rewriter rewriter = rewrite_begin(&model->trace->streams[s], &view->streams[s]);
        for (size_t i = 0; i < model->part.span_counts[s]; i++, span++)
            rewrite_call(&rewriter, span->enter, span->leave, *ends++);
        rewrite_end(&rewriter);
    }
}

/* Collective. The evaluation alone: the first event happens as in the trace. */
static enum status find_time(struct model *model, struct engine_run *run, struct error *error)
{
    const struct processes *processes = model->trace->processes;
    int64_t last_time = 0;
    enum status status = model_evaluate(model, NULL, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0)
        last_time = evaluator_last_time(model->evaluator);
    processes_broadcast(processes, &last_time, sizeof last_time);
    run->time_s = trace_seconds(model->trace, (double)last_time);
    return STATUS_OK;
}

static enum status model_run(void *opaque, struct trace *view, struct trace *undisturbed,
                             struct engine_run *run, struct error *error)
{
    (void)undisturbed;
    struct model *model = opaque;
    int64_t *ends, *own = NULL;
    memset(run, 0, sizeof *run);
    if (!view)
        return find_time(model, run, error);
    enum status status = model_evaluate(model, &ends, error);
    if (status == STATUS_OK)
        status = ends_return(model->trace, &model->equations, ends, &own, error);
    free(ends);
    if (status != STATUS_OK)
        return status;
    write_view(model, own, view);
    free(own);
    trace_update_span(view);
    run->time_s = trace_seconds(view, (double)(view->end - view->begin));
    return STATUS_OK;
}

/* Collective. The row at which the call with STEP_END `end` (known on process 0) begins, and the
 * stream of its rank; NULL: another process owns it. */
static const struct stream *find_end(const struct model *model, size_t end, uint32_t *rank,
                                     uint32_t *enter)
{
    const struct trace *trace = model->trace;
    const size_t *first_end = model->equations.first_end;
    size_t span = end;
    processes_broadcast(trace->processes, &span, sizeof span);
    *rank = first_where(0, trace->rank_count, r, first_end[r + 1] > span);
    const struct stream *stream = trace_stream(trace, *rank);
    if (stream)
        *enter = model->part.spans.items[span - first_end[trace->first_rank]].enter;
    return stream;
}

void model_place_end(const struct model *model, size_t end, struct model_place *place)
{
    uint32_t enter;
    int64_t values[] = {-1, 0}; /* call path, visit */
    const struct stream *stream = find_end(model, end, &place->rank, &enter);
    if (stream && stream->kind[enter] == EVENT_ENTER) {
        values[0] = stream->arg[enter];
        for (uint32_t row = 0; row <= enter; row++)
            values[1] += stream->kind[row] == EVENT_ENTER && stream->arg[row] == stream->arg[enter];
    }
    processes_max(model->trace->processes, values, 2);
    place->path = values[0] < 0 ? CALLPATH_NONE : (uint32_t)values[0];
    place->visit = (uint32_t)values[1];
}

enum status model_describe_end(const struct model *model, size_t end, char *text, size_t size,
                               struct error *error)
{
    assert(size > 0);
    const struct trace *trace = model->trace;
    char line[1024] = "", *all = NULL;
    size_t all_size = 0;
    uint32_t rank, enter;
    const struct stream *stream = find_end(model, end, &rank, &enter);
    if (stream)
        trace_describe_event(trace, stream, enter, line, sizeof line);
    enum status status =
        exchange_gather(trace->processes, line, strlen(line), &all, &all_size, NULL, error);
    if (status == STATUS_OK && all)
        snprintf(text, size, "%.*s", (int)all_size, all);
    free(all);
    return status;
}

enum status model_paths_of_ends(const struct model *model, uint32_t **paths, struct error *error)
{
    const struct trace *trace = model->trace;
    size_t count = model->part.spans.count, at = 0, size;
    char *all = NULL;
    uint32_t *own = malloc((count + 1) * sizeof *own);
    enum status status = processes_agree_memory(trace->processes, own != NULL, "the model", error);
    for (uint32_t s = 0; status == STATUS_OK && s < trace->owned_count; s++)
        for (size_t i = 0; i < model->part.span_counts[s]; i++, at++)
            own[at] = stream_callpath_at(&trace->streams[s], model->part.spans.items[at].enter);
    if (status == STATUS_OK)
        status =
            exchange_gather(trace->processes, own, count * sizeof *own, &all, &size, NULL, error);
    free(own);
    *paths = (uint32_t *)all;
    return status;
}

static struct model *model_equations(void *state)
{
    return state;
}

static const char *const modes[] = {"difference", "absolute", NULL};

static const struct ini_key model_keys[] = {
    INI_KEY_AT("mode", model_options, absolute, CHOICE, .choices = modes),
    INI_KEY(model_options, machine, PATH),
    INI_KEYS_END,
};

static enum status check_model_section(const struct ini *ini, const void *memory,
                                       struct error *error)
{
    const struct model_options *options = memory;
    if (!options->absolute || options->machine)
        return STATUS_OK;
    return ini_error(error, ini, ini_line_of(ini_find_section(ini, "model"), "mode"),
                     "mode = absolute needs \"machine\": a file with the machine's LogGPS "
                     "parameters");
}

const struct engine engine_model = {
    .name = "model",
    .description = "computes what would happen from the recording (LogGPS)",
    .any_processes = true,
    .computes = true,
    .section = "model",
    .section_keys = model_keys,
    .options_size = sizeof(struct model_options),
    .default_options = &model_defaults,
    .check_options = check_model_section,
    .prepare = model_prepare,
    .run = model_run,
    .release = model_release,
    .equations = model_equations,
};
