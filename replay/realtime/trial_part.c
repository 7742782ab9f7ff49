#include "replay/realtime/trial_part.h"

#include "replay/costs/call_groups.h"
#include "replay/realtime/realtime_private.h"
#include "trace/calls/semantics.h"
#include "trace/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Trials run this part of a trace, at most LONGEST_S, and the whole of a trace below SHORT_S. */
static const double PART = 1.0 / 3, LONGEST_S = 5, SHORT_S = 0.1;

/* A group keeps at least ENOUGH_CALLS of its calls, or one of ONE_OF. A cut is moved at most MOVES
 * times. */
enum { ENOUGH_CALLS = 4, ONE_OF = 8, MOVES = 100 };

/* A rank's program is cut before a timed call. Rows before `row` belong to the calls before it. */
struct trial_cut {
    size_t call;
    uint32_t row;
};

struct cutting {
    const struct trace *trace;
    const struct stream *stream;
    const struct replay_program *program;
    uint32_t *rows; /* [timed call]: row that enters its region, 0: no cut before it */
    struct trial_cut cut;
    uint32_t wanted; /* the cut must not be before this row */
};

/* The first cut at or after a row; after the last call if no call follows. */
static struct trial_cut cut_from(const struct cutting *cutting, uint32_t row)
{
    size_t call = 0, count = cutting->program->timed_calls.count;
    while (call < count && (cutting->rows[call] == 0 || cutting->rows[call] < row))
        call++;
    return (struct trial_cut){call, call < count ? cutting->rows[call] : cutting->stream->count};
}

static void want(struct cutting *cutting, uint32_t row)
{
    if (row != INDEX_NONE && row >= cutting->wanted)
        cutting->wanted = row + 1;
}

static bool is_before_cut(const struct cutting *cutting, uint32_t row)
{
    return row < cutting->cut.row;
}

static bool send_side(void *data, uint32_t s, uint32_t m, void *value)
{
    const struct cutting *cutting = data;
    (void)s;
    *(uint8_t *)value = is_before_cut(cutting, cutting->stream->messages[m].post);
    return true;
}

static void take_side(void *data, uint32_t s, uint32_t m, const void *value)
{
    struct cutting *cutting = data;
    (void)s;
    if (*(const uint8_t *)value)
        want(cutting, cutting->stream->messages[m].post);
}

/* Moves the cut after the completion of requests that are open at the cut. */
static void want_completions(struct cutting *cutting)
{
    const struct stream *stream = cutting->stream;
    for (uint32_t m = 0; m < stream->message_count; m++)
        if (message_is_kept(&stream->messages[m]) &&
            is_before_cut(cutting, stream->messages[m].post))
            want(cutting, stream->messages[m].completion);
    for (uint32_t c = 0; c < stream->collective_count; c++)
        if (is_before_cut(cutting, stream->collectives[c].begin))
            want(cutting, stream->collectives[c].end);
}

/* Collective. last[comm]: the last instance that some rank has before the cut. */
static void want_instances(struct cutting *cutting, int64_t *last)
{
    const struct stream *stream = cutting->stream;
    uint32_t comms = cutting->trace->definitions->comm_count;
    for (uint32_t comm = 0; comm < comms; comm++)
        last[comm] = -1;
    for (uint32_t c = 0; c < stream->collective_count; c++) {
        const struct collective *collective = &stream->collectives[c];
        if (collective_takes_part(cutting->trace->definitions, collective) &&
            is_before_cut(cutting, collective->begin) &&
            collective->instance > last[collective->comm])
            last[collective->comm] = collective->instance;
    }
    processes_max(cutting->trace->processes, last, comms);
    for (uint32_t c = 0; c < stream->collective_count; c++) {
        const struct collective *collective = &stream->collectives[c];
        if (collective_takes_part(cutting->trace->definitions, collective) &&
            collective->instance <= last[collective->comm])
            want(cutting, collective->begin);
    }
}

/* Collective. Moves the cuts from `time` on until nothing crosses them; then `*found` is true. */
static enum status find_cut(struct cutting *cutting, uint64_t time, int64_t *last, bool *found,
                            struct error *error)
{
    static const struct partner_exchange exchange = {
        .purpose = "tuning a replay", .size = 1, .send = send_side, .receive = take_side};
    cutting->cut = cut_from(cutting, stream_row_at(cutting->stream, time));
    *found = false;
    for (int move = 0; move < MOVES && !*found; move++) {
        cutting->wanted = cutting->cut.row;
        want_completions(cutting);
        want_instances(cutting, last);
        enum status status = partners_exchange(cutting->trace, true, &exchange, cutting, error);
        if (status != STATUS_OK)
            return status;
        int64_t moves = cutting->wanted > cutting->cut.row;
        processes_max(cutting->trace->processes, &moves, 1);
        *found = moves == 0;
        if (!*found)
            cutting->cut = cut_from(cutting, cutting->wanted);
    }
    return STATUS_OK;
}

/* Whether the program has none of these: probes, which wait for messages of other receives;
 * windows; requests that are never completed. */
static bool can_be_cut(const struct cutting *cutting)
{
    const struct stream *stream = cutting->stream;
    for (size_t i = 0; i < cutting->program->ops.count; i++)
        switch ((enum op_code)cutting->program->ops.items[i].code) {
        case OP_MRECV:
        case OP_IMRECV:
        case OP_PROBE:
        case OP_IPROBE:
        case OP_POLL_PROBE:
        case OP_MPROBE:
        case OP_POLL_MPROBE:
        case OP_SEND_AND_FORGET:
        case OP_WINDOW:
            return false;
        default:
            break;
        }
    for (uint32_t m = 0; m < stream->message_count; m++)
        if (message_is_kept(&stream->messages[m]) && stream->messages[m].completion == INDEX_NONE)
            return false;
    return true;
}

/* Whether enough calls of each group remain, and no communicator is made in the part left out. */
static bool is_representative(const struct cutting *cutting, size_t from, size_t to,
                              uint32_t *counts)
{
    const struct replay_program *program = cutting->program;
    size_t groups = cutting->trace->calltree.paths.count * CALL_SIZES;
    uint32_t *kept = counts + groups;
    memset(counts, 0, 2 * groups * sizeof *counts);
    for (size_t i = 0; i < program->timed_calls.count; i++) {
        const struct timed_call *timed = &program->timed_calls.items[i];
        bool left_out = i >= from && i < to;
        if (left_out && program->ops.items[timed->op].code == OP_COMM_CREATE)
            return false;
        if (timed->path == CALLPATH_NONE)
            continue;
        size_t group = call_group(cutting->stream, timed->path, timed->begin, timed->end);
        counts[group]++;
        kept[group] += !left_out;
    }
    for (size_t group = 0; group < groups; group++)
        if (kept[group] < ENOUGH_CALLS && kept[group] * ONE_OF < counts[group])
            return false;
    return true;
}

/* Ticks from the end of the last call before `from` to the first call after `to`. */
static int64_t length_between(const struct cutting *cutting, struct trial_cut from,
                              struct trial_cut to)
{
    const struct timed_call *calls = cutting->program->timed_calls.items;
    const uint64_t *time = cutting->stream->time;
    return (int64_t)(time[calls[to.call].begin] + calls[to.call].lead) -
           (int64_t)(time[calls[from.call - 1].end] - calls[from.call - 1].rest);
}

/* Collective. */
static enum status find_trial_part(struct cutting *cutting, int64_t *last, uint32_t *counts,
                                   double ticks_scale, struct skipped_part *skip,
                                   struct error *error)
{
    const struct trace *trace = cutting->trace;
    double length = (double)(trace->end - trace->begin);
    double longest = LONGEST_S * (double)trace->definitions->ticks_per_second;
    uint64_t half = (uint64_t)((PART * length < longest ? PART * length : longest) / 2);
    bool found;
    enum status status = find_cut(cutting, trace->begin + half, last, &found, error);
    if (status != STATUS_OK || !found)
        return status;
    struct trial_cut from = cutting->cut;
    status = find_cut(cutting, trace->end - half, last, &found, error);
    if (status != STATUS_OK || !found)
        return status;
    struct trial_cut to = cutting->cut;
    bool fits = can_be_cut(cutting) && from.call > 0 && from.call < to.call &&
                to.call < cutting->program->timed_calls.count &&
                is_representative(cutting, from.call, to.call, counts);
    int64_t shift = fits ? length_between(cutting, from, to) : -1, own = shift;
    processes_min(trace->processes, &shift, 1);
    if (shift <= 0)
        return STATUS_OK;
    const struct timed_call *calls = cutting->program->timed_calls.items;
    *skip = (struct skipped_part){
        .first_op = calls[from.call].op,
        .end_op = calls[to.call].op,
        .first_call = from.call,
        .end_call = to.call,
        .compute = (uint64_t)((double)(own - shift) * ticks_scale + 0.5),
        .ticks = (uint64_t)((double)shift * ticks_scale + 0.5),
    };
    return STATUS_OK;
}

enum status trial_part_find(const struct trace *trace, const struct replay_program *program,
                            double ticks_scale, struct skipped_part *skip, struct error *error)
{
    assert(trace->owned_count == 1);
    struct cutting cutting = {.trace = trace, .stream = &trace->streams[0], .program = program};
    size_t groups = trace->calltree.paths.count * CALL_SIZES, count = program->timed_calls.count;
    memset(skip, 0, sizeof *skip);
    if (trace_seconds(trace, (double)(trace->end - trace->begin)) < SHORT_S)
        return STATUS_OK;
    cutting.rows = calloc(count + 1, sizeof *cutting.rows);
    int64_t *last = malloc(((size_t)trace->definitions->comm_count + 1) * sizeof *last);
    uint32_t *counts = malloc((2 * groups + 1) * sizeof *counts);
    bool room = cutting.rows && last && counts;
    enum status status = processes_agree(
        trace->processes, room ? STATUS_OK : error_memory(error, "tuning a replay"), error);
    if (status == STATUS_OK) {
        for (size_t i = 1; i < count; i++) {
            const struct timed_call *timed = &program->timed_calls.items[i];
            uint32_t enter = timed->path == CALLPATH_NONE
                                 ? INDEX_NONE
                                 : stream_enter_at(cutting.stream, timed->begin);
            if (cutting.stream->kind[timed->begin] == EVENT_ENTER)
                enter = timed->begin;
            if (enter != INDEX_NONE && enter > timed[-1].end)
                cutting.rows[i] = enter;
        }
        status = find_trial_part(&cutting, last, counts, ticks_scale, skip, error);
    }
    free(cutting.rows);
    free(last);
    free(counts);
    return status;
}

double trial_part_seconds(const struct realtime *state)
{
    const struct trace *trace = state->trace;
    return trace_seconds(trace, (double)(trace->end - trace->begin)) -
           (double)state->executor.skip.ticks / state->clock.ticks_per_second;
}

void trial_part_complete(struct executor *executor, const struct stream *recorded,
                         double ticks_scale)
{
    const struct skipped_part *skip = &executor->skip;
    const struct timed_call *calls = executor->program->timed_calls.items;
    uint64_t *readings = executor->readings;
    if (skip->end_call == 0)
        return;
    uint64_t left = readings[2 * skip->first_call - 1], until = readings[2 * skip->end_call];
    uint64_t origin =
        recorded->time[calls[skip->first_call - 1].end] - calls[skip->first_call - 1].rest;
    for (size_t i = skip->end_call; i < executor->program->timed_calls.count; i++) {
        readings[2 * i] += skip->ticks;
        readings[2 * i + 1] += skip->ticks;
    }
    executor->last += skip->ticks;
    for (size_t i = 0; i < executor->loss_count; i++)
        if (executor->losses[i].begin >= until) {
            executor->losses[i].begin += skip->ticks;
            executor->losses[i].end += skip->ticks;
        }
    for (size_t i = skip->first_call; i < skip->end_call; i++) {
        const uint64_t ends[2] = {recorded->time[calls[i].begin] + calls[i].lead,
                                  recorded->time[calls[i].end] - calls[i].rest};
        for (int end = 0; end < 2; end++) {
            double behind = ends[end] > origin ? (double)(ends[end] - origin) : 0;
            uint64_t reading = left + (uint64_t)(behind * ticks_scale);
            uint64_t before = readings[2 * i + (size_t)end - 1];
            reading = reading > before ? reading : before;
            readings[2 * i + (size_t)end] =
                reading < until + skip->ticks ? reading : until + skip->ticks;
        }
    }
}
