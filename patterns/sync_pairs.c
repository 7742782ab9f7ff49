/* Pairs: waits for one other rank, in messages and in collective operations. Data of a culprit that
 * another process owns are requested in one exchange for the whole trace. */
#include "patterns/message_waits.h"
#include "base/prefetch.h"
#include "base/sort.h"
#include "patterns/sync_points.h"
#include "trace/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct culprit_question { /* about a culprit */
    uint32_t rank, pair;
    uint32_t message, collective; /* one of them, the other INDEX_NONE */
    int asker;
};

struct culprit_answer {
    int64_t time; /* enter of its call */
    struct sync_end end;
    uint32_t pair, unused;
};

struct pair_work {
    const struct trace *trace;
    const struct search_rank *ranks;
    struct sync_collector *collector;
    struct exchange *questions;                     /* about ranks of other processes */
    struct culprit_question own[PREFETCH_TOGETHER]; /* about owned ranks, not yet answered */
    uint32_t own_count;
};

static struct sync_end sync_end_at(const struct search_rank *rank, uint32_t call, uint32_t row)
{
    struct sync_end end = {.rank = rank->stream->rank, .enter_row = row, .event_row = row};
    if (call != CALL_NONE) {
        end.until = rank->calls[call].leave;
        end.enter_row = rank->calls[call].enter_row;
    }
    return end;
}

/* The end at a collective operation: where it is completed, or where the culprit posts it. */
static struct sync_end end_of_operation(const struct search_rank *rank, uint32_t collective,
                                        bool posted)
{
    const struct collective *c = &rank->stream->collectives[collective];
    const bool nonblocking = c->flags & COLLECTIVE_NONBLOCKING;
    const uint32_t *calls = posted ? rank->collective_call : rank->collective_completion_call;
    struct sync_end end =
        sync_end_at(rank, calls[collective], posted && nonblocking ? c->begin : c->end);
    if (!nonblocking)
        end.until = (int64_t)rank->stream->time[c->end];
    return end;
}

static struct culprit_answer culprit_of(const struct search_rank *rank,
                                        const struct culprit_question *question)
{
    struct culprit_answer answer = {.pair = question->pair};
    assert((question->message == INDEX_NONE) != (question->collective == INDEX_NONE));
    if (question->message != INDEX_NONE)
        answer.end = sync_end_at(rank, rank->post_call[question->message],
                                 rank->stream->messages[question->message].post);
    else
        answer.end = end_of_operation(rank, question->collective, true);
    answer.time = (int64_t)rank->stream->time[answer.end.enter_row];
    return answer;
}

/* Prefetches the data for the answers to several questions: culprits are ranks in no order, whose
 * data are in no cache. Each step needs the data of the previous one. */
static void prefetch_culprits(const struct pair_work *work,
                              const struct culprit_question *questions, size_t count)
{
    for (int step = 0; step < 4; step++)
        for (size_t i = 0; i < count; i++) {
            const struct culprit_question *question = &questions[i];
            const uint32_t index = question->rank - work->trace->first_rank;
            const struct search_rank *rank = &work->ranks[index];
            const struct stream *stream = &work->trace->streams[index];
            if (step == 0) {
                prefetch(rank);
                prefetch(&rank->post_call);
                prefetch(&stream->time);
                prefetch(&stream->messages);
            } else if (question->message == INDEX_NONE) {
                continue;
            } else if (step == 1) {
                prefetch(&rank->post_call[question->message]);
                prefetch(&stream->messages[question->message].post);
            } else {
                const uint32_t call = rank->post_call[question->message];
                if (call == CALL_NONE)
                    continue;
                if (step == 2)
                    prefetch(&rank->calls[call].enter_row);
                else
                    prefetch(&stream->time[rank->calls[call].enter_row]);
            }
        }
}

/* Notes a pair's culprit. */
static void store_culprit(struct sync_collector *collector, const struct culprit_answer *answer)
{
    collector->pairs.items[answer->pair].time = answer->time;
    collector->pair_ends.items[2 * (size_t)answer->pair + 1] = answer->end;
}

static void answer_own(struct pair_work *work)
{
    prefetch_culprits(work, work->own, work->own_count);
    for (uint32_t i = 0; i < work->own_count; i++) {
        const struct culprit_question *question = &work->own[i];
        const struct culprit_answer answer =
            culprit_of(&work->ranks[question->rank - work->trace->first_rank], question);
        store_culprit(work->collector, &answer);
    }
    work->own_count = 0;
}

bool sync_collect_operation(struct sync_collector *collector, const struct search_rank *victim,
                            uint32_t collective, enum sync_kind kind, int64_t wait,
                            uint32_t culprit_rank, uint32_t culprit_collective)
{
    struct operation_wait operation = {.victim = end_of_operation(victim, collective, false),
                                       .kind = kind,
                                       .call = victim->collective_completion_call[collective],
                                       .culprit_rank = culprit_rank,
                                       .culprit_collective = culprit_collective};
    operation.victim.wait = wait;
    return array_push(&collector->operations, operation);
}

/* By rank and call; the longest wait of a call comes first. */
ORDER_BY(by_rank_and_call, struct operation_wait,
         ASCENDING(victim.rank) ?: ASCENDING(call) ?: DESCENDING(victim.wait)
         ?: ASCENDING(victim.event_row))

/* Adds the pair of a call, if the call waits: for a message, or else in the collective operation
 * `operation` (NULL: in none). */
static bool add_pair_of_call(struct pair_work *work, const struct search_rank *rank, uint32_t call,
                             const struct operation_wait *operation)
{
    struct sync_collector *collector = work->collector;
    struct sync_point point = {.comm = INDEX_NONE, .kind = SYNC_LATE_SENDER};
    struct sync_end victim;
    struct culprit_question question = {.pair = (uint32_t)collector->pairs.count,
                                        .message = INDEX_NONE,
                                        .collective = INDEX_NONE,
                                        .asker = work->trace->processes->rank};
    uint32_t index = INDEX_NONE;
    int64_t wait = late_sender_wait(rank, &rank->calls[call], &index);
    if (wait == 0) {
        point.kind = SYNC_LATE_RECEIVER;
        wait = late_receiver_wait(rank, &rank->calls[call], &index);
    }
    if (wait > 0) {
        const struct message *message = &rank->stream->messages[index];
        question.rank = message->partner_rank;
        question.message = message->partner;
        victim = sync_end_at(rank, call, message->completion);
        victim.wait = wait;
    } else if (operation) {
        question.rank = operation->culprit_rank;
        question.collective = operation->culprit_collective;
        point.kind = operation->kind;
        victim = operation->victim;
    } else {
        return true;
    }
    const struct sync_end culprit = {.rank = question.rank}; /* until its owner answers */
    if (!array_push(&collector->pairs, point) || !array_push(&collector->pair_ends, victim) ||
        !array_push(&collector->pair_ends, culprit))
        return false;
    if (!search_rank_owned(work->ranks, work->trace, question.rank)) {
        exchange_put_owner(work->questions, work->trace, question.rank, &question);
        return true;
    }
    work->own[work->own_count++] = question;
    if (work->own_count == PREFETCH_TOGETHER)
        answer_own(work);
    return true;
}

/* Reserves memory for the largest possible number of pairs; unused pages are never allocated. */
static bool reserve_pairs(const struct pair_work *work)
{
    size_t most = work->collector->operations.count;
    for (uint32_t i = 0; i < work->trace->owned_count; i++)
        for (uint32_t call = 0; call < work->ranks[i].call_count; call++)
            most += work->ranks[i].calls[call].first_completed != INDEX_NONE;
    return array_reserve(&work->collector->pairs, most) &&
           array_reserve(&work->collector->pair_ends, 2 * most);
}

/* Makes the pairs of all calls. Frees the collected operations. */
static bool add_all_pairs(struct pair_work *work)
{
    struct operation_wait *operations = work->collector->operations.items;
    size_t count = work->collector->operations.count, next = 0;
    bool allocated = reserve_pairs(work);
    if (count)
        qsort(operations, count, sizeof *operations, by_rank_and_call);
    for (uint32_t i = 0; i < work->trace->owned_count; i++) {
        const struct search_rank *rank = &work->ranks[i];
        if (i + 1 < work->trace->owned_count)
            search_rank_prefetch(rank + 1);
        for (uint32_t call = 0; call < rank->call_count && allocated; call++) {
            const struct operation_wait *longest = NULL;
            for (; next < count && operations[next].victim.rank == rank->stream->rank &&
                   operations[next].call == call;
                 next++)
                if (!longest)
                    longest = &operations[next];
            if (longest || rank->calls[call].first_completed != INDEX_NONE)
                allocated = add_pair_of_call(work, rank, call, longest);
        }
    }
    answer_own(work);
    free(operations);
    memset(&work->collector->operations, 0, sizeof work->collector->operations);
    return allocated;
}

enum status sync_collect_pairs(const struct trace *trace, struct search_rank *ranks,
                               struct sync_collector *collector, struct error *error)
{
    static const char purpose[] = "synchronisation points";
    struct exchange exchange =
        exchange_open(trace->processes, sizeof(struct culprit_question), purpose);
    struct received asked, answered = {0};
    struct pair_work work = {
        .trace = trace, .ranks = ranks, .collector = collector, .questions = &exchange};
    exchange_check(&exchange, add_all_pairs(&work));
    enum status status = exchange_run(&exchange, &asked, error);
    exchange = exchange_open(trace->processes, sizeof(struct culprit_answer), purpose);
    for (size_t i = 0; i < asked.count; i++) {
        const struct culprit_question *question = (const struct culprit_question *)asked.items + i;
        prefetch_culprits(&work, question, prefetch_batch(i, asked.count));
        const struct culprit_answer answer =
            culprit_of(&ranks[question->rank - trace->first_rank], question);
        exchange_put(&exchange, question->asker, &answer);
    }
    free(asked.items);
    for (uint32_t i = 0; i < trace->owned_count; i++)
        search_rank_clear(&ranks[i]);
    if (status == STATUS_OK)
        status = exchange_run(&exchange, &answered, error);
    exchange_close(&exchange);
    for (size_t i = 0; i < answered.count; i++)
        store_culprit(collector, (const struct culprit_answer *)answered.items + i);
    free(answered.items);
    return status;
}
