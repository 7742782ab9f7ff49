/* With C[p] and V[p] the time of culprit and victim at call path p in the interval, without waits:
 *
 *     d[p] = max(0, C[p] - max(0, V[p]))      (METHODS 8; Boehme et al., see intervals.h)
 *
 * The victim's times go to the culprit's owner, in rounds of bounded size. */
#include "patterns/delays.h"

#include "patterns/path_times.h"

#include <stdlib.h>
#include <string.h>

enum { ROUND_TIMES = 1 << 18 }; /* the most that a round's victims can have to say */

struct wait_times { /* followed by `count` delays: the victim's times */
    uint32_t wait, count;
};

struct delay_work {
    const struct trace *trace;
    const struct search_rank *ranks;
    const struct sync_points *points;
    const struct interval *intervals;
    struct delays *delays;
    struct path_times culprit, victim;
    const char *received; /* in a round */
    size_t *place;        /* [wait of the round] in received */
};

void delays_clear(struct delays *delays)
{
    free(delays->total);
    free(delays->of.items);
    free(delays->first);
    memset(delays, 0, sizeof *delays);
}

static bool is_owned(const struct trace *trace, uint32_t rank)
{
    return rank - trace->first_rank < trace->owned_count;
}

static const struct sync_end *victim_of(const struct delay_work *work, uint32_t wait)
{
    return &work->points->ends[work->points->waits[wait]];
}

/* The time of an owned rank from `start` (and so much of the call there) up to the call of `end`.
 */
static void measure(const struct delay_work *work, uint32_t start, int64_t start_ticks,
                    const struct sync_end *end, uint32_t first_wait, uint32_t last_wait,
                    struct path_times *times)
{
    const struct sync_points *points = work->points;
    const struct search_rank *rank = &work->ranks[end->rank - work->trace->first_rank];
    uint32_t row = INDEX_NONE;
    path_times_reset(times);
    if (start != INDEX_NONE) {
        row = points->ends[start].enter_row;
        path_times_add(times, points->ends[start].path, start_ticks);
    } else if (rank->init_path != CALLPATH_NONE) {
        int64_t released = earlier(points->last_init_begin, rank->init_leave);
        row = rank->init_enter_row;
        path_times_add(times, rank->init_path,
                       rank->init_leave - later(points->first_init_end, released));
    }
    path_times_add_rows(times, work->trace, rank->stream, row, end->enter_row);
    path_times_remove_waits(times, points, first_wait, last_wait);
}

static void measure_wait(struct delay_work *work, uint32_t wait, bool culprit)
{
    const struct interval *interval = &work->intervals[wait];
    const struct sync_end *victim = victim_of(work, wait);
    int64_t culprit_ticks = 0, victim_ticks = 0;
    if (interval->culprit_start != INDEX_NONE)
        interval_start_times(work->points, interval, &culprit_ticks, &victim_ticks);
    if (culprit)
        measure(work, interval->culprit_start, culprit_ticks, sync_culprit(work->points, victim),
                interval->first_cause, interval->first_cause + interval->cause_count,
                &work->culprit);
    else
        measure(work, interval->victim_start, victim_ticks, victim,
                interval_first_wait(work->points, interval->victim_start, victim->rank, wait), wait,
                &work->victim);
}

/* Sends what an owned victim did to the owner of its culprit. */
static bool send_victim(struct delay_work *work, uint32_t wait, struct outbox *outbox)
{
    const struct path_times *times = &work->victim;
    measure_wait(work, wait, false);
    struct wait_times head = {wait, times->touched_count};
    bool complete = outbox_put(outbox, &head, sizeof head);
    for (uint32_t i = 0; i < times->touched_count && complete; i++) {
        struct delay time = {times->ticks[times->touched[i]], times->touched[i]};
        complete = outbox_put(outbox, &time, sizeof time);
    }
    return complete;
}

static void read_victim(struct delay_work *work, size_t place)
{
    struct wait_times head;
    memcpy(&head, work->received + place, sizeof head);
    path_times_reset(&work->victim);
    for (uint32_t i = 0; i < head.count; i++) {
        struct delay time;
        memcpy(&time, work->received + place + sizeof head + i * sizeof time, sizeof time);
        path_times_add(&work->victim, time.path, time.ticks);
    }
}

/* The delays of an owned culprit; the victim's times are there. */
static bool add_delays(struct delay_work *work, uint32_t wait)
{
    measure_wait(work, wait, true);
    for (uint32_t i = 0; i < work->culprit.touched_count; i++) {
        uint32_t path = work->culprit.touched[i];
        struct delay delay = {work->culprit.ticks[path] - later(0, work->victim.ticks[path]), path};
        if (delay.ticks <= 0)
            continue;
        work->delays->total[wait] += delay.ticks;
        if (!array_push(&work->delays->of, delay))
            return false;
    }
    return true;
}

static enum status exchange_victims(struct delay_work *work, uint32_t first, uint32_t last,
                                    struct outbox *outbox, char **received, struct error *error)
{
    const struct trace *trace = work->trace;
    const struct processes *processes = trace->processes;
    enum status status = outbox ? STATUS_OK : error_memory(error, "delays");
    for (uint32_t wait = first; wait < last && status == STATUS_OK; wait++) {
        const struct sync_end *victim = victim_of(work, wait);
        uint32_t culprit = sync_culprit(work->points, victim)->rank;
        if (is_owned(trace, victim->rank) && !is_owned(trace, culprit) &&
            !send_victim(work, wait, &outbox[trace_owner(trace, culprit)]))
            status = error_memory(error, "delays");
    }
    status = processes_agree(processes, status, error);
    size_t size = 0;
    if (status == STATUS_OK)
        status = processes_exchange(processes, outbox, received, &size, NULL, error);
    else if (outbox)
        outbox_clear(outbox, processes->size);
    for (size_t at = 0; at < size;) {
        struct wait_times head;
        memcpy(&head, *received + at, sizeof head);
        work->place[head.wait - first] = at;
        at += sizeof head + head.count * sizeof(struct delay);
    }
    work->received = *received;
    return status;
}

static bool find_round(struct delay_work *work, uint32_t first, uint32_t last)
{
    for (uint32_t wait = first; wait < last; wait++) {
        const struct sync_end *victim = victim_of(work, wait);
        work->delays->first[wait] = work->delays->of.count;
        if (!is_owned(work->trace, sync_culprit(work->points, victim)->rank))
            continue;
        if (is_owned(work->trace, victim->rank))
            measure_wait(work, wait, false);
        else
            read_victim(work, work->place[wait - first]);
        if (!add_delays(work, wait))
            return false;
    }
    return true;
}

/* The end of the round that begins with wait `first`; the same on all processes. */
static uint32_t round_end(const struct delay_work *work, uint32_t first)
{
    const struct sync_points *points = work->points;
    uint32_t wait = first, paths = (uint32_t)work->trace->calltree.paths.count;
    if (work->trace->processes->size == 1)
        return points->wait_count;
    for (uint64_t times = 0; wait < points->wait_count && times < ROUND_TIMES; wait++) {
        uint32_t start = work->intervals[wait].victim_start;
        uint32_t from = start == INDEX_NONE ? 0 : points->ends[start].enter_row;
        uint32_t rows = victim_of(work, wait)->enter_row - from;
        times += 1 + (rows < paths ? rows : paths);
    }
    return wait;
}

static enum status find_all(struct delay_work *work, struct error *error)
{
    const struct processes *processes = work->trace->processes;
    struct outbox *outbox = calloc((size_t)processes->size, sizeof *outbox);
    uint32_t last = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && last < work->points->wait_count) {
        uint32_t first = last;
        char *received = NULL;
        last = round_end(work, first);
        if (processes->size > 1)
            status = exchange_victims(work, first, last, outbox, &received, error);
        if (status == STATUS_OK && !find_round(work, first, last))
            status = error_memory(error, "delays");
        free(received);
        status = processes_agree(processes, status, error);
    }
    free(outbox);
    return status;
}

enum status delays_find(const struct trace *trace, const struct search_rank *ranks,
                        const struct sync_points *points, const struct interval *intervals,
                        struct delays *delays, struct error *error)
{
    size_t waits = points->wait_count;
    uint32_t paths = (uint32_t)trace->calltree.paths.count;
    struct delay_work work = {.trace = trace,
                              .ranks = ranks,
                              .points = points,
                              .intervals = intervals,
                              .delays = delays,
                              .place = malloc((ROUND_TIMES + 1) * sizeof *work.place)};
    memset(delays, 0, sizeof *delays);
    delays->total = calloc(waits + 1, sizeof *delays->total);
    delays->first = calloc(waits + 1, sizeof *delays->first);
    bool complete = path_times_open(&work.culprit, paths);
    complete = path_times_open(&work.victim, paths) && complete && work.place && delays->total &&
               delays->first;
    enum status status = complete ? STATUS_OK : error_memory(error, "delays");
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = find_all(&work, error);
    if (status == STATUS_OK) {
        delays->first[waits] = delays->of.count;
        processes_sum(trace->processes, delays->total, waits);
    }
    path_times_clear(&work.culprit);
    path_times_clear(&work.victim);
    free(work.place);
    return status;
}
