#include "replay/correction/correction.h"

#include "replay/correction/network.h"
#include "replay/costs/limits.h"
#include "replay/costs/rewrite.h"

#include <assert.h>
#include <stdlib.h>

/* Set in the gate ids of messages; all other gates are meetings. */
#define GATE_MESSAGE ((uint64_t)2 << 32)

struct correction {
    const struct trace *trace;
    struct call_costs costs;
    struct network *network;
    size_t *first;  /* [owned stream + 1]: its first step; steps are in order of calls, and for each
                       call in order of its posts, its waits, and its end */
    int64_t *times; /* [step] */
    int64_t *ends;  /* [call that posts or waits], shifts */
};

/* While the steps are listed. */
struct listing {
    struct correction *correction;
    ARRAY(struct network_step) steps;
    bool no_memory;
};

static void list_step(struct listing *listing, enum step_code code, uint64_t gate, uint32_t owner)
{
    struct network_step step = {gate, owner, (uint8_t)code};
    if (!array_push(&listing->steps, step))
        listing->no_memory = true;
}

static void list_message(struct listing *listing, enum step_code code, uint32_t rank,
                         uint32_t message)
{
    uint64_t slot = (uint64_t)listing->correction->costs.layout.first_message[rank] + message;
    list_step(listing, code, GATE_MESSAGE | slot, rank);
}

static void list_meeting(struct listing *listing, enum step_code code, uint32_t meeting)
{
    const struct meeting *meet = &listing->correction->costs.meetings.list[meeting];
    list_step(listing, code, meet->id, meet->owner);
}

static bool posts_message(const struct post *post)
{
    return post->kind == POST_SEND || post->kind == POST_RECEIVE;
}

static void list_post(struct listing *listing, const struct stream *stream, size_t p)
{
    const struct call_costs *costs = &listing->correction->costs;
    const struct post *post = &costs->list.posts.items[p];
    if (posts_message(post)) {
        const struct message *message = &stream->messages[post->index];
        list_message(listing, STEP_ARRIVE, message->partner_rank, message->partner);
    } else if (costs->meetings.of_post[p] != MEETING_NONE) {
        list_meeting(listing, STEP_ARRIVE, costs->meetings.of_post[p]);
    }
}

static void list_wait(struct listing *listing, const struct stream *stream, size_t w)
{
    const struct call_costs *costs = &listing->correction->costs;
    const struct meetings *meetings = &costs->meetings;
    struct wait wait = costs->list.waits.items[w];
    if (wait.kind == WAIT_SEND || wait.kind == WAIT_RECEIVE)
        list_message(listing, STEP_AWAIT, stream->rank, wait.index);
    for (size_t i = meetings->first_of_wait[w]; i < meetings->first_of_wait[w + 1]; i++)
        list_meeting(listing, STEP_AWAIT, meetings->of_wait[i]);
}

static bool posts_or_waits(const struct listed_call *call)
{
    return call[1].first_post > call->first_post || call[1].first_wait > call->first_wait;
}

static bool list_all_steps(struct correction *correction, struct listing *listing)
{
    const struct trace *trace = correction->trace;
    const struct call_list *list = &correction->costs.list;
    for (uint32_t s = 0; s < trace->owned_count && correction->first; s++) {
        for (size_t c = list->first[s]; c < list->first[s + 1]; c++) {
            const struct listed_call *call = &list->calls.items[c];
            for (size_t p = call->first_post; p < call[1].first_post; p++)
                list_post(listing, &trace->streams[s], p);
            for (size_t w = call->first_wait; w < call[1].first_wait; w++)
                list_wait(listing, &trace->streams[s], w);
            if (posts_or_waits(call))
                list_step(listing, STEP_END, 0, 0);
        }
        correction->first[s + 1] = listing->steps.count;
    }
    correction->times = malloc((listing->steps.count + 1) * sizeof *correction->times);
    correction->ends = malloc((list->count + 1) * sizeof *correction->ends);
    return correction->first && correction->times && correction->ends && !listing->no_memory;
}

enum status correction_make(const struct trace *trace, double poll_gap_s, int together,
                            struct correction **result, struct error *error)
{
    assert(trace->matched && together >= 0);
    struct correction *correction = calloc(1, sizeof *correction);
    enum status status =
        processes_agree_memory(trace->processes, correction, "the correction", error);
    *result = NULL;
    if (status != STATUS_OK) {
        free(correction);
        return status;
    }
    struct listing listing = {.correction = correction};
    correction->trace = trace;
    correction->first = calloc((size_t)trace->owned_count + 1, sizeof *correction->first);
    status = call_costs_open(trace, poll_gap_s, &correction->costs, error);
    if (status == STATUS_OK) {
        bool room = list_all_steps(correction, &listing);
        status = processes_agree_memory(trace->processes, room, "the correction", error);
    }
    if (status == STATUS_OK)
        status = network_make(trace, listing.steps.items, correction->first, together,
                              &correction->network, error);
    free(listing.steps.items);
    if (status != STATUS_OK)
        correction_destroy(correction);
    else
        *result = correction;
    return status;
}

void correction_destroy(struct correction *correction)
{
    if (!correction)
        return;
    network_destroy(correction->network);
    call_costs_close(&correction->costs);
    free(correction->first);
    free(correction->times);
    free(correction->ends);
    free(correction);
}

/* One stream while its steps get their times. */
struct timing {
    const struct correction *correction;
    const struct trace *replayed, *undisturbed;
    const struct call_limits *limits;
    uint32_t s;
    int64_t enter; /* of the current call, undisturbed */
    bool waits;    /* some wait of the current call is not left out */
};

/* Ticks since the start of the replay. */
static int64_t undisturbed_time(const struct timing *timing, uint32_t row)
{
    return (int64_t)(timing->undisturbed->streams[timing->s].time[row] - timing->replayed->begin);
}

static int64_t post_time(const struct timing *timing, size_t p)
{
    const struct call_costs *costs = &timing->correction->costs;
    const struct post *post = &costs->list.posts.items[p];
    const struct stream *stream = &timing->correction->trace->streams[timing->s];
    int64_t time = undisturbed_time(timing, post->when);
    if (!posts_message(post))
        return time;
    const struct message *message = &stream->messages[post->index];
    bool synchronous = call_costs_synchronous(costs, timing->s, post->index);
    if (post->kind == POST_RECEIVE)
        return synchronous ? time : NETWORK_SKIP;
    const struct loggps *loggps =
        platform_between(&costs->platform, stream->rank, message->partner_rank);
    return time +
           platform_ticks(&costs->platform, transfer_time(loggps, message->bytes, synchronous));
}

static int64_t wait_time(struct timing *timing, size_t w)
{
    const struct call_costs *costs = &timing->correction->costs;
    struct wait wait = costs->list.waits.items[w];
    if ((wait.kind == WAIT_SEND && !call_costs_synchronous(costs, timing->s, wait.index)) ||
        call_costs_passed(costs, timing->s, w) ||
        wait_is_removed(&costs->trace->streams[timing->s], wait))
        return NETWORK_SKIP;
    timing->waits = true;
    return costs->lags[w] - timing->enter;
}

/* How much longer the call takes than in the replay. NETWORK_SKIP if it was not disturbed and does
 * not wait. */
static int64_t end_time(struct timing *timing, size_t c)
{
    const struct call_costs *costs = &timing->correction->costs;
    const struct listed_call *call = &costs->list.calls.items[c];
    int64_t length = undisturbed_time(timing, call->leave) - undisturbed_time(timing, call->enter);
    struct call_cost cost = {.ticks = length, .waits = call[1].first_wait > call->first_wait};
    if (cost.waits)
        cost.ticks = costs->costs[c];
    int64_t ticks = call_limits_apply(timing->limits, timing->replayed, timing->s, call,
                                      costs->groups[c], cost);
    if (ticks < 0)
        ticks = 0;
    return timing->waits || ticks != length ? ticks - length : NETWORK_SKIP;
}

static void time_steps(struct timing *timing)
{
    const struct call_costs *costs = &timing->correction->costs;
    const struct meetings *meetings = &costs->meetings;
    const struct call_list *list = &costs->list;
    int64_t *time = timing->correction->times + timing->correction->first[timing->s];
    for (size_t c = list->first[timing->s]; c < list->first[timing->s + 1]; c++) {
        const struct listed_call *call = &list->calls.items[c];
        timing->enter = undisturbed_time(timing, call->enter);
        timing->waits = false;
        for (size_t p = call->first_post; p < call[1].first_post; p++)
            if (posts_message(&list->posts.items[p]) || meetings->of_post[p] != MEETING_NONE)
                *time++ = post_time(timing, p);
        for (size_t w = call->first_wait; w < call[1].first_wait; w++) {
            struct wait wait = list->waits.items[w];
            size_t steps = wait.kind == WAIT_SEND || wait.kind == WAIT_RECEIVE
                               ? 1
                               : meetings->first_of_wait[w + 1] - meetings->first_of_wait[w];
            for (; steps > 0; steps--)
                *time++ = wait_time(timing, w);
        }
        if (posts_or_waits(call))
            *time++ = end_time(timing, c);
    }
    assert(time == timing->correction->times + timing->correction->first[timing->s + 1]);
}

static void write_corrected(const struct correction *correction, const struct trace *undisturbed,
                            uint32_t s, const int64_t **ends, struct trace *corrected)
{
    const struct call_list *list = &correction->costs.list;
    struct rewriter rewriter = rewrite_begin(&undisturbed->streams[s], &corrected->streams[s]);
    for (size_t c = list->first[s]; c < list->first[s + 1]; c++) {
        const struct listed_call *call = &list->calls.items[c];
        if (!posts_or_waits(call))
            continue;
        int64_t shift = *(*ends)++;
        if (shift != NETWORK_SKIP)
            rewrite_call(&rewriter, call->enter, call->leave, shift);
    }
    rewrite_end(&rewriter);
}

/* Reports where ranks wait for each other forever, if they do. */
static enum status check_stuck(const struct correction *correction,
                               const struct network_stuck *stuck, struct error *error)
{
    const struct trace *trace = correction->trace;
    enum status status = STATUS_OK;
    if (stuck->stream != INDEX_NONE) {
        const struct call_list *list = &correction->costs.list;
        size_t c = list->first[stuck->stream], ends = stuck->ends;
        char where[1024];
        while (!posts_or_waits(&list->calls.items[c]) || ends-- > 0)
            c++;
        status = error_set(error, STATUS_INPUT,
                           "in its equations the ranks wait for each other forever; one of them: "
                           "%s",
                           trace_describe_event(trace, &trace->streams[stuck->stream],
                                                list->calls.items[c].enter, where, sizeof where));
    }
    return status;
}

/* Checks that times ascend from the replay's start on, up to the last event. */
static enum status check_times(const struct trace *replayed, const struct trace *corrected,
                               struct error *error)
{
    enum status status = STATUS_OK;
    for (uint32_t s = 0; s < corrected->owned_count && status == STATUS_OK; s++) {
        const struct stream *stream = &corrected->streams[s];
        uint64_t last = replayed->begin;
        for (uint32_t row = 0; row < stream->count; last = stream->time[row++])
            if (stream->time[row] < last || stream->time[row] > corrected->end) {
                status = error_set(error, STATUS_INPUT,
                                   "the equations give event %u of rank %u a time before that of "
                                   "the event before it",
                                   row, stream->rank);
                break;
            }
    }
    return status;
}

/* Collective. Measures the costs of the replay's calls, and computes the costs without
 * disturbances. */
static enum status measure_replay(struct correction *correction, const struct trace *replayed,
                                  const struct disturbances *own, struct call_limits *limits,
                                  struct error *error)
{
    enum status status = call_limits_open(replayed, own, limits, error);
    if (status == STATUS_OK)
        status = call_costs_measure(&correction->costs, replayed, NULL, error);
    if (status == STATUS_OK && limits->lost_count > 0)
        status = call_limits_find_usual(replayed, &correction->costs, limits, error);
    return status;
}

enum status correction_apply(struct correction *correction, const struct trace *replayed,
                             const struct trace *undisturbed, const struct disturbances *own,
                             struct trace *corrected, struct error *error)
{
    struct call_limits limits;
    struct timing timing = {.correction = correction,
                            .replayed = replayed,
                            .undisturbed = undisturbed,
                            .limits = &limits};
    struct network_stuck stuck;
    assert(replayed != corrected && undisturbed != corrected);
    enum status status = measure_replay(correction, replayed, own, &limits, error);
    if (status == STATUS_OK) {
        for (timing.s = 0; timing.s < correction->trace->owned_count; timing.s++)
            time_steps(&timing);
        status =
            network_solve(correction->network, correction->times, correction->ends, &stuck, error);
    }
    if (status == STATUS_OK) {
        const int64_t *ends = correction->ends;
        enum status own_status = check_stuck(correction, &stuck, error);
        for (uint32_t s = 0; s < correction->trace->owned_count && own_status == STATUS_OK; s++)
            write_corrected(correction, undisturbed, s, &ends, corrected);
        trace_update_span(corrected);
        if (own_status == STATUS_OK)
            own_status = check_times(replayed, corrected, error);
        status = processes_agree(corrected->processes, own_status, error);
    }
    call_limits_clear(&limits);
    return status;
}
