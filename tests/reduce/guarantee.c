/* The guarantee of exact reductions, on random programs: whatever hypotheses are covered by the
 * assumptions, the model predicts the same time for every row that stays, for the end of every
 * rank, and for the whole, to the tick. Waits that are long enough may be left out besides.
 *
 * SILAS_CASES: how many cases; SILAS_CASE: this one alone, with all details. A case
 * is the same on any number of processes. */
#include "random_program.h"
#include "base/mpi/handles.h"
#include "tests/mpi_check.h"
#include "tests/patterns/case_reader.h"

#include "base/log.h"
#include "reduce/folded.h"
#include "reduce/reduce.h"
#include "reduce/resolve.h"
#include "reduce/rows.h"
#include "replay/model/critical.h"
#include "replay/model/model.h"
#include "trace/calls/records.h"
#include "transform/hypothesis.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ASSUMPTIONS = 3, HYPOTHESES = 4, QUICK_CASES = 1000 };

static const double poll_gap_s = 5;

struct guarantee_counts {
    int64_t cases, hypotheses, refused, changed, skipped;
    struct reduction_counts reduction;
};

struct guarantee_case {
    uint64_t seed, state;
    const struct processes *processes;
    struct trace *full, *reduced;
    struct assumptions assumptions;
    char assumed[ASSUMPTIONS][100]; /* "scale region=f" */
    int assumed_count;
    double least_wait_s; /* INFINITY: none */
    uint32_t **rows;     /* [owned stream][row of the reduced trace]: row of the whole one */
    struct guarantee_counts *counts;
    bool verbose;
};

static int case_roll(struct guarantee_case *c, int limit)
{
    return reduction_random_below(&c->state, limit);
}

static const char *const assumable[] = {
    "scale region=f",
    "scale region=g",
    "scale region=h",
    "scale callpath=main/f",
    "scale region=main",
    "balance region=k",
    "balance region=f,g",
    "scale callpath=f/g",
    "cpu",
    "cut size=8",
    "cut tag=1",
    "cut tag=2 size=0..100",
    "cut region=f",
    "cut sender=0",
    "cut receiver=1",
    "cut region=MPI_Isend",
    "cut what=collectives operation=MPI_Bcast",
    "cut what=collectives operation=MPI_Barrier",
    "cut what=collectives region=g",
    "cut what=collectives communicator=some",
    "network latency=10",
    "network latency=0",
    "network bandwidth=0.1",
    "network bandwidth=4",
    "network eager_limit=64",
    "network ideal=yes",
};

static void assume(struct guarantee_case *c, const char *text)
{
    struct assumptions one = {.arena = NULL};
    struct resolved resolved;
    struct error error;
    for (int i = 0; i < c->assumed_count; i++)
        if (strcmp(c->assumed[i], text) == 0) /* twice is more than once */
            return;
    bool fits = assumptions_add(&one, &assumable_hypotheses, text, &error) == STATUS_OK;
    if (!fits)
        fprintf(stderr, "# %s: %s\n", text, error.text);
    if (fits) {
        fits = assumptions_resolve(&one, c->full, &resolved, &error) == STATUS_OK;
        resolved_clear(&resolved);
    }
    assumptions_clear(&one);
    if (!fits || assumptions_add(&c->assumptions, &assumable_hypotheses, text, &error) != STATUS_OK)
        return;
    if (strncmp(text, "waits", 5) != 0)
        snprintf(c->assumed[c->assumed_count++], sizeof c->assumed[0], "%s", text);
}

static void choose_assumptions(struct guarantee_case *c)
{
    static const double waits[] = {0, 10, 50, 300, INFINITY, INFINITY};
    char text[100];
    c->least_wait_s = waits[case_roll(c, 6)];
    if (c->least_wait_s < INFINITY) {
        snprintf(text, sizeof text, "waits at_least=%g", c->least_wait_s);
        assume(c, text);
    }
    for (int i = case_roll(c, 5) ? case_roll(c, ASSUMPTIONS + 1) : 1; i > 0; i--)
        assume(c, assumable[case_roll(c, sizeof assumable / sizeof *assumable)]);
}

/* Writes the section of an assumption, with amounts. */
static void write_assumed_hypothesis(struct guarantee_case *c, int i, char *text, size_t size)
{
    static const char *const factors[] = {"0", "0.3", "1", "2.7", "1000"};
    char words[100], *rest = words, *word;
    snprintf(words, sizeof words, "%s", c->assumed[i]);
    const char *kind = strtok_r(rest, " ", &rest);
    bool regions = strcmp(kind, "scale") == 0 || strcmp(kind, "balance") == 0;
    bool balances = regions && case_roll(c, 3) == 0;
    int used =
        snprintf(text, size, "[%s %d]\n", regions ? balances ? "balance" : "scale" : kind, i);
    while ((word = strtok_r(rest, " ", &rest)))
        used += snprintf(text + used, size - (size_t)used, "%s\n", word);
    if (balances)
        snprintf(text + used, size - (size_t)used, "mode = %s\n",
                 case_roll(c, 2) ? "global" : "instance");
    else if (regions)
        snprintf(text + used, size - (size_t)used, "factor = %s\nmode = %s\n",
                 factors[case_roll(c, 5)], case_roll(c, 3) ? "inclusive" : "exclusive");
    else if (strcmp(kind, "cpu") == 0 && case_roll(c, 2))
        snprintf(text + used, size - (size_t)used, "speed = %d.5\n", case_roll(c, 4));
    else if (strcmp(kind, "cpu") == 0)
        snprintf(text + used, size - (size_t)used,
                 "rank = 0\nspeed = 1.5\nnoise_period = 20\nnoise_length = %d\n",
                 1 + case_roll(c, 9));
}

/* Times that are compared: T and all rows. */
struct prediction {
    struct trace *changed, *view;
    struct model *model;
    void *state;
    double time_s;
};

static enum status prepare_prediction(struct guarantee_case *c, struct trace *trace,
                                      const struct ini *ini, struct prediction *prediction,
                                      struct error *error)
{
    struct hypothesis *hypotheses;
    size_t count;
    struct engine_facts facts = {.approximations = NULL};
    const struct engine_setup setup = {.poll_gap_s = poll_gap_s};
    (void)c;
    *prediction = (struct prediction){.changed = NULL};
    enum status status = hypotheses_parse(ini, &hypotheses, &count, error);
    if (status != STATUS_OK)
        return status;
    status = hypotheses_apply(hypotheses, count, trace, &prediction->changed, NULL, error);
    hypotheses_destroy(hypotheses, count);
    if (status == STATUS_OK)
        status =
            engine_model.prepare(prediction->changed, &setup, &prediction->state, &facts, error);
    free(facts.approximations);
    if (status == STATUS_OK) {
        prediction->model = engine_model.equations(prediction->state);
        prediction->view = trace_view(prediction->changed, error);
    }
    return status;
}

static enum status run_prediction(struct prediction *prediction, struct error *error)
{
    struct engine_run engine_run;
    enum status status =
        engine_model.run(prediction->state, prediction->view, NULL, &engine_run, error);
    prediction->time_s = engine_run.time_s;
    return status;
}

static void release_prediction(struct prediction *prediction)
{
    trace_destroy(prediction->view);
    engine_model.release(prediction->state);
    trace_destroy(prediction->changed);
}

/* The step that ends the call entered at `row` of a rank; SIZE_MAX: none. For one process. */
static size_t end_step(const struct model *model, uint32_t rank, uint32_t row)
{
    const struct equations *equations = &model->equations;
    size_t end = equations->first_end[rank];
    for (size_t i = equations->first[rank]; i < equations->first[rank + 1]; i++) {
        if (equations->steps[i].code != STEP_END)
            continue;
        if (model->part.spans.items[end++].enter == row)
            return i;
    }
    return SIZE_MAX;
}

/* Leaves out the waits of the call. */
static void leave_out_waits(const struct model *model, uint32_t rank, size_t step)
{
    while (step-- > model->equations.first[rank]) {
        struct step *wait = &model->equations.steps[step];
        if (wait->code != STEP_WAIT && wait->code != STEP_AWAIT)
            return;
        *wait = (struct step){.time = wait->time, .slot = wait->slot, .code = STEP_SKIPPED};
    }
}

/* The calls of the recording that may be left out: their ranks and rows. */
struct long_waits {
    struct {
        uint32_t rank, row;
    } calls[64];
    int count;
};

static void find_long_waits(struct guarantee_case *c, struct long_waits *waits, struct error *error)
{
    struct prediction recording;
    struct ini *none = NULL;
    struct critical *critical = NULL;
    waits->count = 0;
    if (c->processes->size > 1 || c->least_wait_s == INFINITY)
        return;
    if (ini_parse_text("none", "", 0, &none, error) == STATUS_OK &&
        prepare_prediction(c, c->full, none, &recording, error) == STATUS_OK &&
        critical_create(&recording.model->equations, &critical, error) == STATUS_OK) {
        const struct equations *equations = &recording.model->equations;
        critical_update(critical, recording.model->evaluator);
        for (size_t end = 0; end < equations->first_end[equations->rank_count]; end++) {
            struct waiting_call call = critical_call(critical, end);
            if (call.wait > 0 && (double)call.wait >= c->least_wait_s && waits->count < 64) {
                waits->calls[waits->count].rank = call.rank;
                waits->calls[waits->count++].row = recording.model->part.spans.items[end].enter;
            }
        }
    }
    critical_destroy(critical);
    release_prediction(&recording);
    ini_destroy(none);
}

static uint32_t reduced_row(const struct guarantee_case *c, uint32_t rank, uint32_t row)
{
    for (uint32_t i = 0; i < c->reduced->streams[rank].count; i++)
        if (c->rows[rank][i] == row)
            return i;
    return INDEX_NONE;
}

static bool skip_some(struct guarantee_case *c, const struct long_waits *waits,
                      struct prediction *full, struct prediction *reduced)
{
    if (waits->count == 0)
        return true;
    bool all = case_roll(c, 4) == 0;
    for (int i = all ? waits->count : 1 + case_roll(c, 3); i > 0; i--) {
        int which = all ? i - 1 : case_roll(c, waits->count);
        uint32_t rank = waits->calls[which].rank, row = waits->calls[which].row;
        uint32_t small_row = reduced_row(c, rank, row);
        size_t step = end_step(full->model, rank, row);
        size_t small_step =
            small_row == INDEX_NONE ? SIZE_MAX : end_step(reduced->model, rank, small_row);
        if (step == SIZE_MAX) /* under this hypothesis it is part of another call */
            continue;
        if (small_step == SIZE_MAX) {
            fprintf(stderr,
                    "# case %" PRIu64 ": rank %u, row %u waits and is not in the reduced trace\n",
                    c->seed, rank, row);
            return false;
        }
        leave_out_waits(full->model, rank, step);
        leave_out_waits(reduced->model, rank, small_step);
        c->counts->skipped++;
    }
    return true;
}

/* Where cuts have removed rows, the sends that are left are compared: the row of each is that of
 * another one in the recording, which both recordings have. */
static int64_t compare_sends(const struct guarantee_case *c, const struct prediction *full,
                             const struct prediction *reduced, uint32_t s)
{
    const struct stream *a = &full->view->streams[s], *b = &reduced->view->streams[s];
    const struct stream *whole = &c->full->streams[s], *left = &c->reduced->streams[s];
    uint64_t *times = calloc((size_t)whole->count + 1, sizeof *times); /* [row of the whole] */
    int64_t different = 0;
    for (uint32_t m = 0; m < a->message_count; m++)
        if (a->messages[m].flags & MESSAGE_SEND)
            times[whole->messages[a->messages[m].recorded].post] = a->time[a->messages[m].post];
    for (uint32_t m = 0; m < b->message_count && different == 0; m++) {
        uint32_t row = c->rows[s][left->messages[b->messages[m].recorded].post];
        uint64_t time = b->time[b->messages[m].post];
        if (!(b->messages[m].flags & MESSAGE_SEND) || time == times[row])
            continue;
        fprintf(stderr,
                "# rank %u, send in row %u (of the whole): %" PRIu64 " instead of %" PRIu64 "\n",
                a->rank, row, time, times[row]);
        different++;
    }
    free(times);
    return different;
}

/* T, the ends of all ranks, and all rows that stay. Only records within a call may differ: their
 * times are in proportion to the call, which begins at the last of those before the wait. */
static int64_t compare_predictions(struct guarantee_case *c, const struct prediction *full,
                                   const struct prediction *reduced, bool rows_stay)
{
    int64_t different = full->time_s != reduced->time_s;
    if (different && c->processes->rank == 0)
        fprintf(stderr, "# T %.17g instead of %.17g\n", reduced->time_s, full->time_s);
    for (uint32_t s = 0; s < c->full->owned_count; s++) {
        const struct stream *a = &full->view->streams[s], *b = &reduced->view->streams[s];
        if (a->time[a->count - 1] != b->time[b->count - 1]) {
            fprintf(stderr, "# rank %u ends at %" PRIu64 " instead of %" PRIu64 "\n", a->rank,
                    b->time[b->count - 1], a->time[a->count - 1]);
            different++;
        }
        if (!rows_stay)
            different += compare_sends(c, full, reduced, s);
        for (uint32_t row = 0; row < b->count && rows_stay; row++)
            if (record_properties((enum event_kind)b->kind[row]) == 0 &&
                b->time[row] != a->time[c->rows[s][row]]) {
                fprintf(stderr,
                        "# rank %u, row %u (of the whole: %u): %" PRIu64 " instead of %" PRIu64
                        "\n",
                        a->rank, row, c->rows[s][row], b->time[row], a->time[c->rows[s][row]]);
                different++;
                break;
            }
    }
    processes_max(c->processes, &different, 1);
    return different;
}

static bool try_hypothesis(struct guarantee_case *c, const struct long_waits *waits)
{
    char text[1000] = "";
    bool cuts = false, same = true;
    struct prediction full, reduced;
    struct ini *ini;
    struct error error, other;
    for (int i = 0; i < c->assumed_count; i++)
        if (case_roll(c, 4)) {
            cuts |= strncmp(c->assumed[i], "cut", 3) == 0;
            write_assumed_hypothesis(c, i, text + strlen(text), sizeof text - strlen(text));
        }
    if (ini_parse_text("hypothesis", text, strlen(text), &ini, &error) != STATUS_OK) {
        fprintf(stderr, "# %s\n", error.text);
        return false;
    }
    enum status a = prepare_prediction(c, c->full, ini, &full, &error);
    enum status b = prepare_prediction(c, c->reduced, ini, &reduced, &other);
    if (a == STATUS_OK && b == STATUS_OK) {
        if (!cuts && case_roll(c, 2))
            same = skip_some(c, waits, &full, &reduced);
        a = run_prediction(&full, &error);
        b = run_prediction(&reduced, &other);
    }
    c->counts->hypotheses++;
    if (a != b) { /* deadlocks of the cut program are found in both or in none */
        fprintf(stderr, "# only one fails: %s\n", a == STATUS_OK ? other.text : error.text);
        same = false;
    } else if (a != STATUS_OK) {
        c->counts->refused++;
        if (c->verbose)
            fprintf(stderr, "# refused: %s\n", error.text);
    } else {
        same = compare_predictions(c, &full, &reduced, !cuts) == 0 && same;
        c->counts->changed +=
            full.time_s != trace_seconds(c->full, (double)(c->full->end - c->full->begin));
    }
    if (!same && c->processes->rank == 0)
        fprintf(stderr, "# case %" PRIu64 ", hypothesis:\n%s", c->seed, text);
    release_prediction(&full);
    release_prediction(&reduced);
    ini_destroy(ini);
    return same;
}

/* Parameters of a machine that is not the one of the program. */
static enum status give_machine(struct guarantee_case *c, struct error *error)
{
    static const uint64_t limits[] = {UINT64_MAX, 0, 64, 4096};
    struct machine machine = {.limit_is_assumed = case_roll(c, 4) == 0};
    for (int d = 0; d < DISTANCE_COUNT; d++)
        machine.distances[d] = (struct loggps){.known = true,
                                               .latency = case_roll(c, 10),
                                               .per_byte = case_roll(c, 2) ? 0 : 0.01,
                                               .send_overhead = case_roll(c, 2),
                                               .receive_overhead = case_roll(c, 2),
                                               .synchronous_from = limits[case_roll(c, 4)]};
    return machine_keep(c->full, &machine, error);
}

/* Which row of the whole trace each row of the reduced one was. */
static bool find_kept_rows(struct guarantee_case *c, const struct folding_input *input)
{
    struct folding folding;
    struct error error;
    if (folding_find(c->full, input, &folding, &error) != STATUS_OK)
        return false;
    bool same = true;
    c->rows = calloc((size_t)c->full->owned_count + 1, sizeof *c->rows);
    for (uint32_t s = 0; s < c->full->owned_count; s++) {
        const struct stream *whole = &c->full->streams[s], *left = &c->reduced->streams[s];
        bool *drop = calloc(whole->count + 1, 1);
        uint32_t count = 0;
        c->rows[s] = calloc((size_t)whole->count + 1, sizeof **c->rows);
        if (!reduction_drop_rows(c->full, s, &folding, input->changed.paths, drop))
            abort();
        for (uint32_t row = 0; row < whole->count; row++)
            if (!drop[row])
                c->rows[s][count++] = row;
        same = same && count == left->count;
        for (uint32_t row = 0; row < left->count && same; row++)
            same = left->time[row] == whole->time[c->rows[s][row]] &&
                   left->kind[row] == whole->kind[c->rows[s][row]];
        free(drop);
    }
    folding_clear(&folding);
    return same;
}

static bool check_guarantee(struct guarantee_case *c)
{
    struct resolved resolved;
    struct reduction_counts counts;
    struct machine machine;
    struct long_waits waits;
    struct error error = {.status = STATUS_OK};
    bool same = true;
    enum status status = STATUS_OK;
    choose_assumptions(c);
    if (case_roll(c, 3) == 0)
        status = give_machine(c, &error);
    if (status == STATUS_OK) {
        status = assumptions_resolve(&c->assumptions, c->full, &resolved, &error);
        resolved.input.poll_gap_s = poll_gap_s;
        resolved.input.terms = case_roll(c, 2);
    }
    if (status == STATUS_OK)
        status = reduction_make(c->full, &resolved.input, &c->reduced, &machine, &counts, &error);
    if (status == STATUS_OK)
        status = machine_keep(c->reduced, &machine, &error);
    if (c->verbose)
        for (int i = 0; i < c->assumed_count; i++)
            fprintf(stderr, "# assumed: %s\n", c->assumed[i]);
    if (status != STATUS_OK) { /* the given machine makes it wait forever */
        if (c->verbose || !strstr(error.text, "forever"))
            fprintf(stderr, "# case %" PRIu64 ": %s\n", c->seed, error.text);
        same = strstr(error.text, "forever") != NULL;
        c->counts->refused++;
        resolved_clear(&resolved);
        return same;
    }
    struct reduction_counts *sum = &c->counts->reduction;
    sum->events += counts.events;
    sum->events_left += counts.events_left;
    sum->messages += counts.messages;
    sum->messages_left += counts.messages_left;
    sum->operations += counts.operations;
    sum->operations_left += counts.operations_left;
    same = find_kept_rows(c, &resolved.input);
    if (!same)
        fprintf(stderr, "# case %" PRIu64 ": other rows\n", c->seed);
    find_long_waits(c, &waits, &error);
    for (int i = 0; i < HYPOTHESES; i++)
        same = try_hypothesis(c, &waits) && same;
    for (uint32_t s = 0; s < c->full->owned_count; s++)
        free(c->rows[s]);
    free(c->rows);
    trace_destroy(c->reduced);
    resolved_clear(&resolved);
    return same;
}

static bool run_guarantee_case(uint64_t seed, struct processes *processes,
                               struct guarantee_counts *counts, bool verbose)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    reduction_program_write(seed, file);
    fclose(file);
    if (verbose && processes->rank == 0)
        fprintf(stderr, "%s", text);
    file = fmemopen(text, size, "r");
    struct test_case *test_case = case_read_stream("the program", file, processes);
    fclose(file);
    free(text);
    struct guarantee_case c = {.seed = seed,
                               .state = seed ^ 0x5bd1e995,
                               .processes = processes,
                               .full = test_case->trace,
                               .counts = counts,
                               .verbose = verbose};
    bool same = check_guarantee(&c);
    if (!same && processes->rank == 0)
        for (int i = 0; i < c.assumed_count; i++)
            fprintf(stderr, "# case %" PRIu64 " assumes: %s\n", seed, c.assumed[i]);
    if (!same && processes->rank == 0 && c.least_wait_s < INFINITY)
        fprintf(stderr, "# case %" PRIu64 " assumes: waits of %g\n", seed, c.least_wait_s);
    counts->cases++;
    assumptions_clear(&c.assumptions);
    case_destroy(test_case);
    return same;
}

static void print_counts(const struct guarantee_counts *counts)
{
    const struct reduction_counts *r = &counts->reduction;
    printf("# %" PRId64 " cases, %" PRId64 " hypotheses (%" PRId64 " refused, %" PRId64
           " with another T), %" PRId64 " waits left out\n"
           "# left: %" PRId64 " of %" PRId64 " events, %" PRId64 " of %" PRId64
           " messages, %" PRId64 " of %" PRId64 " parts of operations\n",
           counts->cases, counts->hypotheses, counts->refused, counts->changed, counts->skipped,
           r->events_left, r->events, r->messages_left, r->messages, r->operations_left,
           r->operations);
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    struct guarantee_counts counts = {0};
    const char *one = getenv("SILAS_CASE"), *many = getenv("SILAS_CASES");
    int64_t failed = 0;
    mpi_check_begin(&argc, &argv);
    mpi_check(processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK, "processes open");
    log_open("guarantee", false);
    uint64_t first = one ? strtoull(one, NULL, 10) : 1;
    uint64_t cases = many ? strtoull(many, NULL, 10) : QUICK_CASES;
    if (processes.size > 1 && !one) /* more processes than cores are slow */
        cases /= 10;
    for (uint64_t seed = first; seed < first + (one ? 1 : cases) && failed < 3; seed++)
        failed += !run_guarantee_case(seed, &processes, &counts, one != NULL);
    processes_max(&processes, &failed, 1);
    if (processes.rank == 0)
        print_counts(&counts);
    const struct reduction_counts *r = &counts.reduction;
    mpi_check(failed == 0, "the reduced traces predict what the whole ones do");
    mpi_check(one || (r->messages_left < r->messages * 9 / 10 && r->messages_left > 0),
              "some messages fold, some do not");
    mpi_check(one || (r->operations_left < r->operations * 9 / 10 && r->operations_left > 0),
              "some collective operations fold, some do not");
    mpi_check(one || counts.changed * 3 > counts.hypotheses, "many hypotheses change T");
    processes_close(&processes);
    return mpi_check_end();
}
