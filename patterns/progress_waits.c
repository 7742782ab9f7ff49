/* Who waits for a target to make progress: in an epoch with a lock the target makes no call, but
 * many implementations need it inside MPI to serve others. A call that concerns target t and waits
 * from T on (its enter, or when the lock was given back) waits until
 *
 *     N = the first enter of an MPI call at t after T
 *
 * if t is outside MPI at T and the call lasts until N at least: one that returns before needed no
 * help. The origins ask, the targets' owners answer, in one exchange each way. */
#include "patterns/progress_waits.h"

#include <stdlib.h>
#include <string.h>

struct question {
    int64_t from, leave;
    uint32_t target, rank, call; /* target and asker as world ranks */
    uint32_t unused;
};

struct answer {
    int64_t until;
    uint32_t rank, call;
};

static int64_t waits_from(const struct search_rank *rank, uint32_t call)
{
    return later(rank->calls[call].enter, rank->epochs->lock_until[call]);
}

static bool ask(const struct trace *trace, const struct search_rank *rank, struct outbox *outbox)
{
    const struct epochs *epochs = rank->epochs;
    const struct epoch_access *last = NULL;
    for (size_t i = 0; i < epochs->accesses.count; i++) {
        const struct epoch_access *access = &epochs->accesses.items[i];
        const struct epoch *epoch = &epochs->list.items[access->epoch];
        const struct call *call = &rank->calls[access->call];
        if (epoch->kind != EPOCH_LOCK || access->target == INDEX_NONE ||
            call_is_test(call->mpi_call))
            continue;
        const struct question question = {
            .from = waits_from(rank, access->call),
            .leave = call->leave,
            .target = epoch_target_rank(trace, rank, epoch->window, access->target),
            .rank = rank->stream->rank,
            .call = access->call};
        const bool again = last && last->call == access->call && last->epoch == access->epoch &&
                           last->target == access->target;
        last = access;
        if (!again && question.target < trace->rank_count && question.target != question.rank &&
            !outbox_put(&outbox[trace_owner(trace, question.target)], &question, sizeof question))
            return false;
    }
    return true;
}

/* --- at the target ---------------------------------------------------------------------------- */

static int by_target(const void *a, const void *b)
{
    const struct question *x = a, *y = b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* Walks the target's events with its questions, which are in order of time: those that find it
 * outside MPI are waiting (`first` to `next`) until it enters. */
static bool answer_target(const struct trace *trace, const struct stream *stream,
                          const struct question *questions, size_t count, struct outbox *outbox)
{
    uint32_t depth = 0; /* of open MPI calls */
    size_t first = 0, next = 0;
    for (uint32_t row = 0; row < stream->count && first < count; row++) {
        const int64_t now = (int64_t)stream->time[row];
        const uint8_t kind = stream->kind[row];
        for (; next < count && questions[next].from < now; next++)
            if (depth > 0)
                first = next + 1;
        if (kind == EVENT_LEAVE && callpath_communicates(trace, stream->arg[stream->arg[row]])) {
            depth--;
        } else if (kind == EVENT_ENTER && callpath_communicates(trace, stream->arg[row])) {
            for (; depth == 0 && first < next; first++) {
                const struct answer answer = {now, questions[first].rank, questions[first].call};
                if (now <= questions[first].leave &&
                    !outbox_put(&outbox[trace_owner(trace, answer.rank)], &answer, sizeof answer))
                    return false;
            }
            depth++;
        }
    }
    return true;
}

static bool answer_all(const struct trace *trace, struct question *questions, size_t count,
                       struct outbox *outbox)
{
    bool fits = true;
    if (count > 0)
        qsort(questions, count, sizeof *questions, by_target);
    for (size_t from = 0, to; from < count && fits; from = to) {
        const uint32_t target = questions[from].target;
        for (to = from; to < count && questions[to].target == target;)
            to++;
        fits =
            answer_target(trace, trace_stream(trace, target), questions + from, to - from, outbox);
    }
    return fits;
}

enum status progress_waits_find(const struct trace *trace, const struct search_rank *ranks,
                                struct error *error)
{
    const struct processes *processes = trace->processes;
    char *questions = NULL, *answers = NULL;
    size_t questions_size = 0, answers_size = 0;
    struct outbox *outbox = calloc((size_t)processes->size, sizeof *outbox);
    bool fits = outbox != NULL;
    for (uint32_t i = 0; i < trace->owned_count && fits; i++)
        fits = ask(trace, &ranks[i], outbox);
    enum status status = processes_exchange_filled(processes, outbox, fits, "the pattern search",
                                                   &questions, &questions_size, error);
    if (status == STATUS_OK) {
        fits = answer_all(trace, (struct question *)questions,
                          questions_size / sizeof(struct question), outbox);
        status = processes_exchange_filled(processes, outbox, fits, "the pattern search", &answers,
                                           &answers_size, error);
    }
    const struct answer *answer = (const struct answer *)answers;
    for (size_t i = 0; i < answers_size / sizeof *answer; i++) {
        int64_t *until =
            &ranks[answer[i].rank - trace->first_rank].epochs->progress_until[answer[i].call];
        *until = later(*until, answer[i].until);
    }
    free(questions);
    free(answers);
    free(outbox);
    return status;
}
