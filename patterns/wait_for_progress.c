/* Wait for progress: an origin waits until its target, which computes, enters MPI and makes
 * progress. In an epoch with a lock the target makes no call, but many implementations process
 * one-sided operations only inside MPI calls. A call that concerns target t and waits from T (its
 * enter, or the release of the lock) waits until
 *
 *     N = the first enter of an MPI call at t after T
 *
 * if t is outside MPI at T and the call lasts at least until N: one that returns earlier needed no
 * help. The origins send questions and the targets' owners answers, in one exchange each.
 *
 * The wait counts at the call that really waits, after its wait for a lock. Definition: M.-A.
 * Hermanns, S. Krishnamoorthy, F. Wolf: A scalable infrastructure for the performance analysis of
 * passive target synchronization, Parallel Computing 39(3), 2013. */
#include "patterns/epochs.h"

#include "base/sort.h"
#include "trace/exchange.h"

#include <assert.h>
#include <stdlib.h>

struct progress_question {
    int64_t from, leave;
    uint32_t target, rank, call; /* target and asker as world ranks */
    uint32_t unused;
};

struct progress_answer {
    int64_t until;
    uint32_t rank, call;
    uint32_t target, unused;
};

static int64_t waits_from(const struct search_rank *rank, uint32_t call)
{
    return int64_max(rank->calls[call].enter, rank->epochs->lock_waits[call].until);
}

static void ask_targets(const struct trace *trace, const struct search_rank *rank,
                        struct exchange *exchange)
{
    const struct epochs *epochs = rank->epochs;
    const struct epoch_access *last = NULL;
    for (size_t i = 0; i < epochs->accesses.count; i++) {
        const struct epoch_access *access = &epochs->accesses.items[i];
        const struct epoch *epoch = &epochs->list.items[access->epoch];
        const struct search_call *call = &rank->calls[access->call];
        if (epoch->kind != EPOCH_LOCK || access->target == INDEX_NONE ||
            call_is_test(call->mpi_call))
            continue;
        const struct progress_question question = {
            .from = waits_from(rank, access->call),
            .leave = call->leave,
            .target = epoch_target_rank(trace, rank, epoch->window, access->target),
            .rank = rank->stream->rank,
            .call = access->call};
        const bool again = last && last->call == access->call && last->epoch == access->epoch &&
                           last->target == access->target;
        last = access;
        if (!again && question.target < trace->rank_count && question.target != question.rank)
            exchange_put_owner(exchange, trace, question.target, &question);
    }
}

ORDER_BY(by_target_and_time, struct progress_question, ASCENDING(target) ?: ASCENDING(from))

/* Walks through the target's events with its questions, in order of time. Questions asked while it
 * is outside MPI wait (`first` to `next`) until it enters. */
static void answer_target(const struct trace *trace, const struct stream *stream,
                          const struct progress_question *questions, size_t count,
                          struct exchange *answers)
{
    uint32_t depth = 0; /* open MPI calls */
    size_t first = 0, next = 0;
    for (uint32_t row = 0; row < stream->count && first < count; row++) {
        const int64_t now = (int64_t)stream->time[row];
        const uint8_t kind = stream->kind[row];
        for (; next < count && questions[next].from < now; next++)
            if (depth > 0)
                first = next + 1;
        if (kind == EVENT_LEAVE && callpath_communicates(trace, stream->arg[stream->arg[row]])) {
            assert(depth > 0);
            depth--;
        } else if (kind == EVENT_ENTER && callpath_communicates(trace, stream->arg[row])) {
            for (; depth == 0 && first < next; first++) {
                const struct progress_question *question = &questions[first];
                const struct progress_answer answer = {now, question->rank, question->call,
                                                       question->target, 0};
                if (now <= question->leave)
                    exchange_put_owner(answers, trace, answer.rank, &answer);
            }
            depth++;
        }
    }
}

static void answer_all_targets(const struct trace *trace, struct progress_question *questions,
                               size_t count, struct exchange *answers)
{
    if (count > 0)
        qsort(questions, count, sizeof *questions, by_target_and_time);
    for (size_t from = 0, to; from < count; from = to) {
        const uint32_t target = questions[from].target;
        for (to = from; to < count && questions[to].target == target;)
            to++;
        answer_target(trace, trace_stream(trace, target), questions + from, to - from, answers);
    }
}

enum status epochs_find_progress_waits(const struct trace *trace, const struct search_rank *ranks,
                                       struct error *error)
{
    struct exchange exchange =
        exchange_open(trace->processes, sizeof(struct progress_question), "the pattern search");
    struct received questions, answers;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        ask_targets(trace, &ranks[i], &exchange);
    enum status status = exchange_run(&exchange, &questions, error);
    if (status != STATUS_OK)
        return status;
    exchange =
        exchange_open(trace->processes, sizeof(struct progress_answer), "the pattern search");
    answer_all_targets(trace, questions.items, questions.count, &exchange);
    free(questions.items);
    status = exchange_run(&exchange, &answers, error);
    const struct progress_answer *answer = answers.items;
    for (size_t i = 0; i < answers.count; i++) {
        const struct search_rank *rank = &ranks[answer[i].rank - trace->first_rank];
        epoch_wait_extend(&rank->epochs->progress_waits[answer[i].call],
                          (struct epoch_wait){answer[i].until, answer[i].target});
    }
    free(answers.items);
    return status;
}

static void search_progress_waits(const struct search_rank *rank)
{
    for (uint32_t i = 0; epochs_have_locks(rank) && i < rank->call_count; i++)
        epochs_add_wait(rank, i, waits_from(rank, i), rank->epochs->progress_waits[i],
                        METRIC_MPI_RMA_COMM_WAIT_FOR_PROGRESS,
                        METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS);
}

const struct pattern wait_for_progress_pattern = {
    .name = "wait for progress",
    .description = "an origin waits until its target enters MPI",
    .search_rank = search_progress_waits,
};
