#include "sweep/rounds.h"

#include "base/log.h"
#include "base/progress.h"
#include "job/replay_summary.h"
#include "replay/series.h"
#include "sweep/changes.h"
#include "sweep/journal.h"
#include "sweep/reports.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run while it is replayed. */
struct racer {
    size_t run; /* in struct rounds_input */
    struct replay_config *config;
    struct replay_session *session;
    struct series *series;
    struct run_result result;
    size_t rounds; /* that this job still owes it */
};

struct race {
    const struct rounds_input *input;
    const struct trace *trace;
    struct processes *processes;
    struct series *unchanged;
    struct repeat_runs unchanged_runs;
    struct racer *racers; /* [runs at most]: those that are replayed side by side */
    size_t racer_count;
    size_t *order;          /* [racers + 1] of one round; the last number is the unchanged trace */
    struct run_pair *pairs; /* [racers] of one round */
    struct journal_entry *entries; /* [racers + 1] */
    struct journal journal;
};

static void close_racer(struct racer *racer)
{
    if (racer->session) /* `identity` belongs to the race */
        memset(&racer->session->result.identity, 0, sizeof racer->session->result.identity);
    series_close(racer->series);
    replay_session_close(racer->session);
    replay_config_destroy(racer->config);
    run_result_clear(&racer->result);
    memset(racer, 0, sizeof *racer);
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

/* The pairs of the rounds that former jobs have completed. */
static enum status take_from_journal(const struct race *race, struct racer *racer,
                                     struct error *error)
{
    const char *name = race->input->runs[racer->run]->name;
    const struct journal_entry *unchanged = NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < race->journal.entries.count && status == STATUS_OK; i++) {
        const struct journal_entry *entry = &race->journal.entries.items[i];
        if (strcmp(entry->run, "-") == 0) /* a round begins with it */
            unchanged = entry;
        else if (strcmp(entry->run, name) == 0 && unchanged && unchanged->round == entry->round)
            status = add_pair(&racer->result,
                              (struct run_pair){unchanged->time_s, entry->time_s,
                                                unchanged->objective, entry->objective},
                              error);
    }
    return status;
}

/* Collective. Tells the caller that a run has ended, and forgets it. */
static enum status end_racer(struct race *race, struct racer *racer, struct error *error)
{
    enum status status = STATUS_OK;
    if (race->processes->rank == 0)
        status = race->input->done(race->input->data, racer->run, &racer->result, error);
    status = processes_agree(race->processes, status, error);
    close_racer(racer);
    return status;
}

/* Collective. Its replays have failed for the reason in `failure`. */
static enum status fail_racer(struct race *race, struct racer *racer, const struct error *failure,
                              struct error *error)
{
    char text[sizeof failure->text];
    snprintf(text, sizeof text, "%s", failure->text);
    racer->result.state = RUN_FAILED;
    racer->result.message = strdup(text);
    enum status status =
        processes_agree_memory(race->processes, racer->result.message != NULL, "a result", error);
    return status == STATUS_OK ? end_racer(race, racer, error) : status;
}

/* Collective. Changes the trace as the run says. A failure is the run's own. */
static enum status open_session(const struct race *race, struct racer *racer, struct error *error)
{
    const struct sweep_run *run = race->input->runs[racer->run];
    const struct engine *engine = race->input->base->config->engine;
    struct ini *ini = NULL;
    enum status status = ini_copy(run->ini, &ini, error);
    if (status == STATUS_OK)
        status = replay_config_from_ini(ini, engine, &racer->config, error);
    status = processes_agree(race->processes, status, error);
    if (status == STATUS_OK)
        status =
            replay_session_open_beside(race->input->base, racer->config, &racer->session, error);
    if (status == STATUS_OK)
        status = processes_agree(race->processes, take_from_journal(race, racer, error), error);
    if (status != STATUS_OK)
        return status;
    count_changes(racer->config, race->trace, &racer->result);
    size_t done = racer->result.pair_count, all = race->input->rounds;
    racer->rounds = done < all ? all - done : 1; /* a report needs a replay */
    racer->config->repeat = (int64_t)racer->rounds;
    return STATUS_OK;
}

/* The trace that a run replays: a configuration without hypotheses leaves it as it is. */
static const struct trace *trace_of(const struct racer *racer)
{
    return racer->session->changed ? racer->session->changed : racer->session->original;
}

static enum status open_series_of(struct race *race, struct racer *racer, struct error *error)
{
    const struct replay_config *config = racer->config;
    struct series_input input = {.engine = config->engine,
                                 .setup = replay_config_setup(config, config->engine),
                                 .trace = trace_of(racer),
                                 .original = race->unchanged};
    return series_open(&input, &racer->series, &racer->session->result.facts, error);
}

/* Bytes of memory that this process uses, or that the host has left; 0 if that is not known. */
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

/* Bytes of the views that a series keeps until its median run is known. */
static int64_t views_size(const struct trace *trace, size_t rounds)
{
    return (int64_t)trace_owned_events(trace) * (int64_t)sizeof(uint64_t) *
           (int64_t)(rounds / 2 + 3);
}

/* Collective. Whether memory suffices for another run as large as the one that has taken `grown`
 * bytes; half of what is left is for others. */
static bool has_room(const struct race *race, const struct racer *racer, int64_t grown)
{
    int64_t left = memory_left();
    int64_t needed = (grown > 0 ? grown : 0) + 2 * views_size(trace_of(racer), racer->rounds);
    int64_t full = left > 0 && needed > left / 2 / race->processes->size;
    processes_max(race->processes, &full, 1);
    return !full;
}

/* Collective. Opens runs from `*next` on until all are open or there is no room for more. Runs that
 * fail are told to the caller. */
static enum status open_racers(struct race *race, size_t *next, struct error *error)
{
    race->racer_count = 0;
    for (bool room = true; room && *next < race->input->count;) {
        struct racer *racer = &race->racers[race->racer_count];
        struct error failure = {STATUS_OK, ""};
        int64_t before = memory_used();
        *racer = (struct racer){
            .run = *next,
            .result = {.engine = "realtime", .trustworthy = true, .model_saving = NAN}};
        enum status status = open_session(race, racer, &failure);
        const bool changed = status == STATUS_OK;
        if (changed)
            status = open_series_of(race, racer, &failure);
        if (status != STATUS_OK && changed && race->racer_count > 0) {
            close_racer(racer); /* perhaps the MPI library has no more communicators */
            return STATUS_OK;
        }
        (*next)++;
        if (status == STATUS_OK) {
            race->racer_count++;
            room = has_room(race, racer, memory_used() - before);
            continue;
        }
        if (status != STATUS_INPUT) { /* not the fault of this run: it stays open */
            if (error)
                *error = failure;
            return status;
        }
        status = fail_racer(race, racer, &failure, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* A generator that all processes have in common (splitmix64: G. Steele, D. Lea, C. Flood, 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* The order of a round, the same on all processes. */
static void shuffle(const struct race *race, size_t *order, size_t count)
{
    uint64_t state = race->input->seed ^ ((uint64_t)race->journal.rounds << 32);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t other = next_random(&state) % i, kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

/* Collective. One replay; sets T and the objective. */
static enum status replay(const struct race *race, struct series *series, double *time_s,
                          double *objective, struct error *error)
{
    enum status status = series_run(series, error);
    if (status != STATUS_OK)
        return status;
    const struct trace *view = series_last(series);
    *time_s = trace_seconds(view, (double)(view->end - view->begin));
    return objective_of(race->input->objective, view, objective, error);
}

/* Collective. Replays the unchanged trace and all runs that still need a round, in random order. If
 * the replay of a run fails, `*failed` is that run. */
static enum status replay_round(struct race *race, size_t done, size_t *failed, struct error *error)
{
    struct run_pair before = {0};
    enum status status = STATUS_OK;
    shuffle(race, race->order, race->racer_count + 1);
    for (size_t i = 0; i <= race->racer_count && status == STATUS_OK; i++) {
        size_t number = race->order[i];
        if (number == race->racer_count) {
            status = replay(race, race->unchanged, &before.unchanged_s, &before.objective_unchanged,
                            error);
            continue;
        }
        const struct racer *racer = &race->racers[number];
        if (done >= racer->rounds)
            continue;
        status = replay(race, racer->series, &race->pairs[number].changed_s,
                        &race->pairs[number].objective_changed, error);
        if (status != STATUS_OK)
            *failed = number;
    }
    size_t count = 0;
    race->entries[count++] = (struct journal_entry){
        .run = "-", .time_s = before.unchanged_s, .objective = before.objective_unchanged};
    for (size_t i = 0; i < race->racer_count && status == STATUS_OK; i++) {
        struct racer *racer = &race->racers[i];
        if (done >= racer->rounds)
            continue;
        struct run_pair pair = race->pairs[i];
        pair.unchanged_s = before.unchanged_s;
        pair.objective_unchanged = before.objective_unchanged;
        race->entries[count++] = (struct journal_entry){.run = race->input->runs[racer->run]->name,
                                                        .time_s = pair.changed_s,
                                                        .objective = pair.objective_changed};
        status = add_pair(&racer->result, pair, error);
    }
    if (status == STATUS_OK && race->processes->rank == 0)
        status = journal_append(&race->journal, race->entries, count, error);
    else
        race->journal.rounds++;
    return processes_agree(race->processes, status, error);
}

/* Collective. The figures of a run whose rounds are done. */
static enum status sum_up(const struct race *race, struct racer *racer, struct error *error)
{
    struct repeat_result *result = &racer->session->result;
    const struct repeat_input input = {.engine = racer->config->engine,
                                       .original = racer->session->original,
                                       .changed = racer->session->changed,
                                       .count = racer->rounds};
    series_end(racer->series);
    result->identity = race->unchanged_runs; /* the first rounds are those of this run */
    enum status status =
        processes_agree(race->processes, repeat_estimate(&input, result, error), error);
    if (status != STATUS_OK)
        return status;
    racer->result.state = RUN_DONE;
    racer->result.lost_fraction = replay_lost_fraction(racer->session);
    const char *reason = result->facts.trustworthy ? NULL : result->facts.reason;
    if (!reason && racer->result.lost_fraction > REPLAY_LOST_TOO_MUCH)
        reason = "other programs took too much of the ranks' cores";
    racer->result.trustworthy = !reason;
    if (reason)
        racer->result.reason = strdup(reason);
    if (race->input->reports && racer->session->changed)
        status = run_report_write(racer->session, racer->config, race->input->reports,
                                  race->input->runs[racer->run]->name, &racer->result, error);
    return status;
}

/* Collective. All rounds of the open runs. */
static enum status replay_rounds(struct race *race, struct error *error)
{
    size_t rounds = 0, failed = SIZE_MAX;
    for (size_t i = 0; i < race->racer_count; i++)
        rounds = race->racers[i].rounds > rounds ? race->racers[i].rounds : rounds;
    enum status status = series_begin(race->unchanged, rounds, &race->unchanged_runs, error);
    for (size_t i = 0; i < race->racer_count && status == STATUS_OK; i++) {
        struct racer *racer = &race->racers[i];
        status = series_begin(racer->series, racer->rounds, &racer->session->result.changed, error);
    }
    progress_begin("replaying", "rounds", (double)rounds);
    for (size_t done = 0; done < rounds && status == STATUS_OK; done++) {
        status = replay_round(race, done, &failed, error);
        progress_add(1);
    }
    progress_end();
    if (status != STATUS_OK && failed != SIZE_MAX) {
        struct error ignored;
        fail_racer(race, &race->racers[failed], error, &ignored);
    }
    if (status != STATUS_OK)
        return status;
    series_end(race->unchanged);
    for (size_t i = 0; i < race->racer_count && status == STATUS_OK; i++) {
        status = sum_up(race, &race->racers[i], error);
        if (status == STATUS_OK)
            status = end_racer(race, &race->racers[i], error);
    }
    return status;
}

static void close_race(struct race *race)
{
    for (size_t i = 0; race->racers && i < race->input->count; i++)
        close_racer(&race->racers[i]);
    repeat_runs_clear(&race->unchanged_runs);
    series_close(race->unchanged);
    journal_clear(&race->journal);
    free(race->racers);
    free(race->order);
    free(race->pairs);
    free(race->entries);
}

static enum status open_race(struct race *race, struct error *error)
{
    const struct rounds_input *input = race->input;
    const struct replay_config *config = input->base->config;
    const struct series_input unchanged = {.engine = config->engine,
                                           .setup = replay_config_setup(config, config->engine),
                                           .trace = race->trace};
    struct engine_facts facts = {0};
    race->racers = calloc(input->count + 1, sizeof *race->racers);
    race->order = calloc(input->count + 1, sizeof *race->order);
    race->pairs = calloc(input->count + 1, sizeof *race->pairs);
    race->entries = calloc(input->count + 1, sizeof *race->entries);
    bool room = race->racers && race->order && race->pairs && race->entries;
    enum status status = processes_agree_memory(race->processes, room, "the sweep", error);
    if (status == STATUS_OK)
        status = journal_open(input->journal, race->processes, &race->journal, error);
    if (status == STATUS_OK)
        status = series_open(&unchanged, &race->unchanged, &facts, error);
    free(facts.approximations);
    return status;
}

enum status rounds_replay(const struct rounds_input *input, struct error *error)
{
    struct race race = {
        .input = input, .trace = input->base->original, .processes = input->base->processes};
    enum status status = open_race(&race, error);
    for (size_t next = 0; next < input->count && status == STATUS_OK;) {
        status = open_racers(&race, &next, error);
        if (status == STATUS_OK && race.racer_count > 0)
            status = replay_rounds(&race, error);
        repeat_runs_clear(&race.unchanged_runs);
    }
    close_race(&race);
    return status;
}
