/* With C[p] and V[p] the time of culprit and victim at call path p in the interval, without waits:
 *
 *     d[p] = max(0, C[p] - max(0, V[p]))
 *
 * (doc/methods.md, section 8; Boehme et al., see intervals.h).
 *
 * The culprit's owner asks the victim's owner for V, in rounds of bounded size. */
#include "patterns/delays.h"

#include "base/mpi/exchange.h"
#include "base/prefetch.h"
#include "patterns/path_times.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char purpose[] = "delays"; /* of memory */

/* Bounds of an exchange round: a process handles at least ROUND_WAITS waits and requests at least
 * ROUND_TIMES times, and proportionally more if it has many waits and events. This keeps the number
 * of rounds and the buffers small. The bound on waits balances the processes of a round. */
enum { ROUND_WAITS = 1 << 13, ROUND_TIMES = 1 << 16, WAIT_ROUNDS = 4, EVENTS_PER_TIME = 2 };

/* A rank's activity between two moments. */
struct delay_stretch {
    const struct search_rank *rank; /* owned; NULL: none */
    uint32_t start_row;             /* of the call at the start; INDEX_NONE: none */
    uint32_t end_row;               /* row of the ENTER of the call that ends it */
    int64_t start_ticks;            /* the part of the call at the start that counts */
    uint32_t first_wait, last_wait; /* the rank's waits in it, which are subtracted */
};

struct delay_work {
    const struct trace *trace;
    const struct search_rank *ranks;
    const struct sync_points *points;
    const struct thread_path *threads;
    struct caused_waits *caused;
    struct bytes *lists;
    uint32_t *culprits;
    uint32_t *wait_of; /* [end]: the number of an own wait */
    struct path_times culprit, victim;
    struct delay_stretch measured; /* the stretch in `culprit` */
    uint32_t round_waits;          /* of a round, at most */
    uint64_t round_times;          /* that it asks for, at most, but for those of one wait */
    const char *received;          /* in a round: answers, each with its victim's times */
    size_t *place;                 /* [round_waits] where the times of a wait begin there */
};

/* Request to the owner of a victim: the wait, and the beginning of its interval. */
struct victim_question {
    int64_t start_ticks;
    struct interval_start start;
    uint32_t rank, enter_row, event_row;
    uint32_t caused; /* at the process that asks */
    int asker;
};

/* Ticks by call path, compressed because there are ten times as many delays as waits. A list has
 * pairs of path + 1 and ticks and ends with a zero; numbers are LEB128: seven bits per byte, the
 * lowest first. */
enum { VARINT_MOST_BYTES = 10 }; /* of a 64-bit number */

static size_t write_varint(unsigned char *bytes, uint64_t number)
{
    size_t count = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[count++] = (unsigned char)(number | 0x80);
    bytes[count++] = (unsigned char)number;
    return count;
}

static uint64_t read_varint(const unsigned char **place)
{
    uint64_t number = 0;
    int shift = 0;
    for (; **place & 0x80; ++*place, shift += 7)
        number |= (uint64_t)(**place & 0x7f) << shift;
    return number | (uint64_t) * (*place)++ << shift;
}

/* A list that is being written, in pieces. */
struct list_writer {
    struct bytes *lists;
    size_t count;
    bool out_of_memory;
    unsigned char piece[512];
};

static void list_begin(struct list_writer *list, struct bytes *lists)
{
    list->lists = lists;
    list->count = 0;
    list->out_of_memory = false;
}

static void list_flush(struct list_writer *list)
{
    list->out_of_memory |= !bytes_put(list->lists, list->piece, list->count);
    list->count = 0;
}

static void list_put(struct list_writer *list, struct delay delay)
{
    assert(delay.ticks > 0);
    if (list->count + 2 * VARINT_MOST_BYTES > sizeof list->piece)
        list_flush(list);
    list->count += write_varint(list->piece + list->count, (uint64_t)delay.path + 1);
    list->count += write_varint(list->piece + list->count, (uint64_t)delay.ticks);
}

/* False if out of memory. */
static bool list_end(struct list_writer *list)
{
    if (list->count == sizeof list->piece)
        list_flush(list);
    list->piece[list->count++] = 0;
    list_flush(list);
    return !list->out_of_memory;
}

bool delay_list_next(const unsigned char **place, struct delay *delay)
{
    uint64_t path = read_varint(place);
    if (path == 0)
        return false;
    delay->path = (uint32_t)(path - 1);
    delay->ticks = (int64_t)read_varint(place);
    return true;
}

/* Measures an owned rank's time in the stretch by call path. */
static void measure_stretch(const struct delay_work *work, const struct delay_stretch *stretch,
                            struct path_times *times)
{
    const struct sync_points *points = work->points;
    const struct search_rank *rank = stretch->rank;
    const struct stream *stream = rank->stream;
    uint32_t row = stretch->start_row;
    path_times_reset(times);
    if (row != INDEX_NONE) {
        if (event_opens(stream->kind[row]))
            path_times_add(times, stream->arg[row], stretch->start_ticks);
    } else if (rank->init_path != CALLPATH_NONE) {
        int64_t released = int64_min(points->last_init_begin, rank->init_leave);
        row = rank->init_enter_row;
        path_times_add(times, rank->init_path,
                       rank->init_leave - int64_max(points->first_init_end, released));
    }
    path_times_add_rows(times, work->trace, stream, row, stretch->end_row);
    path_times_remove_waits(times, points, stream, stretch->first_wait, stretch->last_wait);
    if (work->threads->workers)
        thread_path_correct_times(work->threads, rank->index, row, stretch->end_row, times);
}

static bool same_stretch(const struct delay_stretch *a, const struct delay_stretch *b)
{
    return a->rank == b->rank && a->start_row == b->start_row && a->end_row == b->end_row &&
           a->start_ticks == b->start_ticks && a->first_wait == b->first_wait &&
           a->last_wait == b->last_wait;
}

/* NULL if another process owns the end's rank. */
static const struct search_rank *owned_rank(const struct delay_work *work,
                                            const struct sync_end *end)
{
    return search_rank_owned(work->ranks, work->trace, end->rank);
}

static const struct sync_end *victim_of(const struct delay_work *work, uint32_t caused)
{
    return &work->points->ends[work->caused->all[caused].end];
}

static struct victim_question question_about(const struct delay_work *work, uint32_t caused)
{
    const struct sync_end *victim = victim_of(work, caused);
    const struct caused_wait *wait = &work->caused->all[caused];
    struct victim_question question = {.start = interval_victim_start(work->points, wait),
                                       .rank = victim->rank,
                                       .enter_row = victim->enter_row,
                                       .event_row = victim->event_row,
                                       .caused = caused,
                                       .asker = work->trace->processes->rank};
    int64_t unused;
    if (wait->culprit_start != INDEX_NONE)
        interval_start_times(work->points, wait, &unused, &question.start_ticks);
    return question;
}

/* Measures an owned victim, and notes which caused wait its wait is. */
static void measure_victim(struct delay_work *work, const struct victim_question *question,
                           uint32_t wait)
{
    const struct delay_stretch stretch = {
        .rank = search_rank_owned(work->ranks, work->trace, question->rank),
        .start_row = question->start.enter_row,
        .end_row = question->enter_row,
        .start_ticks = question->start_ticks,
        .first_wait = interval_first_wait(work->points, &question->start, question->rank, wait),
        .last_wait = wait};
    assert(wait < work->points->wait_count && stretch.rank);
    work->culprits[wait] = question->caused;
    measure_stretch(work, &stretch, &work->victim);
}

/* Measures the culprit. In a collective operation many consecutive waits have the same one. */
static void measure_culprit(struct delay_work *work, uint32_t caused)
{
    const struct caused_wait *wait = &work->caused->all[caused];
    const struct sync_end *culprit = sync_culprit(work->points, victim_of(work, caused));
    struct delay_stretch stretch = {.rank = owned_rank(work, culprit),
                                    .start_row = INDEX_NONE,
                                    .end_row = culprit->enter_row,
                                    .first_wait = wait->first_cause,
                                    .last_wait = wait->first_cause + wait->cause_count};
    int64_t unused;
    if (wait->culprit_start != INDEX_NONE) {
        stretch.start_row = work->points->ends[wait->culprit_start].enter_row;
        interval_start_times(work->points, wait, &stretch.start_ticks, &unused);
    }
    if (same_stretch(&stretch, &work->measured))
        return;
    measure_stretch(work, &stretch, &work->culprit);
    work->measured = stretch;
}

/* Victims are ranks in no order, whose data are in no cache. The data of several victims are
 * prefetched together, step by step: each step needs the data of the previous one. */

static void prefetch_rank(const struct delay_work *work, uint32_t rank)
{
    const uint32_t index = rank - work->trace->first_rank;
    prefetch(&work->ranks[index].stream);
    prefetch(&work->trace->streams[index].time);
    prefetch(&work->trace->streams[index].arg);
}

/* The ends of a stretch; `from` may be INDEX_NONE. */
static void prefetch_rows(const struct delay_work *work, uint32_t rank, uint32_t from, uint32_t to)
{
    const struct stream *stream = &work->trace->streams[rank - work->trace->first_rank];
    from = from == INDEX_NONE ? 0 : from;
    prefetch(&stream->time[from]);
    prefetch(&stream->kind[from]);
    prefetch(&stream->arg[from]);
    prefetch(&stream->time[to]);
}

static void prefetch_victims(const struct delay_work *work, uint32_t first, uint32_t last)
{
    for (uint32_t caused = first; caused < last; caused++)
        prefetch(victim_of(work, caused));
    for (uint32_t caused = first; caused < last; caused++)
        if (owned_rank(work, victim_of(work, caused)))
            prefetch_rank(work, victim_of(work, caused)->rank);
    for (uint32_t caused = first; caused < last; caused++) {
        const struct caused_wait *wait = &work->caused->all[caused];
        const struct sync_end *victim = victim_of(work, caused);
        if (owned_rank(work, victim))
            prefetch_rows(work, victim->rank,
                          wait->culprit_start == INDEX_NONE ? INDEX_NONE : wait->victim_start,
                          victim->enter_row);
    }
}

static void prefetch_questioned(const struct delay_work *work,
                                const struct victim_question *questions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        prefetch_rank(work, questions[i].rank);
    for (size_t i = 0; i < count; i++)
        prefetch_rows(work, questions[i].rank, questions[i].start.enter_row,
                      questions[i].enter_row);
}

/* What precedes a victim's times. */
struct victim_answer {
    uint32_t caused, size; /* bytes of the list */
};

/* Answers a question. False if out of memory. */
static bool put_victim(struct delay_work *work, const struct victim_question *question,
                       struct bytes *box)
{
    const struct path_times *times = &work->victim;
    struct victim_answer answer = {.caused = question->caused};
    const size_t head = box->size;
    if (!bytes_put(box, &answer, sizeof answer))
        return false;
    struct list_writer list;
    list_begin(&list, box);
    measure_victim(
        work, question,
        sync_find_wait(work->points, question->rank, question->enter_row, question->event_row));
    for (uint32_t i = 0; i < times->touched_count; i++) {
        struct delay time = {times->ticks[times->touched[i]], times->touched[i]};
        if (time.ticks > 0) /* others do not affect delays */
            list_put(&list, time);
    }
    const bool allocated = list_end(&list);
    answer.size = (uint32_t)(box->size - head - sizeof answer);
    memcpy(box->data + head, &answer, sizeof answer);
    return allocated;
}

static void read_victim(struct delay_work *work, size_t place)
{
    assert(work->received);
    const unsigned char *list = (const unsigned char *)work->received + place;
    struct delay time;
    path_times_reset(&work->victim);
    while (delay_list_next(&list, &time))
        path_times_add(&work->victim, time.path, time.ticks);
}

/* Notes where the received times of each victim of the round begin. */
static void find_victim_times(struct delay_work *work, uint32_t first,
                              const struct received *answers)
{
    work->received = answers->items;
    for (size_t at = 0; at < answers->count;) {
        struct victim_answer answer;
        memcpy(&answer, work->received + at, sizeof answer);
        at += sizeof answer;
        work->place[answer.caused - first] = at;
        at += answer.size;
    }
}

/* Collective. Asks for the times of other processes' victims. */
static enum status ask_victims(struct delay_work *work, uint32_t first, uint32_t last,
                               struct received *answers, struct error *error)
{
    const struct trace *trace = work->trace;
    struct exchange exchange =
        exchange_open(trace->processes, sizeof(struct victim_question), purpose);
    struct received questions;
    for (uint32_t caused = first; caused < last; caused++)
        if (!owned_rank(work, victim_of(work, caused))) {
            const struct victim_question question = question_about(work, caused);
            exchange_put_owner(&exchange, trace, question.rank, &question);
        }
    enum status status = exchange_run(&exchange, &questions, error);
    if (status != STATUS_OK)
        return status;
    exchange = exchange_open(trace->processes, 1, purpose);
    for (size_t i = 0; i < questions.count; i++) {
        const struct victim_question *question =
            (const struct victim_question *)questions.items + i;
        prefetch_questioned(work, question, prefetch_batch(i, questions.count));
        exchange_check(&exchange,
                       put_victim(work, question, exchange_buffer(&exchange, question->asker)));
    }
    free(questions.items);
    status = exchange_run(&exchange, answers, error);
    if (status == STATUS_OK)
        find_victim_times(work, first, answers);
    return status;
}

/* Adds the delays of a wait, after its victim has been measured. */
static bool add_delays(struct delay_work *work, uint32_t caused)
{
    struct caused_wait *wait = &work->caused->all[caused];
    struct list_writer list;
    list_begin(&list, work->lists);
    measure_culprit(work, caused);
    wait->delays = work->lists->size;
    for (uint32_t i = 0; i < work->culprit.touched_count; i++) {
        uint32_t path = work->culprit.touched[i];
        struct delay delay = {work->culprit.ticks[path] - int64_max(0, work->victim.ticks[path]),
                              path};
        if (delay.ticks <= 0)
            continue;
        wait->delay += delay.ticks;
        list_put(&list, delay);
    }
    return list_end(&list);
}

static bool find_round_delays(struct delay_work *work, uint32_t first, uint32_t last)
{
    for (uint32_t caused = first; caused < last; caused++) {
        prefetch_victims(work, caused, caused + prefetch_batch(caused - first, last - first));
        if (owned_rank(work, victim_of(work, caused))) {
            const struct victim_question question = question_about(work, caused);
            measure_victim(work, &question, work->wait_of[work->caused->all[caused].end]);
        } else {
            read_victim(work, work->place[caused - first]);
        }
        if (!add_delays(work, caused))
            return false;
    }
    return true;
}

/* The end of the round that begins with the caused wait `first`. */
static uint32_t round_end(const struct delay_work *work, uint32_t first)
{
    const uint32_t paths = (uint32_t)work->trace->calltree.paths.count;
    uint32_t caused = first;
    if (work->trace->processes->size == 1)
        return work->caused->count;
    for (uint64_t times = 0; caused < work->caused->count && times < work->round_times &&
                             caused - first < work->round_waits;
         caused++) {
        const struct caused_wait *wait = &work->caused->all[caused];
        const struct sync_end *victim = victim_of(work, caused);
        const uint32_t from = wait->culprit_start == INDEX_NONE ? 0 : wait->victim_start;
        const uint32_t rows = victim->enter_row - from;
        if (!owned_rank(work, victim))
            times += 1 + (rows < paths ? rows : paths);
    }
    return caused;
}

static enum status find_all_delays(struct delay_work *work, struct error *error)
{
    const struct processes *processes = work->trace->processes;
    uint32_t last = 0;
    enum status status = STATUS_OK;
    for (int64_t more = 1; status == STATUS_OK && more;) {
        const uint32_t first = last;
        struct received answers = {0};
        last = round_end(work, first);
        if (processes->size > 1)
            status = ask_victims(work, first, last, &answers, error);
        if (status == STATUS_OK)
            status = processes_agree_memory(processes, find_round_delays(work, first, last),
                                            purpose, error);
        free(answers.items);
        more = last < work->caused->count;
        processes_max(processes, &more, 1);
    }
    return status;
}

enum status delays_find(const struct trace *trace, const struct search_rank *ranks,
                        const struct sync_points *points, const struct thread_path *threads,
                        struct caused_waits *caused, struct bytes *lists, uint32_t *culprits,
                        struct error *error)
{
    const uint32_t paths = (uint32_t)trace->calltree.paths.count;
    struct delay_work work = {
        .trace = trace,
        .ranks = ranks,
        .points = points,
        .threads = threads,
        .caused = caused,
        .lists = lists,
        .culprits = culprits,
        .round_waits = ROUND_WAITS + caused->count / WAIT_ROUNDS,
        .round_times = ROUND_TIMES + trace_owned_events(trace) / EVENTS_PER_TIME,
        .wait_of = malloc(((size_t)points->end_count + 1) * sizeof *work.wait_of)};
    work.place = malloc(work.round_waits * sizeof *work.place);
    bool allocated = path_times_open(&work.culprit, paths);
    allocated = path_times_open(&work.victim, paths) && allocated && work.place && work.wait_of;
    for (uint32_t wait = 0; allocated && wait < points->wait_count; wait++)
        work.wait_of[points->waits[wait]] = wait;
    enum status status = processes_agree_memory(trace->processes, allocated, purpose, error);
    if (status == STATUS_OK)
        status = find_all_delays(&work, error);
    path_times_clear(&work.culprit);
    path_times_clear(&work.victim);
    free(work.place);
    free(work.wait_of);
    return status;
}
