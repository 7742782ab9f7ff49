/* Advice for small traces, of which the model predicts what can be computed by hand, with any
 * number of processes: choosing among candidates, and the waits that a change moves. */
#include "advise/advice.h"
#include "advise/choose.h"
#include "advise/trial.h"
#include "base/mpi/handles.h"
#include "tests/mpi_check.h"
#include "tests/transform/built_trace.h"
#include "trace/match/match.h"

#include <math.h>
#include <string.h>

/* Rank 0 computes 80000 ticks in work and rank 1 computes 20000, so rank 1 waits for 60000. T is
 * 100000 or, if both compute 50000, 70000. */
static const char *const uneven[] = {
    "0:<app 0:+main 0:+work 80000:-work 80000:+MPI_Barrier 80000:B 80010:E 80010:-MPI_Barrier "
    "100000:-main 100000:>",
    "0:<app 0:+main 0:+work 20000:-work 20000:+MPI_Barrier 20000:B 80010:E 80010:-MPI_Barrier "
    "100000:-main 100000:>"};

static const char config_text[] = "[trace]\npath = built\n\n[replay]\nengine = model\n";

static bool is_near(double value, double expected)
{
    if (fabs(value - expected) <= 0.002)
        return true;
    fprintf(stderr, "# %g instead of %g\n", value, expected);
    return false;
}

/* Opens a session on a trace of two ranks. Ends the test on a failure. */
static void open_session(struct processes *processes, const char *const *ranks,
                         struct replay_config **config, struct replay_session **session)
{
    struct error error;
    struct trace *trace = built_trace(processes, ranks, (const char *const[]){NULL, NULL}, 2);
    if (trace_match(trace, &error) != STATUS_OK ||
        replay_config_of_text("test", config_text, engine_find("model"), config, &error) !=
            STATUS_OK ||
        replay_session_open_on(*config, trace, "built", processes, session, &error) != STATUS_OK) {
        fprintf(stderr, "# %s\n", error.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* The advice about the uneven program. */
static void check_advice(struct processes *processes, const struct replay_session *session)
{
    static const struct advice_options options = {.keep = 5};
    struct advice advice;
    struct error error = {STATUS_OK, ""};
    const enum status status = advice_find(session, &options, &advice, &error);
    if (status != STATUS_OK)
        fprintf(stderr, "# %s\n", error.text);
    mpi_check(status == STATUS_OK && advice.item_count > 0, "there is advice");
    if (status != STATUS_OK || advice.item_count == 0)
        return;
    const struct advice_item *item = &advice.items[0];
    mpi_check(strcmp(item->parts[0]->kind, "imbalance") == 0 && item->part_count == 1,
              "the imbalance comes first");
    mpi_check(strcmp(item->sections, "[balance work]\nregion = work\n") == 0,
              "... of the innermost region that explains it");
    mpi_check(is_near(item->saving.median, 0.3) && is_near(item->computed, 0.3),
              "... and saves what can be computed by hand");
    mpi_check(strcmp(item->engine, "model") == 0 &&
                  strstr(item->config, "[balance work]\nregion = work\n"),
              "... by the model, with a configuration that repeats it");
    mpi_check(processes->rank > 0 || (item->shrink_count >= 1 && item->grow_count == 0 &&
                                      item->shrinks[0].metric == METRIC_MPI_BARRIER_WAIT &&
                                      strcmp(item->shrinks[0].path, "app/main/MPI_Barrier") == 0),
              "the wait at the barrier becomes shorter");
    mpi_check(processes->rank > 0 || (is_near(item->shrinks[0].before_s, 0.06) &&
                                      is_near(item->shrinks[0].after_s, 0)),
              "... from 60 ms to nothing");
    advice_clear(&advice);
}

/* A candidate whose saving is known. */
static struct advice_candidate make_candidate(const char *cause, const char *sections,
                                              enum effort effort, double saving)
{
    return (struct advice_candidate){.kind = "test",
                                     .effort = effort,
                                     .path = CALLPATH_NONE,
                                     .region = INDEX_NONE,
                                     .ranks = 2,
                                     .cause = cause,
                                     .sections = sections,
                                     .change = "Change it.",
                                     .saving = saving};
}

/* Chooses among candidates with these savings. */
static void choose_from(const struct replay_session *session,
                        const struct advice_candidate *candidates, size_t count, size_t keep,
                        struct advice *advice)
{
    const struct advice_options options = {.keep = keep, .without_details = true};
    struct error error = {STATUS_OK, ""};
    *advice = (struct advice){
        .arena = arena_create(), .time_s = session->recorded_s, .resolution = 0.005};
    advice->candidates.arena = advice->arena;
    enum status status = facts_gather(session->original, &advice->facts, &error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const double saving = candidates[i].saving;
        candidate_add(&advice->candidates, candidates[i]);
        if (advice->candidates.out_of_memory)
            MPI_Abort(MPI_COMM_WORLD, 1);
        struct advice_candidate *added = &advice->candidates.all.items[i];
        added->saving = added->least_saving = saving;
    }
    status = status ?: advice_choose(session, &options, advice, &error);
    if (status != STATUS_OK)
        fprintf(stderr, "# %s\n", error.text);
    mpi_check(status == STATUS_OK, "candidates are chosen");
}

static void check_choice(const struct replay_session *session)
{
    static const char balance[] = "[balance a]\nregion = work\n";
    static const char each_visit[] = "[balance b]\nregion = work\nmode = instance\n";
    static const char nothing[] = "[scale c]\nregion = work\nfactor = 1\n";
    struct advice advice;
    const struct advice_candidate variants[] = {
        make_candidate("one", balance, EFFORT_LARGE, 0.1),
        make_candidate("one", balance, EFFORT_LARGE, 0.28),
        make_candidate("one", balance, EFFORT_LARGE, 0.3),
        make_candidate("two", nothing, EFFORT_SMALL, 0.004),
        make_candidate("three", nothing, EFFORT_SMALL, NAN)};
    choose_from(session, variants, 5, 5, &advice);
    mpi_check(advice.item_count == 1, "savings below the resolution are left out");
    mpi_check(advice.item_count == 1 && advice.items[0].parts[0] == &advice.candidates.all.items[1],
              "the first variant that saves nearly the maximum is kept");
    advice_clear(&advice);

    /* There is one visit per rank, so balancing within visits changes the same. */
    const struct advice_candidate alike[] = {make_candidate("one", balance, EFFORT_LARGE, 0.3),
                                             make_candidate("two", each_visit, EFFORT_SMALL, 0.29)};
    choose_from(session, alike, 2, 5, &advice);
    mpi_check(advice.item_count == 1 && advice.items[0].parts[0]->effort == EFFORT_SMALL,
              "of two changes for the same wait, the easier is kept");
    mpi_check(advice.item_count == 1 && advice.items[0].alternative_count == 1 &&
                  advice.items[0].alternatives[0].candidate->effort == EFFORT_LARGE,
              "... and the other one is its alternative");
    advice_clear(&advice);

    const struct advice_candidate separate[] = {
        make_candidate("one", "[scale d]\nregion = work\nranks = 0\nfactor = 0.9\n", EFFORT_LARGE,
                       0.08),
        make_candidate("two", "[network]\nideal = yes\n", EFFORT_SMALL, 0.01)};
    choose_from(session, separate, 2, 1, &advice);
    mpi_check(advice.item_count == 1 && advice.items[0].parts[0]->saving == 0.08,
              "no more proposals than wanted, the best first");
    advice_clear(&advice);
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    struct error error;
    mpi_check_begin(&argc, &argv);
    if (processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    open_session(&processes, uneven, &config, &session);
    check_advice(&processes, session);
    check_choice(session);
    replay_session_close(session);
    replay_config_destroy(config);
    processes_close(&processes);
    return mpi_check_end();
}
