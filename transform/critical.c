/* [critical LABEL]: critical and ordered sections and locks of parallel regions (doc/methods.md,
 * section 2).
 *
 *   factor         the time while a thread holds the lock is multiplied by it
 *   remove = yes   threads no longer wait for each other there; the code inside remains
 *
 * `region` and `callpath` choose the sections by themselves (!$omp critical, omp_set_lock) or by a
 * region around them. Without them all are chosen. */
#include "threads/team_program.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <math.h>
#include <stdlib.h>

struct critical_sections {
    const struct ini_section *section;
    double factor;
    bool remove;
};

static const struct critical_sections initial = {.factor = 1};

static const struct ini_key critical_keys[] = {
    WHERE_KEYS,
    INI_KEY(critical_sections, factor, NUMBER, .highest = 1e6),
    INI_KEY(critical_sections, remove, BOOL),
    INI_KEYS_END,
};

static enum status critical_check(void *state, struct error *error)
{
    const struct critical_sections *critical = state;
    if (critical->factor == 1 && !critical->remove)
        return section_error(error, critical->section, NULL,
                             "\"factor\" or \"remove = yes\" is missing");
    return STATUS_OK;
}

/* The sections of the owned ranks. */
struct lock_changes {
    const struct critical_sections *critical;
    const struct callpath_marks *marks;
    bool all;
    int64_t sections, changed;
};

/* Changes the sections of one thread. */
static void change_lane(struct lock_changes *changes, const struct trace *trace,
                        const struct lane *lane, uint32_t path, struct lane_program *program)
{
    const struct stream *stream = trace_any_stream(trace, lane->stream);
    uint32_t held = 0, chosen = 0; /* locks: all, and chosen ones */
    for (uint32_t i = 0; i < program->count; i++) {
        struct thread_step *step = &program->steps[i];
        const uint32_t row = lane->first + i;
        const bool wanted = changes->all || marks_of(changes->marks, path) & CALLPATH_INSIDE;
        if (chosen > 0)
            step->work = llround(changes->critical->factor * (double)step->work);
        if (step->kind == STEP_ACQUIRE) {
            changes->sections++;
            changes->changed += wanted;
            held++;
            chosen += wanted;
        }
        const bool of_chosen = chosen > 0;
        if (step->kind == STEP_RELEASE && held > 0) {
            chosen -= chosen == held;
            held--;
        }
        if (changes->critical->remove && of_chosen &&
            (step->kind == STEP_ACQUIRE || step->kind == STEP_RELEASE))
            *step = (struct thread_step){.work = step->work, .turn = TURN_NONE};
        path = callpath_after(&trace->calltree, stream, row, path);
    }
}

static bool change_locks(void *data, const struct trace *trace, const struct teams *teams,
                         const struct team *team, struct team_program *program, bool *changed)
{
    struct lock_changes *changes = data;
    const int64_t before = changes->changed;
    for (uint32_t l = 0; l < team->lane_count; l++)
        change_lane(changes, trace, team_lane(teams, team, l), team->path, &program->lanes[l]);
    *changed = changes->changed > before;
    return !*changed || team_simulate(program);
}

static enum status critical_apply(const void *state, struct trace *trace,
                                  struct hypothesis_outcome *outcome, struct error *error)
{
    const struct critical_sections *critical = state;
    struct callpath_marks marks = {0};
    struct lock_changes changes = {
        .critical = critical, .marks = &marks, .all = !callpath_marks_wanted(critical->section)};
    enum status status = callpath_marks_create(critical->section, trace, &marks, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        status = rewrite_teams(trace, &trace->streams[s], change_locks, &changes, error);
    callpath_marks_clear(&marks);
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK)
        return status;
    processes_sum(trace->processes, &changes.sections, 2);
    if (changes.changed == 0)
        return section_error(error, critical->section, NULL,
                             changes.sections == 0
                                 ? "the recording has no critical or ordered sections or locks in "
                                   "parallel regions with recorded threads"
                                 : "none of the chosen regions is or contains a critical or "
                                   "ordered section or a lock");
    *outcome = (struct hypothesis_outcome){
        .chosen = changes.changed, .total = changes.sections, .things = "critical sections"};
    return STATUS_OK;
}

const struct hypothesis_kind hypothesis_critical = {
    .name = "critical",
    .description = "shorten critical sections and locks of threads, or remove the waiting for them",
    .subject = SUBJECT_THREADS,
    .state_size = sizeof(struct critical_sections),
    .initial = &initial,
    .keys = critical_keys,
    .check = critical_check,
    .apply = critical_apply,
};
