/* One plug-in in many variants, for tests/plugins/plugins.sh: the variant is a macro. */
#include <silas/plugin.h>
#include <string.h>

#ifndef NAME
#define NAME "mine"
#endif

/* Receives get another tag than their sends: the trace is no longer consistent. */
struct state {
    const struct ini_section *section;
};

static const struct ini_key keys[] = {{.name = "unused"}, {0}};

static enum status break_trace(const void *state, struct trace *trace,
                               struct hypothesis_outcome *outcome, struct error *error)
{
    (void)state;
    bool room = true;
    for (uint32_t s = 0; s < trace->owned_count && room; s++) {
        struct stream *stream = &trace->streams[s];
        room = stream_copy_tables(stream, trace->arena);
        for (uint32_t i = 0; i < stream->message_count && room; i++)
            if (!(stream->messages[i].flags & MESSAGE_SEND))
                stream->messages[i].tag++;
    }
    outcome->operations_changed = true;
    return processes_agree_memory(trace->processes, room, "the test", error);
}

static const struct hypothesis_kind kind = {
    .name = NAME,
    .description = "receives get another tag",
    .keys = keys,
#ifndef NO_STATE
    .state_size = sizeof(struct state),
#endif
    .apply = break_trace,
};

/* Waits in front of barriers a second time, half of them in a metric below it. */
static const struct metric_info metrics[] = {
    {.name = "again",
     .unit = UNIT_SECONDS,
     .parent = METRIC_TIME,
     .title = "Again",
     .description = "Wait at barrier, found again"},
    {.name = "half",
     .unit = UNIT_SECONDS,
     .parent = METRIC_OWN(0),
     .title = "Half",
     .description = "Half of it"},
#ifdef METRIC
    {.name = METRIC,
     .unit = UNIT_SECONDS,
     .parent = METRIC_NONE,
     .title = "Name",
     .description = "Its name is taken"},
#endif
#ifdef PARENT
    {.name = "child", .unit = UNIT_COUNT, .parent = PARENT, .title = "C", .description = "Of one"},
#endif
    {0},
};

static void search_instance(const struct member *members, uint32_t count, struct member_wait *waits)
{
    int64_t last = members[0].begin;
    for (uint32_t i = 1; i < count; i++)
        last = int64_max(last, members[i].begin);
    for (uint32_t i = 0; i < count; i++) {
        waits[i].wait = int64_max(0, int64_min(last, members[i].end) - members[i].begin);
        waits[i].completion = waits[i].wait / 2;
    }
}

static const struct pattern pattern = {
    .name = NAME,
    .description = "waits at barriers",
    .metrics = metrics,
    .flows = 1u << FLOW_BARRIER,
#ifndef NO_METRIC
    .wait_metric = METRIC_OWN(0),
    .completion_metric = METRIC_OWN(1),
#endif
    .search_instance = search_instance,
};

static bool write_run(const struct severity *run, FILE *stream)
{
    (void)run;
    return fputs("mine\n", stream) >= 0;
}

static bool recognises(const struct severity_file *file)
{
    return file->size >= 5 && memcmp(file->data, "mine\n", 5) == 0;
}

static enum status read_nothing(const struct severity_file *file, struct severity **severity,
                                struct error *error)
{
    (void)severity;
    return error_set(error, STATUS_INPUT, "%s: was read by the plug-in", file->path);
}

static const struct report_format format = {
    .name = NAME,
    .description = "the word \"mine\"",
    .write_run = write_run,
    .recognises = recognises,
    .read = read_nothing,
#ifdef FILE_NAME
    .replay_files = {FILE_NAME, "after.mine"},
#else
    .replay_files = {"before.mine", "after.mine"},
#endif
};

static bool sample_nothing(const struct trace *trace, const struct stream *stream,
                           struct sampling *sampling)
{
    (void)trace, (void)stream, (void)sampling;
    return true;
}

static const struct signal_kind signal_of_mine = {
    .name = NAME, .description = "nothing", .sample = sample_nothing};

#ifdef UNRESOLVED
extern void trace_strem(void);
void (*needed(void))(void);
void (*needed(void))(void)
{
    trace_strem();
    return trace_strem;
}
#endif

#ifdef LAYOUT
static const uint32_t layout[] = {LAYOUT};
#endif

#ifndef NOT_A_PLUGIN
const struct silas_plugin silas_plugin = {
#ifndef NO_VERSION
    SILAS_PLUGIN_VERSION,
#endif
#ifdef VERSION
    .interface = SILAS_PLUGIN_MARK VERSION,
#endif
#ifdef LAYOUT
    .layout = layout,
    .layout_count = sizeof layout / sizeof *layout,
#endif
    .name = "variant",
#ifdef HYPOTHESIS
    .hypotheses = (const struct hypothesis_kind *const[]){&kind, NULL},
#endif
#ifdef PATTERN
    .patterns = (const struct pattern *const[]){&pattern, NULL},
#endif
#ifdef FORMAT
    .formats = (const struct report_format *const[]){&format, NULL},
#endif
#ifdef SIGNAL
    .signals = (const struct signal_kind *const[]){&signal_of_mine, NULL},
#endif
};
#endif

/* What a variant does not use. */
const void *const unused[] = {&kind, &pattern, &format, &signal_of_mine};
