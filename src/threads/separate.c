/* What the work of a recorded team would have taken if each thread had had the bandwidth of memory
 * for itself (doc/methods.md, section 14). */
#include "base/sort.h"
#include "threads/team_program.h"

#include <math.h>
#include <stdlib.h>

/* The beginning or the end of a step that has a share. */
struct share_change {
    uint64_t time;
    uint32_t lane;
    bool begins;
    struct thread_step *step;
    uint64_t length;
};

typedef ARRAY(struct share_change) share_changes;

/* Ends first: a lane's step ends when its next one begins. */
ORDER_BY(in_order_of_time, struct share_change,
         ASCENDING(time) ?: ASCENDING(begins) ?: ASCENDING(lane) ?: ASCENDING(step))

/* Adds the steps of a lane that have shares. False if out of memory. */
static bool add_changes(share_changes *changes, const uint64_t *time, uint32_t lane,
                        const struct lane_program *program)
{
    for (uint32_t i = 1; i < program->count; i++) {
        struct thread_step *step = &program->steps[i];
        const uint64_t length = time[i] - time[i - 1];
        if (step->share <= 0 || length == 0)
            continue;
        const struct share_change begin = {time[i - 1], lane, true, step, length},
                                  end = {time[i], lane, false, step, length};
        if (!array_push(changes, begin) || !array_push(changes, end))
            return false;
    }
    return true;
}

struct separated_lane {
    double since; /* the work that had passed when its step began, as in the simulator */
    double rest;  /* of its works, lost by rounding */
};

/* Walks through the changes in the order of time. */
static void separate(const share_changes *changes, struct separated_lane *lanes)
{
    double load = 0, passed = 0;
    for (size_t i = 0; i < changes->count; i++) {
        const struct share_change *change = &changes->items[i];
        struct thread_step *step = change->step;
        const uint64_t before = i > 0 ? change[-1].time : change->time;
        passed += (double)(change->time - before) / (load > 1 ? load : 1);
        load += change->begins ? (double)step->share : -(double)step->share;
        struct separated_lane *lane = &lanes[change->lane];
        if (change->begins) {
            lane->since = passed;
            continue;
        }
        const double work =
            (double)step->work * (passed - lane->since) / (double)change->length + lane->rest;
        step->work = llround(work);
        lane->rest = work - (double)step->work;
    }
}

bool team_program_separate(const struct trace *trace, const struct teams *teams,
                           const struct team *team, struct team_program *program)
{
    share_changes changes = {0};
    struct separated_lane *lanes = NULL;
    bool allocated = true;
    for (uint32_t l = 0; trace->bandwidth && l < team->lane_count && allocated; l++) {
        const struct lane *lane = team_lane(teams, team, l);
        allocated = add_changes(&changes, trace_any_stream(trace, lane->stream)->time + lane->first,
                                l, &program->lanes[l]);
    }
    if (allocated && changes.count > 0) {
        lanes = calloc(team->lane_count, sizeof *lanes);
        allocated = lanes != NULL;
        qsort(changes.items, changes.count, sizeof *changes.items, in_order_of_time);
    }
    if (lanes)
        separate(&changes, lanes);
    free(changes.items);
    free(lanes);
    return allocated;
}
