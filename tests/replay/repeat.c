/* Repeated runs with an engine whose times the test prescribes. */
#include "base/mpi/handles.h"
#include "replay/repeat.h"
#include "tests/mpi_check.h"

#include <math.h>
#include <string.h>

enum { RUNS = 7, LENGTH = 1000000 }; /* ticks of the recorded trace: nanoseconds */

/* The ticks that run k of a trace takes. */
static const uint64_t original_ticks[RUNS] = {1000100, 1000500, 1000200, 1000900,
                                              1000300, 999000,  1000400};
static const uint64_t changed_ticks[RUNS] = {800100, 800500, 800200, 800900,
                                             800300, 900000, 800400};

struct fake {
    bool changed, tuned;
    int runs;
};

static bool noisy; /* there is noise, to be taken out */
static bool paced; /* the pace of the cores varies between the runs of the original */
static char order[4 * RUNS];
static const struct trace *changed_trace;

static enum status fake_prepare(const struct trace *trace, const struct engine_setup *setup,
                                void **state, struct engine_facts *facts, struct error *error)
{
    struct fake *fake = calloc(1, sizeof *fake);
    (void)error;
    fake->changed = trace == changed_trace;
    fake->tuned = setup->original != NULL;
    *state = fake;
    facts->trustworthy = true;
    facts->correctable = noisy;
    facts->approximations = strdup(!fake->changed ? "original\n"
                                   : fake->tuned  ? "changed, tuned\n"
                                                  : "changed\n");
    return STATUS_OK;
}

static enum status fake_run(void *state, struct trace *view, struct trace *undisturbed,
                            struct engine_run *run, struct error *error)
{
    struct fake *fake = state;
    if (fake->runs == RUNS)
        return error_set(error, STATUS_INPUT, "one run too many");
    uint64_t ticks = fake->changed ? changed_ticks[fake->runs] : original_ticks[fake->runs];
    if (paced && fake->runs < RUNS - 1) /* 0.98, 1, 1.02, ...; the last run tells none */
        run->pace_s = fake->changed ? 5e-8 : 1e-7 * (1 + 0.02 * (fake->runs % 3 - 1));
    fake->runs++;
    const size_t length = strlen(order);
    if (length + 1 < sizeof order)
        strcpy(order + length, fake->changed ? "c" : "o");
    view->streams[0].time[1] = view->streams[0].time[0] + ticks;
    trace_update_span(view);
    if (undisturbed) /* the shortest one had no noise */
        undisturbed->streams[0].time[1] =
            undisturbed->streams[0].time[0] + (fake->changed ? 800100 : 999000);
    run->time_s = (double)ticks * 1e-9;
    run->lost_s = 5e-6;
    run->disturbances = 2;
    return STATUS_OK;
}

static void fake_release(void *state)
{
    free(state);
}

static const struct engine fake_engine = {
    .name = "fake", .prepare = fake_prepare, .run = fake_run, .release = fake_release};

/* One rank with one region. */
static void make_trace(struct trace *trace, struct processes *processes,
                       struct definitions *definitions, struct stream *stream)
{
    static uint8_t kinds[2] = {EVENT_ENTER, EVENT_LEAVE};
    static uint32_t arguments[2] = {0, 0}, nowhere = INDEX_NONE;
    static struct region region = {.name = "main"};
    memset(trace, 0, sizeof *trace);
    trace->processes = processes;
    trace->definitions = definitions;
    trace->rank_count = trace->owned_count = 1;
    trace->streams = stream;
    trace->matched = true; /* it has nothing to match */
    stream->count = 2;
    stream->kind = kinds;
    stream->arg = arguments;
    stream->time = calloc(2, sizeof *stream->time);
    stream->time[1] = LENGTH;
    definitions->ticks_per_second = 1000000000;
    definitions->rank_count = 1;
    definitions->rank_location = &nowhere;
    definitions->regions = &region;
    definitions->region_count = 1;
    array_push(&trace->calltree.paths, ((struct callpath){CALLPATH_NONE, 0}));
    trace_update_span(trace);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

static void check_both(const struct repeat_input *input)
{
    struct repeat_result result;
    struct error error;
    mpi_check(repeat_run(input, &result, &error) == STATUS_OK, "runs of the two traces");
    mpi_check(strcmp(order, "occooccooccooc") == 0, "they take turns, first one, then the other");
    mpi_check(near(result.estimates.identity_s.median, 1000300e-9), "median of the original");
    mpi_check(near(result.estimates.changed_s.median, 800400e-9), "median of the changed trace");
    mpi_check(result.identity.median->end == 1000300, "the median run's times are kept");
    mpi_check(result.changed.median->end == 800400, "those of the changed trace, too");
    mpi_check(near(result.estimates.saving_s.median, 200000e-9), "a saving is that of the pairs");
    mpi_check(near(result.estimates.saving_s.low, 99000e-9) &&
                  near(result.estimates.saving_s.high, 200000e-9),
              "its interval is that of the paired differences");
    mpi_check(near(result.estimates.total_error.median, 300e-6),
              "total error of the identity replays");
    mpi_check(near(result.estimates.aggregate_error.high, 1000e-6),
              "aggregate error counts both signs");
    mpi_check(result.changed.disturbances == 2 * RUNS && near(result.identity.lost_s, 5e-6 * RUNS),
              "disturbances of all runs are summed");
    mpi_check(strcmp(result.facts.approximations, "changed, tuned\n") == 0,
              "the facts are those of the changed trace, tuned by the original");
    repeat_result_clear(&result);
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    struct definitions definitions = {0}, changed_definitions = {0};
    struct stream stream = {0}, changed_stream = {0};
    struct trace original, changed;
    struct repeat_result result;
    mpi_check_begin(&argc, &argv);
    processes_open(&processes, MPI_COMM_WORLD, &error);
    make_trace(&original, &processes, &definitions, &stream);
    make_trace(&changed, &processes, &changed_definitions, &changed_stream);
    changed_trace = &changed;

    struct repeat_input input = {
        .engine = &fake_engine, .original = &original, .changed = &changed, .count = RUNS};
    check_both(&input);

    /* Noise of the original: 1100, 1500, 1200, 1900, 1300, 0, 1400; of the changed one: 0, 400,
     * 100, 800, 200, 99900, 300. Of the 49 differences two are left out on each side; the replay is
     * 1000 too short. */
    order[0] = '\0';
    noisy = true;
    mpi_check(repeat_run(&input, &result, &error) == STATUS_OK, "with noise taken out");
    mpi_check(near(result.estimates.saving_s.low, 198900e-9) &&
                  near(result.estimates.saving_s.high, 198900e-9),
              "the replays' own interval is without it");
    mpi_check(near(result.estimates.saving_for_real.low, (198900 - 98700) / 999000. - 1e-3) &&
                  near(result.estimates.saving_for_real.high, (198900 + 1700) / 999000. + 1e-3),
              "what real runs would show differs by the noise and by the replay's error");
    const double low = result.estimates.saving_for_real.low;
    repeat_result_clear(&result);
    input.run_spread = 0.01;
    order[0] = '\0';
    mpi_check(repeat_run(&input, &result, &error) == STATUS_OK, "with the spread of runs");
    mpi_check(near(low - result.estimates.saving_for_real.low,
                   2.77 * 0.01 * (1 - result.estimates.saving_fraction.median)),
              "what two runs differ is in the interval, too");
    repeat_result_clear(&result);
    input.run_spread = 0;
    paced = true;
    order[0] = '\0';
    mpi_check(repeat_run(&input, &result, &error) == STATUS_OK, "with cores of varying pace");
    mpi_check(near(low - result.estimates.saving_for_real.low,
                   2.77 * sqrt(4 * 0.02 * 0.02 / (5 + 5)) *
                       (1 - result.estimates.saving_fraction.median)),
              "so real runs differ by as much");
    repeat_result_clear(&result);
    input.run_spread = 0.05;
    order[0] = '\0';
    mpi_check(repeat_run(&input, &result, &error) == STATUS_OK,
              "with a recording that varies more");
    mpi_check(near(low - result.estimates.saving_for_real.low,
                   2.77 * 0.05 * (1 - result.estimates.saving_fraction.median)),
              "the larger of the two counts");
    const struct estimate own = result.estimates.saving_fraction;
    mpi_check(near(result.estimates.saving_typical.low, own.low) &&
                  near(result.estimates.saving_typical.high, own.high),
              "typical runs do not differ by noise");
    repeat_result_clear(&result);
    input.run_spread = 0;
    input.part_spread = 0.01;
    input.method_error = 0.02;
    input.overstated = 0.005;
    order[0] = '\0';
    mpi_check(repeat_run(&input, &result, &error) == STATUS_OK, "with errors of the method");
    const struct estimate *saving = &result.estimates.saving_fraction;
    const double recorded = 1.96 * sqrt(2) * 0.01 * saving->median * (1 - saving->median);
    mpi_check(near(saving->median - result.estimates.saving_typical.low,
                   hypot(saving->median - saving->low, hypot(recorded, 0.02)) + 0.005),
              "what is independent adds up in squares");
    mpi_check(near(result.estimates.saving_typical.high - saving->median,
                   hypot(saving->high - saving->median, hypot(recorded, 0.02))),
              "a program that is really balanced cannot save more");
    mpi_check(result.estimates.saving_for_real.low <= result.estimates.saving_typical.low &&
                  result.estimates.saving_for_real.high >= result.estimates.saving_typical.high,
              "single runs differ by as much at least");
    input.part_spread = input.method_error = input.overstated = 0;
    repeat_result_clear(&result);
    noisy = paced = false;

    order[0] = '\0';
    input.against_trace = true;
    mpi_check(repeat_run(&input, &result, &error) == STATUS_OK, "against the recording");
    mpi_check(strcmp(order, "ccccccc") == 0, "the original is not run");
    mpi_check(near(result.estimates.saving_s.median, 199600e-9),
              "the saving counts from the recorded time");
    mpi_check(!result.identity.figures.times_s, "there are no times of the original");
    repeat_result_clear(&result);

    order[0] = '\0';
    input.changed = NULL;
    input.count = 2;
    mpi_check(repeat_run(&input, &result, &error) == STATUS_OK, "identity replays");
    mpi_check(strcmp(order, "oo") == 0 && result.identity.median->end == 1000100,
              "of two runs the shorter is kept");
    repeat_result_clear(&result);

    order[0] = '\0';
    input.count = RUNS + 1;
    mpi_check(repeat_run(&input, &result, &error) == STATUS_INPUT &&
                  !result.identity.figures.times_s,
              "a run that fails ends all and leaves nothing");
    free(stream.time);
    free(changed_stream.time);
    free(original.calltree.paths.items);
    free(changed.calltree.paths.items);
    processes_close(&processes);
    return mpi_check_end();
}
