/* [threads LABEL]: other numbers of threads in parallel regions, or other schedules of their loops
 * (doc/methods.md, section 2).
 *
 *   count      threads of each chosen parallel region
 *   schedule   static, dynamic or guided: of each chosen loop
 *   chunk      iterations of a chunk
 *   iterations of a loop; default: as many as there are visits of regions inside it
 *   outside    divided or each: the work outside of loops, if the number of threads changes
 *
 * `region` and `callpath` choose parallel regions and loops by themselves or by a region around
 * them. Without them all are chosen.
 *
 * Parallel regions that ask for another number of threads than those that take most of the rank's
 * time in parallel regions (clauses num_threads and if, or omp_set_num_threads) keep their number
 * of threads, unless `callpath` chooses them. */
#include "base/log.h"
#include "base/otf2_attributes.h"
#include "threads/reschedule.h"
#include "threads/team_program.h"
#include "trace/forks.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <stddef.h>
#include <stdlib.h>

struct threads {
    const struct ini_section *section;
    int64_t count, chunk, iterations;
    int schedule; /* 1 + index into schedules; 0: as recorded */
    int outside;
};

static const char *const schedules[] = {"recorded", "static", "dynamic", "guided", NULL};

enum { OUTSIDE_DIVIDED, OUTSIDE_EACH };
static const char *const outsides[] = {"divided", "each", NULL};

enum { MOST_THREADS = 4096 };

static const struct ini_key threads_keys[] = {
    WHERE_KEYS,
    INI_KEY(threads, count, INTEGER, .least = 1, .most = MOST_THREADS),
    INI_KEY(threads, schedule, CHOICE, .choices = schedules),
    INI_KEY(threads, chunk, INTEGER, .least = 1, .most = UINT32_MAX),
    INI_KEY(threads, iterations, INTEGER, .least = 1, .most = INT64_MAX / MOST_THREADS),
    INI_KEY(threads, outside, CHOICE, .choices = outsides),
    INI_KEYS_END,
};

static enum status thread_keys_check(void *state, struct error *error)
{
    const struct threads *threads = state;
    if (threads->count == 0 && threads->schedule == SCHEDULE_RECORDED)
        return section_error(error, threads->section, NULL, "\"count\" or \"schedule\" is missing");
    if (threads->chunk > 0 && threads->schedule == SCHEDULE_RECORDED)
        return section_error(error, threads->section, "chunk",
                             "chunk needs a schedule: static, dynamic or guided");
    if (threads->count == 0 && ini_value(threads->section, "outside"))
        return section_error(error, threads->section, "outside",
                             "outside needs a number of threads (count)");
    return STATUS_OK;
}

/* What happens to the teams of the owned ranks. */
struct thread_changes {
    const struct threads *threads;
    bool *chosen;          /* [call path] */
    ARRAY(uint32_t) forks; /* rows of this rank, of teams that have another number of threads */
    bool by_path;          /* `callpath` chooses */
    bool bandwidth;        /* sections [memory] say which computation is bound by memory */
    struct team_costs costs;
    uint32_t stated;        /* the archive's usual number of threads; 0: it states none */
    uint32_t stream, usual; /* threads of this rank's parallel regions that ask for no number */
    int64_t teams, wanted, changed, grown, loops, by_visits, alone, unlike, limited, work, divided,
        by_threads;
};

/* From `teams` on. */
enum {
    COUNTS =
        (sizeof(struct thread_changes) - offsetof(struct thread_changes, teams)) / sizeof(int64_t)
};

/* True if the team's region, or a loop inside it, is chosen. */
static bool team_is_chosen(const struct thread_changes *changes, const struct trace *trace,
                           const struct teams *teams, const struct team *team)
{
    const struct lane *master = team_lane(teams, team, 0);
    const struct stream *stream = trace_any_stream(trace, master->stream);
    for (uint32_t row = master->first; row < master->last; row++)
        if (event_opens(stream->kind[row]) && changes->chosen[stream->arg[row]])
            return true;
    return false;
}

/* The time of the rank between the end of the team before and this one, or from its start. */
static int64_t gap_before(const struct trace *trace, const struct teams *teams,
                          const struct team *team)
{
    const struct lane *master = team_lane(teams, team, 0);
    const uint64_t *time = trace_any_stream(trace, master->stream)->time;
    uint64_t end = trace->begin;
    for (const struct team *before = team; before > teams->list.items;) {
        const struct lane *lane = team_lane(teams, --before, 0);
        if (lane->stream != master->stream)
            break;
        if (lane->last < master->first) {
            end = time[lane->last];
            break;
        }
    }
    return (int64_t)(time[master->first] - end);
}

/* The number of threads of a rank's parallel regions that ask for no number. It is the stated one
 * if a region of the rank has this number of threads, else the number during most of their time. */
static uint32_t usual_threads(const struct trace *trace, const struct teams *teams, uint32_t stated)
{
    uint64_t lengths[MOST_THREADS + 1] = {0};
    uint32_t usual = 0;
    for (size_t t = 0; t < teams->list.count; t++) {
        const struct team *team = &teams->list.items[t];
        const struct lane *master = team_lane(teams, team, 0);
        const uint64_t *time = trace_any_stream(trace, master->stream)->time;
        const uint32_t wanted = team->wanted < MOST_THREADS ? team->wanted : MOST_THREADS;
        lengths[wanted] += time[master->last] - time[master->first];
        if (wanted == stated)
            return stated;
        if (usual == 0 || lengths[wanted] > lengths[usual])
            usual = wanted;
    }
    return usual;
}

/* True if the program asks for another number of threads than usual. */
static bool is_limited(struct thread_changes *changes, const struct trace *trace,
                       const struct teams *teams, const struct team *team)
{
    const uint32_t stream = team_lane(teams, team, 0)->stream;
    if (stream != changes->stream) {
        changes->stream = stream;
        changes->usual = usual_threads(trace, teams, changes->stated);
    }
    return team->wanted != changes->usual && team->wanted <= MOST_THREADS;
}

static bool change_threads(void *data, const struct trace *trace, const struct teams *teams,
                           const struct team *team, struct team_program *program, bool *changed)
{
    struct thread_changes *changes = data;
    const struct threads *threads = changes->threads;
    struct team_plan plan = {.thread_count = (uint32_t)threads->count,
                             .schedule = (enum loop_schedule)threads->schedule,
                             .chunk = (uint32_t)threads->chunk,
                             .iterations = (uint64_t)threads->iterations,
                             .each = threads->outside == OUTSIDE_EACH};
    struct reschedule_outcome outcome;
    changes->teams++;
    if (!team_is_chosen(changes, trace, teams, team))
        return true;
    changes->wanted++;
    if (plan.thread_count > 0 && !changes->by_path && is_limited(changes, trace, teams, team)) {
        plan.thread_count = 0;
        changes->limited++;
    }
    const uint32_t count = plan.thread_count > 0 ? plan.thread_count : team->lane_count;
    if (team->lane_count == 1)
        plan.cost = team_cost_of(&changes->costs, count, gap_before(trace, teams, team));
    if (!team_reschedule(trace, teams, team, &plan, changes->chosen, program, &outcome))
        return false;
    *changed = outcome.changed;
    if (outcome.changed && count != team->lane_count &&
        !array_push(&changes->forks, team_lane(teams, team, 0)->first))
        return false;
    changes->changed += outcome.changed;
    changes->unlike += outcome.unlike;
    changes->loops += outcome.loops;
    changes->by_visits += outcome.by_visits;
    changes->alone += outcome.alone;
    changes->by_threads += outcome.by_threads;
    changes->work += outcome.work;
    changes->divided += outcome.divided;
    changes->grown += outcome.changed && count > team->lane_count;
    return true;
}

/* Writes the new number of threads into the records of the forks. False if out of memory. */
static bool set_forks(struct thread_changes *changes, struct trace *trace, struct stream *stream)
{
    struct other_event *own = stream->others;
    if (changes->forks.count > 0)
        own = arena_memdup(trace->arena, own, stream->other_count * sizeof *own);
    if (changes->forks.count > 0 && !own)
        return false;
    stream->others = own;
    for (size_t i = 0; i < changes->forks.count; i++)
        if (stream_fork_at(stream, changes->forks.items[i]) > 0)
            *stream_fork_threads(stream, changes->forks.items[i]) =
                (uint64_t)changes->threads->count;
    changes->forks.count = 0;
    return true;
}

/* Work outside of loops that is divided, and loops with one iteration for each thread, are worth a
 * warning if they are this part of the work and of the loops. */
static const double MUCH = 0.1;

/* Says on what the new shares of the threads rest. */
static void say_basis(const struct thread_changes *changes)
{
    char title[100];
    section_title(changes->threads->section, title, sizeof title);
    if (changes->by_visits > 0)
        log_note("[%s]: in %lld of %lld loops, the visits of regions inside show the work of each "
                 "iteration",
                 title, (long long)changes->by_visits, (long long)changes->loops);
    if (changes->loops > changes->by_visits)
        log_note("[%s]: %lld of %lld loops visit no region: the work of each thread is divided "
                 "evenly among its iterations",
                 title, (long long)(changes->loops - changes->by_visits),
                 (long long)changes->loops);
    if (changes->by_threads > 0 && (double)changes->by_threads >= MUCH * (double)changes->loops)
        log_warning(
            "[%s]: %lld of %lld loops were recorded with one iteration for each thread. They "
            "are taken to have one for each new thread. If they have as many iterations with "
            "any number of threads, give that number (\"iterations\")",
            title, (long long)changes->by_threads, (long long)changes->loops);
    if (changes->work > 0 && (double)changes->divided >= MUCH * (double)changes->work)
        log_warning(
            "[%s]: %.0f %% of the work in the changed parallel regions is outside of loops. "
            "The threads are taken to divide it among them by their numbers "
            "(omp_get_thread_num). If each thread does all of it, use \"outside = each\"",
            title, 100 * (double)changes->divided / (double)changes->work);
    if (changes->alone > 0 && changes->costs.count == 0)
        log_warning("[%s]: %lld parallel region%s recorded with one thread, so the recording does "
                    "not show how long it takes to wake other threads and to wait for them; the "
                    "prediction contains no such time. A recording with two threads shows it",
                    title, (long long)changes->alone, changes->alone == 1 ? " was" : "s were");
    if (changes->grown > 0 && !changes->bandwidth)
        log_note("[%s]: added threads are assumed not to slow the others down. Computation that is "
                 "bound by memory gains less: if the threads have some, name its regions in a "
                 "section [memory]",
                 title);
    if (changes->limited > 0)
        log_note(
            "[%s]: %lld of %lld parallel regions ask for their own number of threads (num_threads, "
            "if or omp_set_num_threads) and keep it, unless \"callpath\" chooses them",
            title, (long long)changes->limited, (long long)changes->wanted);
    if (changes->unlike > 0)
        log_warning("[%s]: %lld parallel region%s as recorded, because the threads did not "
                    "run the same loops",
                    title, (long long)changes->unlike, changes->unlike == 1 ? " stays" : "s stay");
}

static uint32_t stated_threads(const struct definitions *definitions)
{
    const char *text = definitions_property(definitions, SILAS_PROPERTY_OMP_THREADS);
    return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

static enum status threads_apply(const void *state, struct trace *trace,
                                 struct hypothesis_outcome *outcome, struct error *error)
{
    const struct threads *threads = state;
    struct thread_changes changes = {.threads = threads,
                                     .by_path = ini_value(threads->section, "callpath") != NULL,
                                     .bandwidth = trace->bandwidth != NULL,
                                     .stated = stated_threads(trace->definitions),
                                     .stream = INDEX_NONE,
                                     .costs = team_costs_read(trace->definitions)};
    struct callpath_marks marks = {0};
    const bool all = !callpath_marks_wanted(changes.threads->section);
    enum status status = callpath_marks_create(changes.threads->section, trace, &marks, error);
    changes.chosen = calloc(trace->calltree.paths.count + 1, sizeof *changes.chosen);
    if (status == STATUS_OK && !changes.chosen)
        status = error_memory(error, "the choice of parallel regions");
    for (uint32_t p = 0; status == STATUS_OK && p < trace->calltree.paths.count; p++)
        changes.chosen[p] = all || marks_of(&marks, p) & CALLPATH_INSIDE;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        status = rewrite_teams(trace, &trace->streams[s], change_threads, &changes, error);
        if (status == STATUS_OK && !set_forks(&changes, trace, &trace->streams[s]))
            status = error_memory(error, "the threads of a rank");
    }
    callpath_marks_clear(&marks);
    free(changes.forks.items);
    free(changes.chosen);
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK)
        return status;
    processes_sum(trace->processes, &changes.teams, COUNTS);
    if (changes.teams == 0)
        return section_error(error, changes.threads->section, NULL,
                             trace->definitions->threads
                                 ? "threads of the recording communicate at the same time, so that "
                                   "each is a rank; their number cannot be changed"
                                 : "the recording has no parallel regions of OpenMP (silas-trace "
                                   "--openmp records them)");
    if (changes.wanted == 0)
        return section_error(error, changes.threads->section, NULL,
                             "none of the chosen regions is or contains a parallel region, or is a "
                             "loop in one");
    say_basis(&changes);
    *outcome = (struct hypothesis_outcome){
        .chosen = changes.changed, .total = changes.teams, .things = "parallel regions"};
    return STATUS_OK;
}

const struct hypothesis_kind hypothesis_threads = {
    .name = "threads",
    .description =
        "change the number of threads of parallel regions, or the schedules of their loops",
    .subject = SUBJECT_THREADS,
    .state_size = sizeof(struct threads),
    .keys = threads_keys,
    .check = thread_keys_check,
    .apply = threads_apply,
};
