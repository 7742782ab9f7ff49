/* check_model [-a] [-m MACHINE.ini] [-s PATTERN=FACTOR] [-r PLACES] [-w KEYS] [-p] TRACE: puts a
 * trace through the model engine, with any number of processes, and prints
 *
 *     events N, largest difference D ticks, time T ticks
 *
 * where the difference is between recorded and predicted times of all events. -a: absolute costs;
 * -s: computation of the regions that match PATTERN takes FACTOR times as long; -r: the ranks are
 * on these places ([remap]); -w: these waits are removed ([wait], keys separated by ;); -p: prints
 * the predicted enters and leaves, "RANK ROW TICKS", ticks since the trace's begin. */
#include "base/mpi/exchange.h"
#include "base/log.h"
#include "base/mpi/handles.h"
#include "replay/model/model.h"
#include "trace/load/load.h"
#include "trace/match/match.h"
#include "trace/deadlock/preflight.h"
#include "transform/hypothesis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t largest_difference(const struct trace *a, const struct trace *b)
{
    int64_t largest = 0;
    for (uint32_t s = 0; s < a->owned_count; s++)
        for (uint32_t row = 0; row < a->streams[s].count; row++) {
            int64_t difference =
                llabs((int64_t)(a->streams[s].time[row] - b->streams[s].time[row]));
            if (difference > largest)
                largest = difference;
        }
    processes_max(a->processes, &largest, 1);
    return largest;
}

/* In order of ranks, through process 0. */
static void print_times(const struct trace *trace)
{
    char *text = NULL, *all;
    size_t size = 0, all_size;
    struct error error;
    FILE *file = open_memstream(&text, &size);
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t row = 0; row < trace->streams[s].count; row++)
            if (trace->streams[s].kind[row] <= EVENT_LEAVE)
                fprintf(file, "%u %u %lld\n", trace->streams[s].rank, row,
                        (long long)(trace->streams[s].time[row] - trace->begin));
    fclose(file);
    if (exchange_gather(trace->processes, text, size, &all, &all_size, NULL, &error) == STATUS_OK &&
        trace->processes->rank == 0)
        fwrite(all, 1, all_size, stdout);
    free(all);
    free(text);
}

static enum status transform(const char *scale, const char *places, char *waits,
                             const struct trace *trace, struct trace **changed, struct error *error)
{
    char text[256];
    struct ini *ini;
    struct hypothesis *hypotheses;
    size_t count;
    const char *equals = scale ? strchr(scale, '=') : NULL;
    int length = 0;
    if (equals)
        length = snprintf(text, sizeof text, "[scale test]\nregion = %.*s\nfactor = %s\n",
                          (int)(equals - scale), scale, equals + 1);
    if (places)
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "[remap]\nplaces = %s\n", places);
    for (char *end = waits; end && (end = strchr(end, ';'));)
        *end = '\n';
    if (waits)
        snprintf(text + length, sizeof text - (size_t)length, "[wait]\n%s\n", waits);
    enum status status = ini_parse_text("-s", text, strlen(text), &ini, error);
    if (status != STATUS_OK)
        return status;
    status = hypotheses_parse(ini, &hypotheses, &count, error);
    if (status == STATUS_OK) {
        status = hypotheses_apply(hypotheses, count, trace, changed, NULL, error);
        hypotheses_destroy(hypotheses, count);
    }
    ini_destroy(ini);
    return status;
}

static enum status predict(const struct trace *trace, const struct engine_setup *setup, bool print,
                           struct error *error)
{
    const struct engine *engine = engine_find("model");
    struct engine_facts facts;
    struct engine_run run;
    void *state;
    enum status status = engine->prepare(trace, setup, &state, &facts, error);
    if (status != STATUS_OK)
        return status;
    struct trace *view = trace_view(trace, error);
    status = processes_agree(trace->processes, view ? STATUS_OK : STATUS_ENVIRONMENT, error);
    if (status == STATUS_OK)
        status = engine->run(state, view, NULL, &run, error);
    if (status == STATUS_OK) {
        int64_t events = 0, difference = largest_difference(trace, view);
        for (uint32_t s = 0; s < trace->owned_count; s++)
            events += trace->streams[s].count;
        processes_sum(trace->processes, &events, 1);
        if (print)
            print_times(view);
        if (trace->processes->rank == 0)
            printf("events %lld, largest difference %lld ticks, time %lld ticks\n",
                   (long long)events, (long long)difference, (long long)(view->end - view->begin));
    }
    trace_destroy(view);
    free(facts.approximations);
    engine->release(state);
    return status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    struct trace *trace = NULL, *changed = NULL;
    struct model_options options = {0};
    const struct engine_setup setup = {.options = &options, .poll_gap_s = 20e-6};
    const char *scale = NULL, *places = NULL;
    char *waits = NULL;
    bool print = false;
    MPI_Init(&argc, &argv);
    for (int option; (option = getopt(argc, argv, "am:s:r:w:p")) != -1;) {
        options.absolute |= option == 'a';
        options.machine = option == 'm' ? optarg : options.machine;
        scale = option == 's' ? optarg : scale;
        places = option == 'r' ? optarg : places;
        waits = option == 'w' ? optarg : waits;
        print |= option == 'p';
    }
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    log_open(argv[0], processes.rank == 0);
    if (status == STATUS_OK)
        status = trace_load(argv[optind], &processes, &trace, &error);
    if (status == STATUS_OK)
        status = trace_match(trace, &error);
    if (status == STATUS_OK && (scale || places || waits))
        status = transform(scale, places, waits, trace, &changed, &error);
    if (status == STATUS_OK)
        status = predict(changed ? changed : trace, &setup, print, &error);
    if (status != STATUS_OK)
        log_error(&error);
    trace_destroy(changed);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return (int)status;
}
