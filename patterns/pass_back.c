/* A rank processes two kinds of waits: its own, whose amounts it sends to the owners of the
 * culprits, and the waits for it, whose amounts must have arrived. Both are processed together from
 * the last to the first; a rank that needs an amount stops until it arrives. Processes cannot
 * deadlock, because all ranks process waits in one order. */
#include "patterns/pass_back.h"

#include "base/array.h"
#include "base/mpi/exchange.h"
#include "base/mpi/mail.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAG_AMOUNTS = 5,
    MESSAGE_BYTES = 1 << 14, /* of amounts, sent together because most are few bytes */
    NOTHING = -1,            /* has arrived */
};

static const char purpose[] = "what passes back along waits"; /* of memory */

/* Amounts for another process: one message is filled while the previous one is sent. */
struct amount_sender {
    char *data; /* [2][MESSAGE_BYTES]; NULL: nothing is sent there */
    int filled; /* which of the two */
    size_t size;
    struct mail_sending sending; /* the other one */
};

struct amount_header { /* followed by the amount, if there is one */
    uint32_t caused;
    uint32_t is_amount;
};

/* An amount for which `spend` has not been called yet. */
struct unspent {
    uint32_t caused, amount;
};

enum { MOST_UNSPENT = 1024 };

struct passing {
    const struct pass_back *rules;
    const struct sync_points *points;
    const struct caused_waits *caused;
    const struct trace *trace;
    uint32_t *by_turn;                  /* [wait], each rank's in processing order */
    uint32_t *waits_left, *caused_left; /* [owned rank] */
    uint64_t left;                      /* of the two, all ranks */
    uint32_t *received;                 /* [wait], an amount; 0: none */
    int32_t *arrived;                   /* [caused], an amount, NOTHING; 0: not yet */
    ARRAY(double) numbers;              /* amounts, the first is not used */
    ARRAY(uint32_t) free_amounts;
    struct unspent unspent[MOST_UNSPENT];
    uint32_t unspent_count;
    double unused[PASSED_MOST]; /* to add to if out of memory */
    uint32_t *ready;            /* owned ranks that can continue */
    bool *is_ready;
    uint32_t ready_count;
    struct amount_sender *senders; /* [process] */
    char *incoming;                /* [MESSAGE_BYTES] */
    bool out_of_memory;
};

static double *amount_at(struct passing *passing, uint32_t amount)
{
    return &passing->numbers.items[(size_t)amount * passing->rules->width];
}

/* An amount of zeros; 0 if out of memory, which is noted. */
static uint32_t new_amount(struct passing *passing)
{
    const uint32_t width = passing->rules->width;
    uint32_t amount = (uint32_t)(passing->numbers.count / width);
    if (passing->free_amounts.count)
        amount = passing->free_amounts.items[--passing->free_amounts.count];
    else if (amount < INT32_MAX && array_reserve(&passing->numbers, width))
        passing->numbers.count += width;
    else
        amount = 0;
    passing->out_of_memory |= amount == 0;
    if (amount > 0)
        memset(amount_at(passing, amount), 0, width * sizeof(double));
    return amount;
}

static void free_amount(struct passing *passing, uint32_t amount)
{
    if (amount > 0)
        passing->out_of_memory |= !array_push(&passing->free_amounts, amount);
}

double *passed_to(struct passing *passing, uint32_t wait)
{
    if (passing->received[wait] == 0)
        passing->received[wait] = new_amount(passing);
    return passing->received[wait] ? amount_at(passing, passing->received[wait]) : passing->unused;
}

static void spend_all(struct passing *passing)
{
    for (uint32_t i = 0; i < passing->unspent_count; i++) {
        const struct unspent *unspent = &passing->unspent[i];
        passing->rules->spend(passing->rules->data, unspent->caused,
                              amount_at(passing, unspent->amount));
        free_amount(passing, unspent->amount);
    }
    passing->unspent_count = 0;
}

static int by_turn(const struct sync_points *points, const struct sync_end *a,
                   const struct sync_end *b)
{
    const int64_t x = points->points[a->point].time, y = points->points[b->point].time;
    return ORDER(x, y)
               ?: ORDER(a->rank, b->rank)
               ?: ORDER(a->enter_row, b->enter_row)
               ?: ORDER(a->event_row, b->event_row);
}

/* Puts one rank's waits, which are in order of rows, in processing order. False if out of memory.
 */
static bool order_turns(struct passing *passing, uint32_t first, uint32_t last)
{
    const struct sync_points *points = passing->points;
    bool ordered = true;
    for (uint32_t wait = first; wait < last; wait++) {
        passing->by_turn[wait] = wait;
        ordered = ordered && (wait == first || by_turn(points, sync_wait_end(points, wait - 1),
                                                       sync_wait_end(points, wait)) < 0);
    }
    if (ordered)
        return true;
    struct keyed *items = malloc((last - first) * sizeof *items);
    for (uint32_t i = 0; items && i < last - first; i++) {
        const struct sync_end *end = sync_wait_end(points, first + i);
        items[i] = (struct keyed){sort_key(points->points[end->point].time), first + i};
    }
    const bool allocated = items && keyed_sort(items, last - first);
    for (uint32_t i = 0; allocated && i < last - first; i++)
        passing->by_turn[first + i] = items[i].value;
    free(items);
    return allocated;
}

static void make_ready(struct passing *passing, uint32_t rank)
{
    if (!passing->is_ready[rank])
        passing->ready[passing->ready_count++] = rank;
    passing->is_ready[rank] = true;
}

/* The next caused wait of a rank to be processed. */
static uint32_t next_caused(const struct passing *passing, uint32_t rank)
{
    return passing->caused->first[rank] + passing->caused_left[rank] - 1;
}

/* Notes the amount of a caused wait, and owns it. */
static void store_amount(struct passing *passing, uint32_t caused, uint32_t amount)
{
    const struct sync_end *end = caused_end(passing->rules->causes, caused);
    const uint32_t rank = sync_culprit(passing->points, end)->rank - passing->points->first_rank;
    passing->arrived[caused] = amount ? (int32_t)amount : NOTHING;
    if (next_caused(passing, rank) == caused)
        make_ready(passing, rank);
}

static void read_message(struct passing *passing, size_t size)
{
    const size_t bytes = passing->rules->width * sizeof(double);
    for (size_t at = 0; at < size;) {
        struct amount_header header;
        uint32_t amount = 0;
        memcpy(&header, passing->incoming + at, sizeof header);
        at += sizeof header;
        if (header.is_amount) {
            amount = new_amount(passing);
            if (amount)
                memcpy(amount_at(passing, amount), passing->incoming + at, bytes);
            at += bytes;
        }
        store_amount(passing, header.caused, amount);
    }
}

/* Receives a message if there is one; otherwise pauses. `*tests` counts those of one wait. */
static void receive_or_pause(struct passing *passing, unsigned *tests)
{
    const struct processes *processes = passing->trace->processes;
    int64_t size =
        mail_take(processes, MAIL_FROM_ANY, TAG_AMOUNTS, passing->incoming, MESSAGE_BYTES);
    if (size < 0) {
        processes_pause(processes, tests);
        return;
    }
    *tests = 0;
    read_message(passing, (size_t)size);
}

/* Receives messages until the sender's last message has been sent. */
static void wait_for_send(struct passing *passing, struct amount_sender *sender)
{
    for (unsigned tests = 0; !mail_is_sent(passing->trace->processes, &sender->sending);)
        receive_or_pause(passing, &tests);
}

static void send_message(struct passing *passing, int process)
{
    struct amount_sender *sender = &passing->senders[process];
    if (sender->size == 0)
        return;
    wait_for_send(passing, sender);
    mail_start(passing->trace->processes, &sender->sending, process, TAG_AMOUNTS,
               sender->data + sender->filled * (size_t)MESSAGE_BYTES, sender->size);
    sender->filled = !sender->filled;
    sender->size = 0;
}

static void send_all_messages(struct passing *passing)
{
    for (int process = 0; process < passing->trace->processes->size; process++)
        send_message(passing, process);
}

static void append_amount(struct passing *passing, int process, uint32_t caused, uint32_t amount)
{
    const size_t bytes = passing->rules->width * sizeof(double);
    const struct amount_header header = {caused, amount > 0};
    struct amount_sender *sender = &passing->senders[process];
    assert(sender->data);
    if (sender->size + sizeof header + bytes > MESSAGE_BYTES)
        send_message(passing, process);
    char *at = sender->data + sender->filled * (size_t)MESSAGE_BYTES + sender->size;
    memcpy(at, &header, sizeof header);
    if (amount > 0)
        memcpy(at + sizeof header, amount_at(passing, amount), bytes);
    sender->size += sizeof header + (amount > 0 ? bytes : 0);
}

/* Processes an own wait: its amount goes to the owner of its culprit. */
static void pass_to_culprit(struct passing *passing, uint32_t wait)
{
    const uint32_t culprit = sync_waits_for(passing->points, wait);
    const uint32_t caused = passing->rules->causes->culprits[wait];
    double begin[PASSED_MOST] = {0};
    if (passing->rules->begin && passing->rules->begin(passing->rules->data, wait, begin)) {
        double *amount = passed_to(passing, wait);
        for (uint32_t i = 0; i < passing->rules->width; i++)
            amount[i] += begin[i];
    }
    const uint32_t amount = passing->received[wait];
    passing->received[wait] = 0;
    if (sync_owns(passing->points, culprit)) {
        store_amount(passing, caused, amount);
        return;
    }
    append_amount(passing, trace_owner(passing->trace, culprit), caused, amount);
    free_amount(passing, amount);
}

/* Processes a caused wait, whose amount has arrived. */
static void take_turn(struct passing *passing, uint32_t caused)
{
    const struct pass_back *rules = passing->rules;
    const int32_t arrived = passing->arrived[caused];
    assert(arrived != 0);
    double amount[PASSED_MOST]; /* amounts move when there are more of them */
    if (arrived > 0)
        memcpy(amount, amount_at(passing, (uint32_t)arrived), rules->width * sizeof *amount);
    rules->pass(rules->data, caused, arrived > 0 ? amount : NULL, passing);
    if (arrived <= 0)
        return;
    if (passing->unspent_count == MOST_UNSPENT)
        spend_all(passing);
    passing->unspent[passing->unspent_count++] = (struct unspent){caused, (uint32_t)arrived};
}

/* Processes waits of a rank as far as possible. A wait for itself sends before it receives. */
static void advance_rank(struct passing *passing, uint32_t rank)
{
    const struct sync_points *points = passing->points;
    uint32_t *waits_left = &passing->waits_left[rank], *caused_left = &passing->caused_left[rank];
    passing->is_ready[rank] = false;
    while (*waits_left > 0 || *caused_left > 0) {
        const uint32_t wait =
            *waits_left ? passing->by_turn[points->first_wait[rank] + *waits_left - 1] : INDEX_NONE;
        const uint32_t caused = *caused_left ? next_caused(passing, rank) : INDEX_NONE;
        if (caused == INDEX_NONE ||
            (wait != INDEX_NONE && by_turn(points, sync_wait_end(points, wait),
                                           caused_end(passing->rules->causes, caused)) >= 0)) {
            --*waits_left;
            pass_to_culprit(passing, wait);
        } else if (passing->arrived[caused] != 0) {
            --*caused_left;
            take_turn(passing, caused);
        } else {
            return;
        }
        passing->left--;
    }
}

static void pass_all(struct passing *passing)
{
    unsigned tests = 0;
    for (uint32_t rank = 0; rank < passing->points->rank_count; rank++)
        make_ready(passing, rank);
    for (;;) {
        while (passing->ready_count > 0)
            advance_rank(passing, passing->ready[--passing->ready_count]);
        send_all_messages(passing);
        spend_all(passing);
        if (passing->left == 0)
            break;
        assert(passing->trace->processes->size > 1);
        receive_or_pause(passing, &tests);
    }
    for (int process = 0; process < passing->trace->processes->size; process++)
        if (passing->senders[process].data)
            wait_for_send(passing, &passing->senders[process]);
}

struct late_amount {
    uint32_t caused;
    double numbers[PASSED_MOST];
};

ORDER_BY(by_caused, struct late_amount, ASCENDING(caused))

/* Collective. */
static enum status pass_late(struct passing *passing, struct error *error)
{
    const struct pass_back *rules = passing->rules;
    struct exchange exchange =
        exchange_open(passing->trace->processes, sizeof(struct late_amount), purpose);
    struct received late;
    exchange_check(&exchange, !passing->out_of_memory);
    for (uint32_t wait = 0; wait < passing->points->wait_count; wait++) {
        struct late_amount amount = {.caused = rules->causes->culprits[wait]};
        if (passing->received[wait] == 0)
            continue;
        memcpy(amount.numbers, amount_at(passing, passing->received[wait]),
               rules->width * sizeof *amount.numbers);
        exchange_put_owner(&exchange, passing->trace, sync_waits_for(passing->points, wait),
                           &amount);
    }
    enum status status = exchange_run(&exchange, &late, error);
    struct late_amount *amounts = late.items;
    if (late.count > 0)
        qsort(amounts, late.count, sizeof *amounts, by_caused);
    for (size_t i = 0; rules->spends_late && i < late.count; i++)
        rules->spend(rules->data, amounts[i].caused, amounts[i].numbers);
    free(late.items);
    return status;
}

/* Senders for the processes that own culprits of own waits. */
static bool open_buffers(struct passing *passing)
{
    const int processes = passing->trace->processes->size;
    passing->senders = calloc((size_t)processes, sizeof *passing->senders);
    passing->incoming = malloc(MESSAGE_BYTES);
    bool allocated = passing->senders && passing->incoming;
    for (uint32_t wait = 0; allocated && wait < passing->points->wait_count; wait++) {
        const uint32_t rank = sync_waits_for(passing->points, wait);
        if (sync_owns(passing->points, rank))
            continue;
        struct amount_sender *sender = &passing->senders[trace_owner(passing->trace, rank)];
        if (!sender->data)
            allocated = (sender->data = malloc(2 * (size_t)MESSAGE_BYTES)) != NULL;
    }
    return allocated;
}

static bool open_passing(struct passing *passing)
{
    const struct sync_points *points = passing->points;
    const size_t ranks = (size_t)points->rank_count + 1, waits = (size_t)points->wait_count + 1;
    passing->by_turn = malloc(waits * sizeof *passing->by_turn);
    passing->received = calloc(waits, sizeof *passing->received);
    passing->arrived = calloc((size_t)passing->caused->count + 1, sizeof *passing->arrived);
    passing->waits_left = malloc(ranks * sizeof *passing->waits_left);
    passing->caused_left = malloc(ranks * sizeof *passing->caused_left);
    passing->ready = malloc(ranks * sizeof *passing->ready);
    passing->is_ready = calloc(ranks, sizeof *passing->is_ready);
    bool allocated = passing->by_turn && passing->received && passing->arrived &&
                     passing->waits_left && passing->caused_left && passing->ready &&
                     passing->is_ready && array_reserve(&passing->numbers, passing->rules->width) &&
                     open_buffers(passing);
    passing->numbers.count = passing->rules->width;
    for (uint32_t rank = 0; allocated && rank < points->rank_count; rank++) {
        const uint32_t first = points->first_wait[rank], last = points->first_wait[rank + 1];
        passing->waits_left[rank] = last - first;
        passing->caused_left[rank] =
            passing->caused->first[rank + 1] - passing->caused->first[rank];
        passing->left += passing->waits_left[rank] + passing->caused_left[rank];
        allocated = order_turns(passing, first, last);
    }
    return allocated;
}

static void close_passing(struct passing *passing)
{
    for (int process = 0; passing->senders && process < passing->trace->processes->size; process++)
        free(passing->senders[process].data);
    free(passing->senders);
    free(passing->incoming);
    free(passing->by_turn);
    free(passing->received);
    free(passing->arrived);
    free(passing->waits_left);
    free(passing->caused_left);
    free(passing->ready);
    free(passing->is_ready);
    free(passing->numbers.items);
    free(passing->free_amounts.items);
}

enum status pass_back(const struct pass_back *rules, struct error *error)
{
    const struct causes *causes = rules->causes;
    struct passing passing = {.rules = rules,
                              .points = &causes->points,
                              .caused = &causes->caused,
                              .trace = causes->trace};
    assert(rules->width > 0 && rules->width <= PASSED_MOST);
    enum status status =
        processes_agree_memory(causes->trace->processes, open_passing(&passing), purpose, error);
    if (status == STATUS_OK) {
        pass_all(&passing);
        status = pass_late(&passing, error);
    }
    close_passing(&passing);
    return status;
}
