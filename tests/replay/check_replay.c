/* check_replay [-t TIMEOUT] [-l SECONDS] [-w] [-c CONFIG] TRACE: replays a trace, as changed by the
 * hypotheses in a file, twice (with -w receives with wildcards are free) and prints every MPI call
 * that the second run makes, "RANK MPI_Call arguments", then checks the predicted times. The calls
 * are caught on their way: this program defines MPI_Send and so on itself (the tool's own
 * communication goes by PMPI names). Exit code 4: the predicted times are not those of a run, or it
 * took less than the SECONDS of -l. */
#include "base/log.h"
#include "base/mpi/handles.h"
#include "replay/realtime/realtime.h"
#include "tests/replay/caught_calls.h"
#include "trace/load/load.h"
#include "trace/match/match.h"
#include "trace/exchange.h"
#include "transform/hypothesis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EXIT_BAD_TIMES = 4 };

/* The same number of rows, in order of time, none before the recorded start of the rank. */
static bool times_are_sound(const struct trace *recorded, const struct trace *predicted)
{
    const struct stream *old = &recorded->streams[0], *new = &predicted->streams[0];
    bool sound = old->count == new->count &&new->time[0] >= old->time[0];
    for (uint32_t row = 1; row < new->count &&sound; row++) {
        sound = new->time[row] >= new->time[row - 1];
        if (!sound)
            fprintf(stderr, "rank %u: row %u is before the row in front of it\n", new->rank, row);
    }
    return sound;
}

struct checking {
    const struct stream *stream;
    const uint64_t *time;
    bool sound;
};

/* Each send tells when it was posted. */
static bool tell_post(void *data, uint32_t stream, uint32_t message, void *value)
{
    const struct checking *checking = data;
    const struct message *m = &checking->stream->messages[message];
    (void)stream;
    memcpy(value, &checking->time[m->post], sizeof(uint64_t));
    return m->flags & MESSAGE_SEND;
}

static void hear_post(void *data, uint32_t stream, uint32_t message, const void *value)
{
    struct checking *checking = data;
    uint32_t completion = checking->stream->messages[message].completion;
    uint64_t sent;
    (void)stream;
    memcpy(&sent, value, sizeof sent);
    if (completion == INDEX_NONE || checking->time[completion] >= sent ||
        checking->stream->messages[message].flags & MESSAGE_NO_WAIT)
        return;
    fprintf(stderr, "rank %u: row %u receives a message that is sent later\n",
            checking->stream->rank, completion);
    checking->sound = false;
}

/* Collective. No receive is complete before its message has been sent. */
static bool messages_are_sound(const struct trace *trace, const struct trace *predicted)
{
    static const struct partner_exchange exchange = {
        .purpose = "the test", .size = sizeof(uint64_t), .send = tell_post, .receive = hear_post};
    struct checking checking = {&trace->streams[0], predicted->streams[0].time, true};
    struct error error;
    return partners_exchange(trace, true, &exchange, &checking, &error) == STATUS_OK &&
           checking.sound;
}

/* Page faults of a second run: the watchdog's thread takes about ten. Recordings of memory that is
 * untouched (CAUGHT_CALLS_DETAILS shows it) have as many as they want. */
static bool touched_before(const struct rusage *before, const struct rusage *after)
{
    long faults = after->ru_minflt - before->ru_minflt;
    if (faults < 64 || getenv("CAUGHT_CALLS_DETAILS"))
        return true;
    fprintf(stderr, "%ld page faults in a run\n", faults);
    return false;
}

static enum status replay_twice(const struct trace *trace, double timeout_s, double least_s,
                                bool free_wildcards, bool *sound, struct error *error)
{
    const struct engine *engine = engine_find("realtime");
    const struct realtime_options options = {
        .timeout_s = timeout_s, .oversubscribe = true, .free_wildcards = free_wildcards};
    const struct engine_setup setup = {.options = &options, .poll_gap_s = 20e-6};
    struct engine_facts facts;
    struct engine_run run = {0};
    void *state;
    enum status status = engine->prepare(trace, &setup, &state, &facts, error);
    if (status != STATUS_OK)
        return status;
    struct trace *view = trace_view(trace, error);
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        struct rusage before, after;
        caught_calls_catch(i == 1);
        getrusage(RUSAGE_SELF, &before);
        status = view ? engine->run(state, view, NULL, &run, error) : STATUS_ENVIRONMENT;
        getrusage(RUSAGE_SELF, &after);
        caught_calls_catch(false);
        bool causal = status != STATUS_OK || free_wildcards || messages_are_sound(trace, view);
        if (status == STATUS_OK)
            *sound = *sound && causal && times_are_sound(trace, view) && run.time_s > least_s &&
                     (i == 0 || touched_before(&before, &after));
    }
    if (trace->processes->rank == 0)
        fprintf(stderr, "%strustworthy, %d communicators\n%s", facts.trustworthy ? "" : "not ",
                caught_calls_communicators(), facts.approximations);
    if (trace->processes->rank == 0 && free_wildcards)
        fprintf(stderr, "%llu wildcard receives, %llu of them reordered\n",
                (unsigned long long)run.wildcards, (unsigned long long)run.reordered);
    free(facts.approximations);
    trace_destroy(view);
    engine->release(state);
    return status;
}

/* One rank after the other. */
static void print_calls(const struct processes *processes)
{
    for (int rank = 0; rank < processes->size; rank++) {
        if (rank == processes->rank) {
            caught_calls_print(rank);
            fflush(stdout);
            usleep(20000); /* the launcher merges the outputs in order of arrival */
        }
        processes_barrier(processes);
    }
}

static enum status change(const char *config, const struct trace *trace, struct trace **changed,
                          struct error *error)
{
    struct hypothesis *hypotheses = NULL;
    size_t count = 0;
    struct ini *ini = NULL;
    enum status status = ini_load(config, &ini, error);
    if (status == STATUS_OK)
        status = hypotheses_parse(ini, &hypotheses, &count, error);
    if (status == STATUS_OK)
        status = hypotheses_apply(hypotheses, count, trace, changed, NULL, error);
    hypotheses_destroy(hypotheses, count);
    ini_destroy(ini);
    return status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    struct trace *trace = NULL, *changed = NULL;
    const char *config = NULL;
    double timeout_s = 30, least_s = 0;
    bool sound = true, free_wildcards = false;
    MPI_Init(&argc, &argv);
    for (int option; (option = getopt(argc, argv, "t:l:wc:")) != -1;) {
        if (option == 't')
            timeout_s = atof(optarg);
        else if (option == 'l')
            least_s = atof(optarg);
        else if (option == 'w')
            free_wildcards = true;
        else if (option == 'c')
            config = optarg;
    }
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    log_open(argv[0], processes.rank == 0);
    if (status == STATUS_OK)
        status = trace_load(argv[optind], &processes, &trace, &error);
    if (status == STATUS_OK)
        status = trace_match(trace, &error);
    if (status == STATUS_OK && config)
        status = change(config, trace, &changed, &error);
    if (status == STATUS_OK)
        status = replay_twice(changed ? changed : trace, timeout_s, least_s, free_wildcards, &sound,
                              &error);
    if (status == STATUS_OK)
        print_calls(&processes);
    else
        log_error(&error);
    int64_t bad = !sound;
    processes_max(&processes, &bad, 1);
    trace_destroy(changed);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return status != STATUS_OK ? (int)status : bad ? EXIT_BAD_TIMES : 0;
}
