#include "trace/deadlock/preflight.h"

#include "base/mpi/exchange.h"
#include "base/log.h"
#include "trace/deadlock/untimed.h"
#include "trace/calls/collective_operations.h"
#include "trace/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 8,                     /* ranks of a cycle that a message names */
    STEP_LIMIT = 64 * 1000 * 1000, /* the most steps that process 0 can hold: 1.5 GB */
};

static void raise(uint32_t *count, uint32_t index)
{
    if (*count <= index)
        *count = index + 1;
}

/* Finds where the steps of each rank begin, and how many messages and rma_syncs they name. */
static bool index_ranks(struct untimed *program, const struct trace *trace)
{
    uint32_t ranks = trace->rank_count;
    program->first = calloc(ranks + 1, sizeof *program->first);
    program->message_first = calloc(ranks + 1, sizeof *program->message_first);
    program->syncs_first = calloc(ranks + 1, sizeof *program->syncs_first);
    if (!program->first || !program->message_first || !program->syncs_first)
        return false;
    uint32_t *messages = program->syncs_first, *syncs = program->message_first + 1;
    for (size_t i = 0; i < program->count; i++) {
        const struct untimed_step *step = &program->steps[i];
        program->first[step->rank + 1]++;
        if (step->kind == STEP_POST_COLLECTIVE || step->kind == STEP_WAIT_COLLECTIVE)
            continue;
        bool epoch = step->kind == STEP_POST_EPOCH || step->kind == STEP_WAIT_EPOCH;
        raise(&(epoch ? syncs : messages)[step->rank], step->index);
        raise(&(epoch ? syncs : messages)[step->partner_rank], step->partner);
    }
    for (uint32_t r = 0; r < ranks; r++) {
        program->first[r + 1] += program->first[r];
        program->message_first[r + 1] += program->message_first[r] + messages[r];
    }
    return true;
}

static void untimed_clear(struct untimed *program)
{
    free(program->steps);
    free(program->first);
    free(program->message_first);
    free(program->syncs_first);
    memset(program, 0, sizeof *program);
}

/* Gathers the steps of all ranks, in order of ranks, as owners are. If they do not fit into one
 * process, sets `*too_large` and gathers nothing. */
static enum status gather(const struct trace *trace, struct untimed *program, bool *too_large,
                          struct error *error)
{
    static const char purpose[] = "checking for deadlocks";
    struct bytes steps = {0};
    char *received = NULL;
    size_t size = 0;
    bool fits = true;
    for (uint32_t i = 0; i < trace->owned_count && fits; i++)
        fits = untimed_compile(trace, &trace->streams[i], &steps);
    int64_t total = (int64_t)(steps.size / sizeof(struct untimed_step));
    enum status status = processes_agree_memory(trace->processes, fits, purpose, error);
    if (status == STATUS_OK) {
        processes_sum(trace->processes, &total, 1);
        *too_large = total > STEP_LIMIT;
        if (!*too_large)
            status = exchange_gather(trace->processes, steps.data, steps.size, &received, &size,
                                     NULL, error);
    }
    bytes_clear(&steps);
    if (status != STATUS_OK || *too_large)
        return status;
    program->steps = (struct untimed_step *)received;
    program->count = size / sizeof(struct untimed_step);
    fits = trace->processes->rank != 0 || index_ranks(program, trace);
    return processes_agree_memory(trace->processes, fits, purpose, error);
}

/* One line: where the rank is and what it waits for. For the rank's owner. */
static int word(const struct trace *trace, const struct untimed_step *step, char *text, size_t size)
{
    const struct stream *s = trace_stream(trace, step->rank);
    const struct definitions *d = trace->definitions;
    char where[768], name[RANK_NAME_SIZE];
    trace_describe_event(trace, s, step->row, where, sizeof where);
    if (step->kind == STEP_WAIT_COLLECTIVE)
        return snprintf(text, size, "\n  %s waits for others in %s on %s", where,
                        collective_op_name(step->mode), comm_name(d, step->partner_rank));
    if (step->kind == STEP_WAIT_EPOCH)
        return snprintf(text, size, "\n  %s waits for %s on %s", where,
                        rank_name(d, step->partner_rank, name),
                        comm_name(d, d->windows[s->rma_syncs[step->index].window].own));
    const struct message *m = &s->messages[step->index];
    return snprintf(text, size, "\n  %s waits for %s to %s (tag %u, %llu bytes, %s)", where,
                    rank_name(d, step->partner_rank, name),
                    step->kind == STEP_WAIT_SEND ? "receive" : "send", m->tag,
                    (unsigned long long)m->bytes, comm_name(d, m->comm));
}

/* Collective. Process 0's cycle as text, at process 0; `*largest` is the cycle's largest message.
 */
static void describe_cycle(const struct trace *trace, struct untimed_step *cycle, size_t *length,
                           char *text, size_t size, int64_t *largest)
{
    processes_broadcast(trace->processes, length, sizeof *length);
    processes_broadcast(trace->processes, cycle, *length * sizeof *cycle);
    size_t used = 0;
    text[0] = '\0';
    *largest = 0;
    for (size_t i = 0; i < *length; i++) {
        char line[1280] = "";
        int owner = trace_owner(trace, cycle[i].rank);
        if (owner == trace->processes->rank) {
            word(trace, &cycle[i], line, sizeof line);
            const struct stream *s = trace_stream(trace, cycle[i].rank);
            if (cycle[i].kind == STEP_WAIT_SEND &&
                (int64_t)s->messages[cycle[i].index].bytes > *largest)
                *largest = (int64_t)s->messages[cycle[i].index].bytes;
        }
        /* other processes' lines are texts of agreements, one at a time: a cycle is short */
        struct error carrier;
        enum status mine = owner == trace->processes->rank
                               ? error_set(&carrier, STATUS_INPUT, "%s", line)
                               : STATUS_OK;
        processes_agree(trace->processes, mine, &carrier);
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s", carrier.text);
    }
    processes_max(trace->processes, largest, 1);
}

/* Collective. `*length` is 0 if the program runs to its end. */
static enum status try_run(const struct trace *trace, const struct untimed *program,
                           int buffered_bits, char *text, size_t size, size_t *length,
                           int64_t *largest, struct error *error)
{
    struct untimed_step cycle[SHOWN];
    enum status status = STATUS_OK;
    *length = 0;
    if (trace->processes->rank == 0 &&
        !untimed_run(program, trace, buffered_bits, cycle, SHOWN, length))
        status = error_memory(error, "checking for deadlocks");
    if ((status = processes_agree(trace->processes, status, error)) == STATUS_OK)
        describe_cycle(trace, cycle, length, text, size, largest);
    return status;
}

/* Collective. Treats sends that a cycle of waits requires to be buffered, and all that are not much
 * longer, as buffered, until the program runs; raises `*largest` to the longest of them. */
static enum status find_largest(const struct trace *trace, const struct untimed *program,
                                int64_t *largest, struct error *error)
{
    char text[1600];
    size_t length = 1;
    enum status status = STATUS_OK;
    int64_t needed = *largest;
    for (int bits = BUFFER_NOTHING; status == STATUS_OK && length;) {
        int next = preflight_length_bits((uint64_t)needed);
        if (next <= bits) /* a cycle that is too long to be examined */
            break;
        bits = next;
        status = try_run(trace, program, bits, text, sizeof text, &length, &needed, error);
        if (needed > *largest)
            *largest = needed;
    }
    return status;
}

static enum status check(const struct trace *trace, const struct untimed *program,
                         struct error *error)
{
    char text[1600];
    size_t length;
    int64_t largest;
    enum status status =
        try_run(trace, program, BUFFER_ALL, text, sizeof text, &length, &largest, error);
    if (status != STATUS_OK)
        return status;
    if (length)
        return error_set(error, STATUS_INPUT,
                         "%s: the operations of this trace deadlock; these ranks wait for each "
                         "other:%s",
                         trace->path, text);
    status = try_run(trace, program, BUFFER_NOTHING, text, sizeof text, &length, &largest, error);
    if (status != STATUS_OK || !length)
        return status;
    status = find_largest(trace, program, &largest, error);
    if (status == STATUS_OK)
        log_warning("%s: the program relies on buffering of messages up to %lld bytes; with "
                    "synchronous sends these ranks would wait for each other:%s",
                    trace->path, (long long)largest, text);
    return status;
}

enum status trace_preflight(const struct trace *trace, struct error *error)
{
    struct untimed program = {0};
    bool too_large = false;
    enum status status = gather(trace, &program, &too_large, error);
    if (status == STATUS_OK && too_large)
        log_note(
            "%s: too large to be checked for deadlocks in advance; a replay that gets stuck is "
            "ended by its watchdog",
            trace->path);
    else if (status == STATUS_OK)
        status = check(trace, &program, error);
    untimed_clear(&program);
    return status;
}
