#include "results/efficiency/thread_reader.h"

#include <stdlib.h>
#include <string.h>

/* Of a thread in a call path or in a region, in ticks. `spent`, `ideal`: of masters only. */
struct place_times {
    int64_t spent, ideal, computed, useful, serial;
};

/* Room for the times of a thread. */
struct region_sweep {
    struct place_times *by_path, *by_region;
    uint32_t *seen; /* [region]: the last call path that was added to it, + 1 */
};

/* Adds the times of a thread while its master is in each call path, without what is called from
 * there. */
static void sweep_paths(const struct pop_measurement *m, struct thread_reader *reader,
                        struct place_times *by_path)
{
    const struct trace *trace = m->trace;
    const struct stream *master = &trace->streams[reader->s];
    const struct stream *ideal = m->ideal ? &m->ideal->streams[reader->s] : NULL;
    const struct focus *focus = &m->focus[reader->s];
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < master->count && master->time[row] <= focus->end; row++) {
        const struct thread_times before = reader->times;
        thread_reader_pass(reader, master->time[row]);
        if (row > 0 && path != CALLPATH_NONE && master->time[row - 1] >= focus->begin) {
            struct place_times *here = &by_path[path];
            here->useful += (int64_t)(reader->times.useful - before.useful);
            if (reader->master) {
                here->spent += (int64_t)(master->time[row] - master->time[row - 1]);
                here->computed += (int64_t)(reader->times.computed - before.computed);
                here->serial += (int64_t)(reader->times.serial - before.serial);
                here->ideal += ideal ? (int64_t)(ideal->time[row] - ideal->time[row - 1]) : 0;
            }
        }
        path = callpath_after(&trace->calltree, master, row, path);
    }
    for (uint32_t p = 0; reader->master && p < trace->calltree.paths.count; p++) {
        by_path[p].spent += folded_time(m, reader->s, p);
        if (!callpath_communicates(trace, p))
            by_path[p].computed += folded_time(m, reader->s, p);
    }
}

/* Adds the times in a call path to its regions, once to each region. */
static void pass_up(const struct trace *trace, struct region_sweep *sweep, uint32_t path)
{
    const struct place_times *times = &sweep->by_path[path];
    const uint32_t stamp = path + 1;
    for (; path != CALLPATH_NONE; path = trace->calltree.paths.items[path].parent) {
        const uint32_t region = trace->calltree.paths.items[path].region;
        struct place_times *sum = &sweep->by_region[region];
        if (sweep->seen[region] == stamp)
            continue;
        sweep->seen[region] = stamp;
        sum->spent += times->spent;
        sum->ideal += times->ideal;
        sum->computed += times->computed;
        sum->useful += times->useful;
        sum->serial += times->serial;
    }
}

static void sweep_thread_regions(struct pop_measurement *m, struct thread_reader *reader,
                                 void *data)
{
    struct region_sweep *sweep = data;
    const struct trace *trace = m->trace;
    const size_t paths = trace->calltree.paths.count, regions = trace->definitions->region_count;
    memset(sweep->by_path, 0, paths * sizeof *sweep->by_path);
    memset(sweep->by_region, 0, regions * sizeof *sweep->by_region);
    memset(sweep->seen, 0, regions * sizeof *sweep->seen);
    sweep_paths(m, reader, sweep->by_path);
    for (uint32_t path = 0; path < paths; path++)
        if (sweep->by_path[path].spent > 0 || sweep->by_path[path].useful > 0)
            pass_up(trace, sweep, path);
    for (uint32_t region = 0; region < regions; region++) {
        const size_t part = part_of_region(m, region);
        const struct place_times *own = &sweep->by_region[region];
        struct longest *longest = &m->longest[part];
        m->computed[part] += own->computed;
        m->useful[part] += own->useful;
        m->idle[part] += reader->workers * own->serial;
        keep_longest(&longest->computed, own->computed);
        keep_longest(&longest->ideal, own->ideal);
        keep_longest(&longest->spent, own->spent);
        keep_longest(&longest->useful, own->useful);
    }
}

bool sweep_regions(struct pop_measurement *m)
{
    const size_t paths = m->trace->calltree.paths.count,
                 regions = m->trace->definitions->region_count;
    struct region_sweep sweep = {malloc((paths + 1) * sizeof *sweep.by_path),
                                 malloc((regions + 1) * sizeof *sweep.by_region),
                                 malloc((regions + 1) * sizeof *sweep.seen)};
    const bool done = sweep.by_path && sweep.by_region && sweep.seen &&
                      each_thread(m, sweep_thread_regions, &sweep);
    free(sweep.by_path);
    free(sweep.by_region);
    free(sweep.seen);
    return done;
}
