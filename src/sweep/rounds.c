#include "sweep/rounds.h"

#include "base/log.h"
#include "base/paired.h"
#include "base/progress.h"
#include "job/replay_summary.h"
#include "replay/series.h"
#include "sweep/changes.h"
#include "sweep/journal.h"
#include "sweep/reports.h"
#include "sweep/savings.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run while it is replayed. */
struct open_run {
    size_t number;    /* in struct rounds_input */
    const char *name; /* of the run */
    struct replay_config *config;
    struct replay_session *session;
    struct series *series;
    struct run_result result;
    size_t rounds; /* that this job has to replay */
    bool precise;  /* it needs no more pairs */
};

struct round_series {
    const struct rounds_input *input;
    const struct trace *trace;
    struct processes *processes;
    struct series *unchanged;
    struct repeat_runs unchanged_runs;
    struct open_run *runs; /* [all runs at most]: those of the same rounds */
    size_t run_count;
    size_t *order;          /* [runs + 1] of one round; the last number is the unchanged trace */
    struct run_pair *pairs; /* [runs] of one round */
    struct journal_entry *entries; /* [runs + 1] */
    struct journal journal;
};

static void open_run_close(struct open_run *run)
{
    if (run->session) /* its `identity` belongs to the rounds */
        memset(&run->session->result.identity, 0, sizeof run->session->result.identity);
    series_close(run->series);
    replay_session_close(run->session);
    replay_config_destroy(run->config);
    run_result_clear(&run->result);
    memset(run, 0, sizeof *run);
}

static enum status add_pair(struct run_result *result, struct run_pair pair, struct error *error)
{
    struct run_pair *pairs =
        realloc(result->pairs, (result->pair_count + 1) * sizeof *result->pairs);
    if (!pairs)
        return error_memory(error, "the rounds of a sweep");
    pairs[result->pair_count++] = pair;
    result->pairs = pairs;
    return STATUS_OK;
}

/* Takes over the pairs of rounds that earlier jobs have completed. */
static enum status take_from_journal(const struct round_series *rounds, struct open_run *run,
                                     struct error *error)
{
    const struct journal_entry *unchanged = NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < rounds->journal.entries.count && status == STATUS_OK; i++) {
        const struct journal_entry *entry = &rounds->journal.entries.items[i];
        if (strcmp(entry->run, "-") == 0) /* a round begins with it */
            unchanged = entry;
        else if (strcmp(entry->run, run->name) == 0 && unchanged &&
                 unchanged->round == entry->round)
            status = add_pair(&run->result,
                              (struct run_pair){unchanged->time_s, entry->time_s,
                                                unchanged->objective, entry->objective},
                              error);
    }
    return status;
}

/* Collective. Finds whether the first pairs give so narrow an interval that it hardly widens that
 * of the saving between typical runs. Only the spread of the pairs decides, not the saving, so the
 * interval and the test keep their levels (doc/methods.md, section 12). */
static void find_precise(const struct round_series *rounds, struct open_run *run)
{
    static const double SMALL_PART = 1.0 / 3; /* widens the other error by 5 %: sqrt(1 + 1/9) */
    double fractions[PAIRED_FEWEST];
    const struct repeat_input input = replay_session_input(run->session);
    if (!rounds->input->may_stop || !rounds->input->objective->is_time ||
        run->result.pair_count < PAIRED_FEWEST)
        return;
    for (size_t i = 0; i < PAIRED_FEWEST; i++) {
        fractions[i] = pair_saving(&run->result.pairs[i]);
        if (!isfinite(fractions[i]))
            return;
    }
    const struct estimate saving = paired_estimate(fractions, PAIRED_FEWEST);
    const double other = repeat_typical_error(&input, saving.median);
    run->precise = (saving.high - saving.low) / 2 <= SMALL_PART * other;
    processes_broadcast(rounds->processes, &run->precise, sizeof run->precise);
    if (run->precise) /* the journal may have a replay more, which was for the report */
        run->result.pair_count = PAIRED_FEWEST;
}

/* Collective. Passes the result of a finished run to the caller, and closes the run. */
static enum status finish_run(struct round_series *rounds, struct open_run *run,
                              struct error *error)
{
    enum status status = STATUS_OK;
    if (rounds->processes->rank == 0)
        status = rounds->input->done(rounds->input->data, run->number, &run->result, error);
    status = processes_agree(rounds->processes, status, error);
    open_run_close(run);
    return status;
}

/* Collective. Finishes a run that has failed for the reason in `failure`. */
static enum status fail_run(struct round_series *rounds, struct open_run *run,
                            const struct error *failure, struct error *error)
{
    run->result.state = RUN_FAILED;
    run->result.message = strdup(failure->text);
    enum status status =
        processes_agree_memory(rounds->processes, run->result.message != NULL, "a result", error);
    return status ?: finish_run(rounds, run, error);
}

/* Collective. Changes the trace by the hypotheses of the run. */
static enum status open_run_session(const struct round_series *rounds, struct open_run *run,
                                    struct error *error)
{
    const struct replay_session *base = rounds->input->base;
    const size_t wanted = rounds->input->rounds;
    enum status status = replay_config_of_copy(rounds->input->runs[run->number]->ini,
                                               base->config->engine, &run->config, error);
    status = processes_agree(rounds->processes, status, error)
                 ?: replay_session_open_beside(base, run->config, &run->session, error)
                 ?: processes_agree(rounds->processes, take_from_journal(rounds, run, error), error);
    if (status != STATUS_OK)
        return status;
    run_result_count_changes(run->config, rounds->trace, &run->result);
    const size_t done = run->result.pair_count;
    find_precise(rounds, run);
    run->precise = run->precise || done >= wanted;
    run->rounds = run->precise ? 1 : wanted - done; /* the report needs a replay */
    return STATUS_OK;
}

/* The trace that a run replays: the unchanged one if its configuration has no hypotheses. */
static const struct trace *trace_of_run(const struct open_run *run)
{
    return run->session->changed ? run->session->changed : run->session->original;
}

static enum status open_run_series(struct round_series *rounds, struct open_run *run,
                                   struct error *error)
{
    const struct replay_config *config = run->config;
    struct series_input input = {.engine = config->engine,
                                 .setup = replay_config_setup(config, config->engine),
                                 .trace = trace_of_run(run),
                                 .original = rounds->unchanged};
    return series_open(&input, &run->series, &run->session->result.facts, error);
}

/* Bytes of memory that this process uses, and that the host has left; 0 if unknown. */
static int64_t memory_used(void)
{
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%*d %lld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static int64_t memory_left(void)
{
    char line[128];
    long long kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lld", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

/* Bytes of the views that a series keeps until it has found its median replay. */
static int64_t views_size(const struct trace *trace, size_t rounds)
{
    return (int64_t)trace_owned_events(trace) * (int64_t)sizeof(uint64_t) *
           (int64_t)(rounds / 2 + 3);
}

/* Collective. Whether memory suffices for another run as large as `run`, which has taken `grown`
 * bytes. Half of the memory that is left is not used. */
static bool has_memory_for_more(const struct round_series *rounds, const struct open_run *run,
                                int64_t grown)
{
    int64_t left = memory_left();
    int64_t needed = (grown > 0 ? grown : 0) + 2 * views_size(trace_of_run(run), run->rounds);
    int64_t full = left > 0 && needed > left / 2 / rounds->processes->size;
    processes_max(rounds->processes, &full, 1);
    return !full;
}

/* Collective. Opens runs from `*next` on until all are open or memory does not suffice for more.
 * The results of runs that fail are passed to the caller. */
static enum status open_more_runs(struct round_series *rounds, size_t *next, struct error *error)
{
    rounds->run_count = 0;
    for (bool more = true; more && *next < rounds->input->count;) {
        struct open_run *run = &rounds->runs[rounds->run_count];
        struct error failure = {STATUS_OK, ""};
        int64_t before = memory_used();
        *run = (struct open_run){.number = *next,
                                 .name = rounds->input->runs[*next]->name,
                                 .result = {.engine = "realtime",
                                            .trustworthy = true,
                                            .typical_error = NAN,
                                            .model_saving = NAN}};
        enum status status = open_run_session(rounds, run, &failure);
        const bool changed = status == STATUS_OK;
        if (changed)
            status = open_run_series(rounds, run, &failure);
        if (status != STATUS_OK && changed && rounds->run_count > 0) {
            open_run_close(run); /* the MPI library may have no more communicators: it is opened */
            return STATUS_OK;    /* again for the next rounds */
        }
        (*next)++;
        if (status == STATUS_OK) {
            rounds->run_count++;
            more = has_memory_for_more(rounds, run, memory_used() - before);
            continue;
        }
        if (status != STATUS_INPUT) { /* not due to this run, which stays open */
            *error = failure;
            return status;
        }
        status = fail_run(rounds, run, &failure, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* A random number, the same on all processes (splitmix64: G. Steele, D. Lea, C. Flood, 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* Makes the random order of a round, the same on all processes. */
static void shuffle_round(const struct round_series *rounds, size_t *order, size_t count)
{
    uint64_t state = rounds->input->seed ^ ((uint64_t)rounds->journal.rounds << 32);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t other = next_random(&state) % i, kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

/* Collective. One replay; sets T and the objective. */
static enum status replay_once(const struct round_series *rounds, struct series *series,
                               double *time_s, double *objective, struct error *error)
{
    enum status status = series_run(series, error);
    if (status != STATUS_OK)
        return status;
    const struct trace *view = series_last(series);
    *time_s = trace_seconds(view, (double)(view->end - view->begin));
    return objective_of(rounds->input->objective, view, objective, error);
}

/* Collective. Replays the unchanged trace and all runs that still need round number `done`, in
 * random order. `*unchanged` gets the figures of the unchanged trace; rounds->pairs, those of the
 * runs. If the replay of a run fails, `*failed` is that run. */
static enum status replay_in_random_order(struct round_series *rounds, size_t done,
                                          struct run_pair *unchanged, size_t *failed,
                                          struct error *error)
{
    enum status status = STATUS_OK;
    shuffle_round(rounds, rounds->order, rounds->run_count + 1);
    for (size_t i = 0; i <= rounds->run_count && status == STATUS_OK; i++) {
        const size_t number = rounds->order[i];
        if (number == rounds->run_count) {
            status = replay_once(rounds, rounds->unchanged, &unchanged->unchanged_s,
                                 &unchanged->objective_unchanged, error);
        } else if (done < rounds->runs[number].rounds) {
            struct run_pair *pair = &rounds->pairs[number];
            status = replay_once(rounds, rounds->runs[number].series, &pair->changed_s,
                                 &pair->objective_changed, error);
            *failed = status == STATUS_OK ? *failed : number;
        }
    }
    return status;
}

/* Collective. One round: replays, and notes the figures in the results and in the journal. */
static enum status replay_round(struct round_series *rounds, size_t done, size_t *failed,
                                struct error *error)
{
    struct run_pair unchanged = {0};
    size_t count = 0;
    enum status status = replay_in_random_order(rounds, done, &unchanged, failed, error);
    rounds->entries[count++] = (struct journal_entry){
        .run = "-", .time_s = unchanged.unchanged_s, .objective = unchanged.objective_unchanged};
    for (size_t i = 0; i < rounds->run_count && status == STATUS_OK; i++) {
        struct open_run *run = &rounds->runs[i];
        struct run_pair pair = rounds->pairs[i];
        if (done >= run->rounds)
            continue;
        pair.unchanged_s = unchanged.unchanged_s;
        pair.objective_unchanged = unchanged.objective_unchanged;
        rounds->entries[count++] = (struct journal_entry){
            .run = run->name, .time_s = pair.changed_s, .objective = pair.objective_changed};
        status = run->precise ? STATUS_OK : add_pair(&run->result, pair, error);
    }
    if (status == STATUS_OK && rounds->processes->rank == 0)
        status = journal_append(&rounds->journal, rounds->entries, count, error);
    else
        rounds->journal.rounds++;
    return processes_agree(rounds->processes, status, error);
}

/* Collective. Completes the result of a run whose rounds are done, and writes its report. */
static enum status complete_run(const struct round_series *rounds, struct open_run *run,
                                struct error *error)
{
    struct repeat_result *result = &run->session->result;
    run->config->repeat = (int64_t)run->rounds;
    const struct repeat_input input = replay_session_input(run->session);
    series_end(run->series);
    result->identity = rounds->unchanged_runs; /* the first rounds are those of this run */
    enum status status =
        processes_agree(rounds->processes, repeat_estimate(&input, result, error), error);
    if (status != STATUS_OK)
        return status;
    run->result.state = RUN_DONE;
    run->result.typical_error =
        repeat_typical_error(&input, result->estimates.saving_fraction.median);
    run->result.overstated = fmax(0, input.overstated);
    run->result.lost_fraction = replay_lost_fraction(run->session);
    const char *reason = result->facts.trustworthy ? NULL : result->facts.reason;
    if (!reason && run->result.lost_fraction > REPLAY_LOST_TOO_MUCH)
        reason = "other programs took too much of the ranks' cores";
    run->result.trustworthy = !reason;
    if (reason)
        run->result.reason = strdup(reason);
    if (rounds->input->reports && run->session->changed)
        status = run_report_write(run->session, run->config, rounds->input->reports, run->name,
                                  &run->result, error);
    return status;
}

/* Collective. Runs whose savings are precise enough after their first `done` rounds in this job
 * get no more. */
static void end_precise_runs(struct round_series *rounds, size_t done)
{
    for (size_t i = 0; i < rounds->run_count; i++) {
        struct open_run *run = &rounds->runs[i];
        if (done < run->rounds && run->result.pair_count == PAIRED_FEWEST)
            find_precise(rounds, run);
        if (run->precise && done < run->rounds)
            run->rounds = done;
    }
}

/* The rounds of the run that has most. */
static size_t most_rounds(const struct round_series *rounds)
{
    size_t most = 0;
    for (size_t i = 0; i < rounds->run_count; i++)
        most = rounds->runs[i].rounds > most ? rounds->runs[i].rounds : most;
    return most;
}

/* Collective. Replays all rounds of the open runs. */
static enum status replay_all_rounds(struct round_series *rounds, struct error *error)
{
    const size_t count = most_rounds(rounds);
    size_t failed = SIZE_MAX;
    enum status status = series_begin(rounds->unchanged, count, &rounds->unchanged_runs, error);
    for (size_t i = 0; i < rounds->run_count && status == STATUS_OK; i++) {
        struct open_run *run = &rounds->runs[i];
        status = series_begin(run->series, run->rounds, &run->session->result.changed, error);
    }
    progress_begin("replaying", "rounds", (double)count);
    for (size_t done = 0; done < most_rounds(rounds) && status == STATUS_OK;) {
        status = replay_round(rounds, done, &failed, error);
        progress_add(1);
        if (status == STATUS_OK)
            end_precise_runs(rounds, ++done);
    }
    progress_end();
    if (status != STATUS_OK && failed != SIZE_MAX) {
        struct error ignored;
        fail_run(rounds, &rounds->runs[failed], error, &ignored);
    }
    if (status != STATUS_OK)
        return status;
    series_end(rounds->unchanged);
    for (size_t i = 0; i < rounds->run_count && status == STATUS_OK; i++)
        status = complete_run(rounds, &rounds->runs[i], error)
                     ?: finish_run(rounds, &rounds->runs[i], error);
    return status;
}

static void rounds_close(struct round_series *rounds)
{
    for (size_t i = 0; rounds->runs && i < rounds->input->count; i++)
        open_run_close(&rounds->runs[i]);
    repeat_runs_clear(&rounds->unchanged_runs);
    series_close(rounds->unchanged);
    journal_clear(&rounds->journal);
    free(rounds->runs);
    free(rounds->order);
    free(rounds->pairs);
    free(rounds->entries);
}

static enum status rounds_open(struct round_series *rounds, struct error *error)
{
    const struct rounds_input *input = rounds->input;
    const struct replay_config *config = input->base->config;
    const struct series_input unchanged = {.engine = config->engine,
                                           .setup = replay_config_setup(config, config->engine),
                                           .trace = rounds->trace};
    struct engine_facts facts = {0};
    rounds->runs = calloc(input->count + 1, sizeof *rounds->runs);
    rounds->order = calloc(input->count + 1, sizeof *rounds->order);
    rounds->pairs = calloc(input->count + 1, sizeof *rounds->pairs);
    rounds->entries = calloc(input->count + 1, sizeof *rounds->entries);
    const bool allocated = rounds->runs && rounds->order && rounds->pairs && rounds->entries;
    enum status status = processes_agree_memory(rounds->processes, allocated, "the sweep", error)
                             ?: journal_open(input->journal, rounds->processes, &rounds->journal, error)
                             ?: series_open(&unchanged, &rounds->unchanged, &facts, error);
    free(facts.approximations);
    return status;
}

enum status rounds_replay(const struct rounds_input *input, struct error *error)
{
    assert(input->base && input->runs && input->done);
    struct round_series rounds = {
        .input = input, .trace = input->base->original, .processes = input->base->processes};
    assert(input->rounds > 0 && input->base->config->hypothesis_count == 0);
    enum status status = rounds_open(&rounds, error);
    for (size_t next = 0; next < input->count && status == STATUS_OK;) {
        status = open_more_runs(&rounds, &next, error);
        if (status == STATUS_OK && rounds.run_count > 0)
            status = replay_all_rounds(&rounds, error);
        repeat_runs_clear(&rounds.unchanged_runs);
    }
    rounds_close(&rounds);
    return status;
}
