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
    STEP_LIMIT = 64 * 1000 * 1000, /* steps that process 0 holds at most: 1.5 GB */
};

static void raise(uint32_t *count, uint32_t index)
{
    if (*count <= index)
        *count = index + 1;
}

/* Finds where the steps of each rank begin, and counts the messages and rma_syncs to which they
 * refer. */
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

/* Gathers the steps of all ranks at process 0, in the order of ranks. If they are too many for one
 * process, sets `*too_large` and gathers nothing. */
static enum status gather_steps(const struct trace *trace, struct untimed *program, bool *too_large,
                                struct error *error)
{
    static const char purpose[] = "checking for deadlocks";
    struct bytes steps = {0};
    char *received = NULL;
    size_t size = 0;
    bool allocated = true;
    for (uint32_t i = 0; i < trace->owned_count && allocated; i++)
        allocated = untimed_compile(trace, &trace->streams[i], &steps);
    int64_t total = (int64_t)(steps.size / sizeof(struct untimed_step));
    enum status status = processes_agree_memory(trace->processes, allocated, purpose, error);
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
    allocated = trace->processes->rank != 0 || index_ranks(program, trace);
    return processes_agree_memory(trace->processes, allocated, purpose, error);
}

/* Writes a line: the place of a rank and the operation or rank for which it waits. Only at the
 * owner of the rank. */
static int describe_step(const struct trace *trace, const struct untimed_step *step, char *text,
                         size_t size)
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

/* A cycle of waiting ranks, or a chain of waits that leads to one. */
struct found_cycle {
    size_t length; /* 0: there is none */
    char text[1600];
    int64_t largest; /* bytes of its largest message that waits for its receive */
};

/* Collective. Sends the steps that process 0 has found to all processes. */
static void describe_cycle(const struct trace *trace, struct untimed_step steps[SHOWN],
                           struct found_cycle *cycle)
{
    processes_broadcast(trace->processes, &cycle->length, sizeof cycle->length);
    processes_broadcast(trace->processes, steps, cycle->length * sizeof *steps);
    size_t used = 0;
    cycle->text[0] = '\0';
    cycle->largest = 0;
    for (size_t i = 0; i < cycle->length; i++) {
        char line[1280] = "";
        int owner = trace_owner(trace, steps[i].rank);
        if (owner == trace->processes->rank) {
            describe_step(trace, &steps[i], line, sizeof line);
            const struct stream *s = trace_stream(trace, steps[i].rank);
            if (steps[i].kind == STEP_WAIT_SEND &&
                (int64_t)s->messages[steps[i].index].bytes > cycle->largest)
                cycle->largest = (int64_t)s->messages[steps[i].index].bytes;
        }
        /* The owner of the rank sends its line as the text of an error, one line at a time: cycles
         * are short. */
        struct error carrier;
        enum status mine = owner == trace->processes->rank
                               ? error_set(&carrier, STATUS_INPUT, "%s", line)
                               : STATUS_OK;
        processes_agree(trace->processes, mine, &carrier);
        if (used < sizeof cycle->text)
            used +=
                (size_t)snprintf(cycle->text + used, sizeof cycle->text - used, "%s", carrier.text);
    }
    processes_max(trace->processes, &cycle->largest, 1);
}

/* Collective. Runs the program at process 0. No cycle is found if all ranks reach the end. */
static enum status run_program(const struct trace *trace, const struct untimed *program,
                               int buffered_bits, struct found_cycle *cycle, struct error *error)
{
    struct untimed_step steps[SHOWN];
    enum status status = STATUS_OK;
    cycle->length = 0;
    if (trace->processes->rank == 0 &&
        !untimed_run(program, trace, buffered_bits, steps, SHOWN, &cycle->length))
        status = error_memory(error, "checking for deadlocks");
    if ((status = processes_agree(trace->processes, status, error)) == STATUS_OK)
        describe_cycle(trace, steps, cycle);
    return status;
}

/* Collective. Finds the largest message that must be buffered. Repeatedly treats sends in a cycle
 * of waits, and all sends that are not much longer, as buffered, until the program runs to its end;
 * raises `*largest` to the longest of them. */
static enum status find_largest(const struct trace *trace, const struct untimed *program,
                                int64_t *largest, struct error *error)
{
    struct found_cycle cycle = {.length = 1, .largest = *largest};
    enum status status = STATUS_OK;
    for (int bits = BUFFER_NOTHING; status == STATUS_OK && cycle.length;) {
        int next = preflight_length_bits((uint64_t)cycle.largest);
        if (next <= bits) /* the cycle is too long to be examined */
            break;
        bits = next;
        status = run_program(trace, program, bits, &cycle, error);
        if (cycle.largest > *largest)
            *largest = cycle.largest;
    }
    return status;
}

static enum status check_program(const struct trace *trace, const struct untimed *program,
                                 struct error *error)
{
    struct found_cycle cycle;
    enum status status = run_program(trace, program, BUFFER_ALL, &cycle, error);
    if (status != STATUS_OK)
        return status;
    if (cycle.length)
        return error_set(error, STATUS_INPUT,
                         "%s: the operations of this trace deadlock; these ranks wait for each "
                         "other:%s",
                         trace->path, cycle.text);
    status = run_program(trace, program, BUFFER_NOTHING, &cycle, error);
    if (status != STATUS_OK || !cycle.length)
        return status;
    status = find_largest(trace, program, &cycle.largest, error);
    if (status == STATUS_OK)
        log_warning("%s: the program relies on buffering of messages up to %lld bytes; with "
                    "synchronous sends these ranks would wait for each other:%s",
                    trace->path, (long long)cycle.largest, cycle.text);
    return status;
}

enum status trace_preflight(const struct trace *trace, struct error *error)
{
    assert(trace->matched);
    struct untimed program = {0};
    bool too_large = false;
    enum status status = gather_steps(trace, &program, &too_large, error);
    if (status == STATUS_OK && too_large)
        log_note(
            "%s: too large to be checked for deadlocks in advance; a replay that gets stuck is "
            "ended by its watchdog",
            trace->path);
    else if (status == STATUS_OK)
        status = check_program(trace, &program, error);
    untimed_clear(&program);
    return status;
}
