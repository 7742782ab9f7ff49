/* With C[p] and V[p] the time of culprit and victim at call path p in the interval, without waits:
 *
 *     d[p] = max(0, C[p] - max(0, V[p]))
 *
 * (doc/methods.md, section 8; Boehme et al., see intervals.h).
 *
 * The victim's times go to the culprit's owner, in rounds of bounded size. */
#include "patterns/delays.h"

#include "base/mpi/mail.h"
#include "patterns/path_times.h"

#include <stdlib.h>
#include <string.h>

/* The largest number of times that the victims of a round send to each process. */
enum { ROUND_TIMES = 1 << 15 };

/* A rank's activity between two moments. */
struct delay_stretch {
    const struct search_rank *rank; /* owned; NULL: none */
    uint32_t start;                 /* an end, see intervals.h */
    uint32_t end_row;               /* row of the ENTER of the call that ends it */
    int64_t start_ticks;            /* the part of the call at the start that counts */
    uint32_t first_wait, last_wait; /* the rank's waits in it, which are subtracted */
};

struct delay_work {
    const struct trace *trace;
    const struct search_rank *ranks;
    const struct sync_points *points;
    const struct interval *intervals;
    struct delays *delays;
    struct path_times culprit, victim;
    struct delay_stretch measured; /* the stretch in `culprit` */
    const char *received;          /* in a round: turns, each with its victim's times */
    size_t *place;                 /* [turn of the round] where its times begin in `received` */
};

/* --- lists ------------------------------------------------------------------------------------ */

/* Ticks by call path, compressed because there are ten times as many delays as waits. A list has
 * pairs of path + 1 and ticks and ends with a zero; numbers have seven bits per byte, the lowest
 * first. */
enum { MOST_BYTES = 10 }; /* of a 64-bit number */

static size_t write_number(unsigned char *bytes, uint64_t number)
{
    size_t count = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[count++] = (unsigned char)(number | 0x80);
    bytes[count++] = (unsigned char)number;
    return count;
}

static uint64_t read_number(const unsigned char **place)
{
    uint64_t number = 0;
    int shift = 0;
    for (; **place & 0x80; ++*place, shift += 7)
        number |= (uint64_t)(**place & 0x7f) << shift;
    return number | (uint64_t) * (*place)++ << shift;
}

static bool delay_list_put(struct bytes *lists, struct delay delay)
{
    unsigned char bytes[2 * MOST_BYTES];
    size_t count = write_number(bytes, (uint64_t)delay.path + 1);
    count += write_number(bytes + count, (uint64_t)delay.ticks);
    return bytes_put(lists, bytes, count);
}

static bool delay_list_end(struct bytes *lists)
{
    return bytes_put(lists, "", 1);
}

bool delay_list_next(const unsigned char **place, struct delay *delay)
{
    uint64_t path = read_number(place);
    if (path == 0)
        return false;
    delay->path = (uint32_t)(path - 1);
    delay->ticks = (int64_t)read_number(place);
    return true;
}

/* --- delays ----------------------------------------------------------------------------------- */

void delays_clear(struct delays *delays)
{
    host_memory_close(&delays->memory);
    bytes_clear(&delays->lists);
    memset(delays, 0, sizeof *delays);
}

/* Measures an owned rank's time in the stretch by call path. */
static void measure(const struct delay_work *work, const struct delay_stretch *stretch,
                    struct path_times *times)
{
    const struct sync_points *points = work->points;
    const struct search_rank *rank = stretch->rank;
    uint32_t row = INDEX_NONE;
    path_times_reset(times);
    if (stretch->start != INDEX_NONE) {
        row = points->ends[stretch->start].enter_row;
        path_times_add(times, sync_end_path(rank->stream, &points->ends[stretch->start]),
                       stretch->start_ticks);
    } else if (rank->init_path != CALLPATH_NONE) {
        int64_t released = earlier(points->last_init_begin, rank->init_leave);
        row = rank->init_enter_row;
        path_times_add(times, rank->init_path,
                       rank->init_leave - later(points->first_init_end, released));
    }
    path_times_add_rows(times, work->trace, rank->stream, row, stretch->end_row);
    path_times_remove_waits(times, points, rank->stream, stretch->first_wait, stretch->last_wait);
}

static bool same_stretch(const struct delay_stretch *a, const struct delay_stretch *b)
{
    return a->rank == b->rank && a->start == b->start && a->end_row == b->end_row &&
           a->start_ticks == b->start_ticks && a->first_wait == b->first_wait &&
           a->last_wait == b->last_wait;
}

/* NULL if another process owns the end's rank. */
static const struct search_rank *owned_rank(const struct delay_work *work,
                                            const struct sync_end *end)
{
    return search_rank_owned(work->ranks, work->trace, end->rank);
}

static void measure_victim(struct delay_work *work, uint32_t wait)
{
    const struct interval *interval = &work->intervals[wait];
    const struct sync_end *victim = sync_wait_end(work->points, wait);
    struct delay_stretch stretch = {.rank = owned_rank(work, victim),
                                    .start = interval->victim_start,
                                    .end_row = victim->enter_row,
                                    .last_wait = wait};
    int64_t unused;
    if (interval->culprit_start != INDEX_NONE)
        interval_start_times(work->points, interval, &unused, &stretch.start_ticks);
    stretch.first_wait = interval_first_wait(work->points, stretch.start, victim->rank, wait);
    measure(work, &stretch, &work->victim);
}

/* Measures the culprit. In a collective operation many consecutive waits have the same one. */
static void measure_culprit(struct delay_work *work, uint32_t wait)
{
    const struct interval *interval = &work->intervals[wait];
    const struct sync_end *culprit = sync_culprit(work->points, sync_wait_end(work->points, wait));
    struct delay_stretch stretch = {.rank = owned_rank(work, culprit),
                                    .start = interval->culprit_start,
                                    .end_row = culprit->enter_row,
                                    .first_wait = interval->first_cause,
                                    .last_wait = interval->first_cause + interval->cause_count};
    int64_t unused;
    if (interval->culprit_start != INDEX_NONE)
        interval_start_times(work->points, interval, &stretch.start_ticks, &unused);
    if (same_stretch(&stretch, &work->measured))
        return;
    measure(work, &stretch, &work->culprit);
    work->measured = stretch;
}

/* Sends an owned victim's times to the owner of its culprit. */
static bool send_victim(struct delay_work *work, uint32_t turn, struct bytes *box)
{
    const struct path_times *times = &work->victim;
    measure_victim(work, work->points->by_time[turn]);
    bool complete = bytes_put(box, &turn, sizeof turn);
    for (uint32_t i = 0; i < times->touched_count && complete; i++) {
        struct delay time = {times->ticks[times->touched[i]], times->touched[i]};
        if (time.ticks > 0) /* others do not affect delays */
            complete = delay_list_put(box, time);
    }
    return complete && delay_list_end(box);
}

static void read_victim(struct delay_work *work, size_t place)
{
    const unsigned char *list = (const unsigned char *)work->received + place;
    struct delay time;
    path_times_reset(&work->victim);
    while (delay_list_next(&list, &time))
        path_times_add(&work->victim, time.path, time.ticks);
}

/* Adds the delays of an owned culprit, after its victim has been measured. */
static bool add_delays(struct delay_work *work, uint32_t wait)
{
    struct bytes *lists = &work->delays->lists;
    measure_culprit(work, wait);
    work->delays->first[wait] = lists->size;
    for (uint32_t i = 0; i < work->culprit.touched_count; i++) {
        uint32_t path = work->culprit.touched[i];
        struct delay delay = {work->culprit.ticks[path] - later(0, work->victim.ticks[path]), path};
        if (delay.ticks <= 0)
            continue;
        work->delays->total[wait] += delay.ticks;
        if (!delay_list_put(lists, delay))
            return false;
    }
    return delay_list_end(lists);
}

/* Notes where the received times of each victim of the round begin. */
static void find_places(struct delay_work *work, uint32_t first, const char *received, size_t size)
{
    const unsigned char *at = (const unsigned char *)received, *end = at + size;
    struct delay time;
    while (at < end) {
        uint32_t turn;
        memcpy(&turn, at, sizeof turn);
        at += sizeof turn;
        work->place[turn - first] = (size_t)(at - (const unsigned char *)received);
        while (delay_list_next(&at, &time))
            ;
    }
    work->received = received;
}

static enum status exchange_victims(struct delay_work *work, uint32_t first, uint32_t last,
                                    struct delivery *received, struct error *error)
{
    const struct trace *trace = work->trace;
    struct mail mail = mail_open(trace->processes, 1, "delays");
    for (uint32_t turn = first; turn < last; turn++) {
        const struct sync_end *victim = sync_wait_end(work->points, work->points->by_time[turn]);
        const struct sync_end *culprit = sync_culprit(work->points, victim);
        if (owned_rank(work, victim) && !owned_rank(work, culprit))
            mail_check(&mail,
                       send_victim(work, turn, mail_box(&mail, trace_owner(trace, culprit->rank))));
    }
    enum status status = mail_exchange(&mail, received, error);
    if (status == STATUS_OK)
        find_places(work, first, received->items, received->count);
    return status;
}

static bool find_round(struct delay_work *work, uint32_t first, uint32_t last)
{
    for (uint32_t turn = first; turn < last; turn++) {
        uint32_t wait = work->points->by_time[turn];
        const struct sync_end *victim = sync_wait_end(work->points, wait);
        if (!owned_rank(work, sync_culprit(work->points, victim)))
            continue;
        if (owned_rank(work, victim))
            measure_victim(work, wait);
        else
            read_victim(work, work->place[turn - first]);
        if (!add_delays(work, wait))
            return false;
    }
    return true;
}

/* The end of the round that begins with turn `first`; the same on all processes. */
static uint32_t round_end(const struct delay_work *work, uint32_t first)
{
    const struct sync_points *points = work->points;
    uint32_t turn = first, paths = (uint32_t)work->trace->calltree.paths.count;
    uint64_t most = (uint64_t)ROUND_TIMES * (uint64_t)work->trace->processes->size;
    if (work->trace->processes->size == 1)
        return points->wait_count;
    for (uint64_t times = 0; turn < points->wait_count && times < most; turn++) {
        uint32_t wait = points->by_time[turn], start = work->intervals[wait].victim_start;
        uint32_t from = start == INDEX_NONE ? 0 : points->ends[start].enter_row;
        uint32_t rows = sync_wait_end(work->points, wait)->enter_row - from;
        times += 1 + (rows < paths ? rows : paths);
    }
    return turn;
}

static enum status find_all(struct delay_work *work, struct error *error)
{
    const struct processes *processes = work->trace->processes;
    uint32_t last = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && last < work->points->wait_count) {
        uint32_t first = last;
        struct delivery received = {0};
        last = round_end(work, first);
        if (processes->size > 1)
            status = exchange_victims(work, first, last, &received, error);
        if (status == STATUS_OK)
            status =
                processes_agree_memory(processes, find_round(work, first, last), "delays", error);
        free(received.items);
    }
    return status;
}

enum status delays_find(const struct trace *trace, const struct search_rank *ranks,
                        const struct sync_points *points, const struct interval *intervals,
                        struct delays *delays, struct error *error)
{
    size_t waits = points->wait_count, most = (size_t)ROUND_TIMES * (size_t)trace->processes->size;
    size_t round = trace->processes->size == 1 ? 0 : waits < most ? waits : most;
    uint32_t paths = (uint32_t)trace->calltree.paths.count;
    struct delay_work work = {.trace = trace,
                              .ranks = ranks,
                              .points = points,
                              .intervals = intervals,
                              .delays = delays,
                              .place = malloc((round + 1) * sizeof *work.place)};
    memset(delays, 0, sizeof *delays);
    enum status status =
        host_memory_open(&points->group, (waits + 1) * (sizeof(int64_t) + sizeof(size_t)), "delays",
                         &delays->memory, error);
    if (status == STATUS_OK) {
        delays->total = delays->memory.data;
        delays->first = (size_t *)(delays->total + waits + 1);
    }
    bool complete = path_times_open(&work.culprit, paths);
    complete = path_times_open(&work.victim, paths) && complete && work.place;
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, complete, "delays", error);
    if (status == STATUS_OK)
        status = find_all(&work, error);
    if (status == STATUS_OK)
        host_memory_sum(&points->group, delays->total, waits);
    path_times_clear(&work.culprit);
    path_times_clear(&work.victim);
    free(work.place);
    return status;
}
