/* Blocking receives that could be posted now and waited for later, so that the rank computes while
 * the message is under way. The wait may be moved past everything that the rank does until its next
 * receive at the same place, but not past a collective operation. A trace does not show where the
 * data are needed. So the regions that are entered there each time are variants, and the nearest
 * that saves nearly as much as the best one is kept.
 *
 * The wait is not moved past a send, because the sent data may depend on the received data, as in
 * pipelines. There is one exception: all ranks that receive here send exactly once between two
 * receives, and some ranks send before they first receive while others receive first. Then the
 * order is that of the program, not of the data: each rank waits for the one before it (kind
 * serial-order).
 *
 * A region that sends and receives by blocking calls and hardly computes could post all its
 * operations at once and wait for them at its end. */
#include "advise/candidates/families.h"
#include "base/sort.h"

#include <stdlib.h>

enum {
    PATHS_MOST = 12, /* receives with the longest waits */
    POINTS_MOST = 6, /* variants of one receive */
};
static const double LITTLE_COMPUTATION = 0.1; /* of the time of a region without its waits */

/* A region before which the rank could wait. A gap is the time between a receive and the next one
 * at the same place. */
struct wait_point {
    int64_t seen;    /* gaps in which the region is entered */
    int64_t place;   /* sum of its positions in these gaps */
    int64_t crosses; /* gaps in which a send comes before it */
    uint32_t region;
};

/* All gaps of one receive. */
struct receive_gaps {
    const struct trace *trace;
    uint32_t path;
    struct wait_point *points; /* [region] */
    int64_t *entered;          /* [region]: number of the last gap in which it was entered */
    int64_t count;
    int64_t sends_first, receives_first; /* numbers of ranks */
    int64_t others; /* number of ranks that do not send exactly once between two receives */
};

struct gap_scan {
    struct receive_gaps *gaps;
    int64_t number, sends, place;
    int64_t before; /* sends before the first receive */
    bool open;      /* in a gap */
    bool closed;    /* after a collective operation in the gap */
    bool irregular; /* it has not sent exactly once in some gap */
};

static void enter_wait_point(struct gap_scan *scan, uint32_t region)
{
    struct receive_gaps *gaps = scan->gaps;
    struct wait_point *point = &gaps->points[region];
    if (!scan->open || scan->closed || gaps->entered[region] == scan->number)
        return;
    gaps->entered[region] = scan->number;
    point->seen++;
    point->place += scan->place++;
    point->crosses += scan->sends > 0;
}

/* At the start of the receive. */
static void end_gap(struct gap_scan *scan)
{
    if (scan->open)
        scan->irregular |= scan->sends != 1;
    else
        scan->before = scan->sends;
    scan->open = false;
}

static void begin_gap(struct gap_scan *scan)
{
    scan->open = true;
    scan->closed = false;
    scan->sends = scan->place = 0;
    scan->number++;
    scan->gaps->count++;
}

static void read_gap_row(struct gap_scan *scan, const struct stream *stream, uint32_t row)
{
    const struct receive_gaps *gaps = scan->gaps;
    const struct trace *trace = gaps->trace;
    const uint8_t kind = stream->kind[row];
    const uint32_t arg = stream->arg[row];
    if (event_opens(kind) && arg == gaps->path)
        end_gap(scan);
    else if (event_opens(kind) && region_is_program(trace, trace->calltree.paths.items[arg].region))
        enter_wait_point(scan, trace->calltree.paths.items[arg].region);
    else if (event_closes(kind) && stream->arg[arg] == gaps->path)
        begin_gap(scan);
    else if (kind == EVENT_SEND || kind == EVENT_ISEND)
        scan->sends++;
    else if (kind == EVENT_COLLECTIVE_BEGIN)
        scan->closed = true;
}

static void scan_gaps_of_rank(struct receive_gaps *gaps, const struct stream *stream)
{
    struct gap_scan scan = {.gaps = gaps, .number = gaps->count};
    for (uint32_t row = 0; row < stream->count; row++)
        read_gap_row(&scan, stream, row);
    if (!scan.open)
        return; /* it does not receive here */
    gaps->sends_first += scan.before == 1;
    gaps->receives_first += scan.before == 0;
    gaps->others += scan.irregular || scan.before + scan.sends != 1;
}

/* Collective. Finds the gaps of all ranks. */
static void scan_all_gaps(struct receive_gaps *gaps)
{
    const struct trace *trace = gaps->trace;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        scan_gaps_of_rank(gaps, &trace->streams[i]);
    for (uint32_t r = 0; r < trace->definitions->region_count; r++) {
        int64_t sums[] = {gaps->points[r].seen, gaps->points[r].place, gaps->points[r].crosses};
        processes_sum(trace->processes, sums, 3);
        gaps->points[r] = (struct wait_point){sums[0], sums[1], sums[2], r};
    }
    int64_t sums[] = {gaps->count, gaps->sends_first, gaps->receives_first, gaps->others};
    processes_sum(trace->processes, sums, 4);
    gaps->count = sums[0];
    gaps->sends_first = sums[1];
    gaps->receives_first = sums[2];
    gaps->others = sums[3];
}

/* True if some ranks send first and the others receive first, and all then alternate. */
static bool is_alternating(const struct receive_gaps *gaps)
{
    return gaps->others == 0 && gaps->sends_first > 0 && gaps->receives_first > 0;
}

ORDER_BY(order_by_distance, struct wait_point, ASCENDING(place) ?: ASCENDING(region))

static void add_wait_point(const struct facts *facts, struct candidate_list *list, uint32_t path,
                           const struct wait_point *point)
{
    const struct trace *trace = facts->trace;
    const bool crosses = point->crosses > 0;
    const char *pattern = candidate_callpath(list, trace, path);
    const char *text = candidate_path_text(list, trace, path);
    const char *region = candidate_region(list, trace, point->region);
    const char *value = candidate_region_pattern(list, trace, point->region);
    const char *check =
        candidate_text(list,
                       crosses ? "Make sure that the data sent before %s do not depend on the "
                                 "received data, and that the buffers are not used in between."
                               : "Make sure that nothing before %s uses the received data or "
                                 "changes the sent data.",
                       region);
    candidate_add_path(
        list, facts, path,
        (struct advice_candidate){
            .kind = crosses ? "serial-order" : "missing-overlap",
            .effort = EFFORT_MEDIUM,
            .cause = candidate_text(list, "overlap %u", path),
            .sections = candidate_text(
                list, "[nonblocking messages]\ncallpath = %s\nwait_before = %s\n", pattern, value),
            .change = candidate_text(list,
                                     crosses ? "Post the receive of %s before the send, and "
                                               "wait for it before %s: now each rank waits "
                                               "for the rank before it."
                                             : "Post the messages of %s by nonblocking calls, "
                                               "and wait for them before %s.",
                                     text, region),
            .check = check,
        });
}

static void add_wait_points(const struct facts *facts, struct candidate_list *list,
                            const struct receive_gaps *gaps)
{
    const struct trace *trace = facts->trace;
    const bool alternating = is_alternating(gaps);
    uint32_t kept = 0;
    qsort(gaps->points, trace->definitions->region_count, sizeof *gaps->points, order_by_distance);
    for (uint32_t i = 0; i < trace->definitions->region_count; i++) {
        const struct wait_point *point = &gaps->points[i];
        if (gaps->count == 0 || point->seen != gaps->count || kept == POINTS_MOST ||
            (point->crosses > 0 && !alternating) ||
            path_is_inside(trace, gaps->path, point->region))
            continue;
        kept++;
        add_wait_point(facts, list, gaps->path, point);
    }
}

/* Collective. Proposes to wait later for the receives of a call path. */
static enum status propose_later_wait(const struct facts *facts, struct candidate_list *list,
                                      uint32_t path, struct error *error)
{
    const struct trace *trace = facts->trace;
    const size_t regions = trace->definitions->region_count + 1ul;
    struct receive_gaps gaps = {.trace = trace,
                                .path = path,
                                .points = calloc(regions, sizeof *gaps.points),
                                .entered = calloc(regions, sizeof *gaps.entered)};
    enum status status =
        processes_agree_memory(trace->processes, gaps.points && gaps.entered, "the advice", error);
    if (status == STATUS_OK) {
        scan_all_gaps(&gaps);
        add_wait_points(facts, list, &gaps);
    }
    free(gaps.points);
    free(gaps.entered);
    return status;
}

/* True if the region sends and receives by blocking calls, waits there, and hardly computes. */
static bool is_exchange(const struct facts *facts, uint32_t region)
{
    const struct trace *trace = facts->trace;
    const struct region_facts *of = &facts->regions[region];
    bool sends = false, receives = false;
    int64_t wait = 0, time = of->computation;
    if (of->ranks == 0 || !region_is_program(trace, region))
        return false;
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++) {
        enum mpi_call call = callpath_call(trace, path);
        if (facts->paths[path].visits == 0 || !path_is_inside(trace, path, region))
            continue;
        time += facts->paths[path].communication;
        if (!mpi_class_is_blocking_message(mpi_call_infos[call].class))
            continue;
        sends |= mpi_call_infos[call].class == MPI_CLASS_SEND;
        receives |= mpi_call_infos[call].class == MPI_CLASS_RECV;
        wait += facts->paths[path].wait;
    }
    return sends && receives && facts_matters(facts, wait) &&
           (double)of->computation <= LITTLE_COMPUTATION * (double)(time - wait);
}

static void add_exchange_region(const struct facts *facts, struct candidate_list *list,
                                uint32_t region)
{
    const char *name = candidate_region(list, facts->trace, region);
    const char *value = candidate_region_pattern(list, facts->trace, region);
    candidate_add_region(
        list, facts, region,
        (struct advice_candidate){
            .kind = "serial-order",
            .effort = EFFORT_MEDIUM,
            .cause = candidate_text(list, "order %u", region),
            .sections = candidate_text(
                list, "[nonblocking messages]\nregion = %s\nwait_after = %s\n", value, value),
            .change = candidate_text(list,
                                     "Post all sends and receives of %s by nonblocking "
                                     "calls, and wait for all of them at its end: now each "
                                     "call waits for the one before it.",
                                     name),
            .check = "Make sure that the sent data do not depend on data received in the "
                     "same visit.",
        });
}

ORDER_BY(order_by_wait, struct keyed, DESCENDING(key) ?: ASCENDING(value))

static enum status propose_overlap(const struct facts *facts, struct candidate_list *list,
                                   struct error *error)
{
    const struct trace *trace = facts->trace;
    ARRAY(struct keyed) paths = {0};
    bool complete = true;
    for (uint32_t path = 0; path < trace->calltree.paths.count && complete; path++) {
        enum mpi_class class = mpi_call_infos[callpath_call(trace, path)].class;
        if ((class == MPI_CLASS_RECV || class == MPI_CLASS_SENDRECV) &&
            facts_matters(facts, facts->paths[path].wait))
            complete = array_push(
                &paths, ((struct keyed){.key = (uint64_t)facts->paths[path].wait, .value = path}));
    }
    enum status status = processes_agree_memory(trace->processes, complete, "the advice", error);
    if (status == STATUS_OK && paths.count > 0)
        qsort(paths.items, paths.count, sizeof *paths.items, order_by_wait);
    for (size_t i = 0; i < paths.count && i < PATHS_MOST && status == STATUS_OK; i++)
        status = propose_later_wait(facts, list, paths.items[i].value, error);
    for (uint32_t r = 0; status == STATUS_OK && r < trace->definitions->region_count; r++)
        if (is_exchange(facts, r))
            add_exchange_region(facts, list, r);
    free(paths.items);
    return status;
}

const struct candidate_family candidates_overlap = {
    .name = "overlap",
    .description = "blocking messages that could be waited for later",
    .propose = propose_overlap,
};
