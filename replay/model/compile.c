#include "replay/model/compile.h"

#include "trace/calls/collective_operations.h"
#include "trace/spawned.h"
#include "trace/threads.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One stream while it is compiled. */
struct part_compiler {
    const struct part_input *input;
    const struct stream *stream;
    const struct recorded_stream *recorded; /* of the same rank */
    const struct stream *recording;
    struct platform delayed; /* with a latency longer by one second, if growth is wanted */
    struct model_part *part;
    struct places places;
    uint8_t *spread; /* [2 * comm_count], first in the recording, then on the platform to run on:
                        enum distance of the communicator's farthest members, plus 1; 0: not found
                        yet */
    uint32_t *most_on_node; /* [comm_count], 0: not found yet; only if messages share links */
    size_t next_probe;      /* next one of the recorded probes */
    struct pieces pieces;   /* of the stream; empty unless they are wanted */
    size_t next_piece;
    uint32_t row, path; /* with assumptions: number of rows read, and the call path after them */
    bool no_memory;
    int64_t *starts; /* [owned rank], with several ranks of a process: the time from the master's
                        post to the rank's start; -1: not posted yet */
    uint32_t ended;  /* the last row of the call before; INDEX_NONE: this is the first call */
    bool spawns;     /* the rank spawns a world whose start is not posted yet: */
    struct spawned_world world;
    const struct collective *spawn; /* that does so; NULL: it is not in the trace */
    size_t next_world;              /* of spawned_next, for the world after it */
};

static int64_t row_time(const struct part_compiler *compiler, uint32_t row)
{
    return (int64_t)(compiler->stream->time[row] - compiler->input->trace->begin);
}

static bool wants_growth(const struct part_compiler *compiler)
{
    return compiler->input->varied < DISTANCE_COUNT;
}

static void push_step(struct part_compiler *compiler, enum step_code code, uint32_t slot,
                      int64_t time)
{
    struct step step = {.time = time, .slot = slot, .code = (uint8_t)code};
    struct growth none = {.time = time, .floor = INT64_MIN, .slope = 0};
    if (!array_push(&compiler->part->steps, step) ||
        (wants_growth(compiler) && !array_push(&compiler->part->growth, none)) ||
        (compiler->input->explains &&
         !array_push(&compiler->part->costs, (struct step_cost){.base = time})))
        compiler->no_memory = true;
}

/* What the step just added costs: its terms are those of the part from `first` on. */
static void explain_cost(struct part_compiler *compiler, int64_t base, size_t first)
{
    struct model_part *part = compiler->part;
    if (compiler->input->explains && !compiler->no_memory)
        part->costs.items[part->costs.count - 1] = (struct step_cost){
            .base = base, .first = first, .count = (uint32_t)(part->terms.count - first)};
}

/* How the step just added depends on the latency. */
static void set_growth(struct part_compiler *compiler, double latencies, int64_t time,
                       int64_t floor)
{
    struct model_part *part = compiler->part;
    if (wants_growth(compiler) && !compiler->no_memory)
        part->growth.items[part->growth.count - 1] =
            (struct growth){.time = time, .floor = floor, .slope = (uint32_t)llround(latencies)};
}

/* Index in the recording; INDEX_NONE: not in the recording. */
static uint32_t recorded_message(const struct part_compiler *compiler,
                                 const struct message *message)
{
    uint32_t index = compiler->input->same_rows ? (uint32_t)(message - compiler->stream->messages)
                                                : message->recorded;
    return index < compiler->recording->message_count ? index : INDEX_NONE;
}

static uint32_t recorded_collective(const struct part_compiler *compiler,
                                    const struct collective *collective)
{
    uint32_t index = compiler->input->same_rows
                         ? (uint32_t)(collective - compiler->stream->collectives)
                         : collective->recorded;
    return index < compiler->recording->collective_count ? index : INDEX_NONE;
}

static enum message_mode recorded_mode(const struct part_compiler *compiler,
                                       const struct message *message)
{
    uint32_t index = recorded_message(compiler, message);
    return index == INDEX_NONE ? MESSAGE_STANDARD : compiler->recorded->modes[index];
}

static bool is_synchronous(const struct part_compiler *compiler, const struct message *message,
                           const struct platform *platform)
{
    return message_is_synchronous(recorded_mode(compiler, message), message->bytes, platform,
                                  compiler->stream->rank, message->partner_rank);
}

/* False: the call did not happen in the recording. */
static bool find_recorded(struct part_compiler *compiler, const struct call_walk *walk,
                          struct wait wait, struct recorded_wait *found)
{
    const struct recorded_stream *recorded = compiler->recorded;
    uint32_t index;
    if (walk->call.probes) {
        size_t i = compiler->next_probe; /* the same order in both traces; some may be missing */
        index = recorded_message(compiler, &compiler->stream->messages[wait.index]);
        while (i < recorded->probes.count && recorded->probes.items[i].message != index)
            i++;
        if (i == recorded->probes.count)
            return false;
        *found = recorded->probes.items[i].wait;
        compiler->next_probe = i + 1;
        return true;
    }
    index = wait.index;
    if (wait.kind == WAIT_SEND || wait.kind == WAIT_RECEIVE)
        index = recorded_message(compiler, &compiler->stream->messages[index]);
    else if (wait.kind == WAIT_COLLECTIVE)
        index = recorded_collective(compiler, &compiler->stream->collectives[index]);
    if (index == INDEX_NONE || !recorded->waits[wait.kind])
        return false;
    *found = recorded->waits[wait.kind][index];
    return true;
}

/* The largest distance of the rank to a member of a communicator. Within one group it is the same
 * for all members: if they are on several hosts, each member has another one on another host. */
static enum distance farthest_member(struct part_compiler *compiler,
                                     const struct platform *platform, uint32_t comm)
{
    const struct definitions *definitions = compiler->input->trace->definitions;
    uint32_t rank = compiler->stream->rank, size = comm_size(definitions, comm, rank, true);
    bool recorded = platform == &compiler->input->recorded->platform;
    bool one_group = definitions->comms[comm].remote_group == INDEX_NONE;
    uint8_t *spread = &compiler->spread[comm + (recorded ? 0 : definitions->comm_count)];
    if (*spread == 0 || !one_group) {
        enum distance farthest = DISTANCE_CACHE;
        for (uint32_t i = 0; i < size && farthest != DISTANCE_NETWORK; i++) {
            uint32_t member = comm_world_rank(definitions, comm, rank, i);
            if (member != rank)
                farthest = platform_distance(platform, rank, member);
        }
        *spread = (uint8_t)farthest + 1;
    }
    return (enum distance)(*spread - 1);
}

/* A message to each and from each neighbour, all at once. */
static struct call_term neighbours_term(const struct part_compiler *compiler,
                                        const struct collective *collective)
{
    const struct definitions *definitions = compiler->input->trace->definitions;
    uint32_t sources =
        layout_source_count(compiler->input->layout, compiler->stream->rank, collective);
    uint32_t destinations = collective->destinations == INDEX_NONE
                                ? sources
                                : definitions->groups[collective->destinations].count;
    uint32_t most = sources > destinations ? sources : destinations;
    uint64_t bytes =
        collective->received > collective->sent ? collective->received : collective->sent;
    return (struct call_term){.kind = TERM_COLLECTIVE,
                              .op = COLLECTIVE_ALLTOALL,
                              .algorithm = ALGORITHM_LINEAR,
                              .bytes = most > 0 ? bytes / most : 0,
                              .members = most + 1};
}

/* The members of a communicator on the node that has the most of them. */
static uint32_t most_on_node(struct part_compiler *compiler, uint32_t comm, uint32_t members)
{
    const struct trace *trace = compiler->input->trace;
    uint32_t *most = &compiler->most_on_node[comm];
    if (*most > 0)
        return *most;
    uint32_t *counts = calloc(trace->rank_count + 1ul, sizeof *counts);
    compiler->no_memory |= !counts;
    for (uint32_t i = 0; counts && i < members; i++) {
        uint32_t rank = comm_world_rank(trace->definitions, comm, compiler->stream->rank, i);
        uint32_t *count = &counts[compiler->input->platform->host[rank]];
        *most = ++*count > *most ? *count : *most;
    }
    free(counts);
    return *most > 0 ? *most : 1;
}

/* `crowd->on_node` is set if the operation shares links. */
static struct call_term collective_term(struct part_compiler *compiler,
                                        const struct platform *platform,
                                        const struct collective *collective,
                                        struct collective_crowd *crowd)
{
    const struct definitions *definitions = compiler->input->trace->definitions;
    uint32_t rank = compiler->stream->rank;
    uint32_t members = comm_size(definitions, collective->comm, rank, true);
    bool scans = collective_operations[collective->op].flow == FLOW_PREFIX;
    int64_t me = scans ? comm_rank_of(definitions, collective->comm, rank) : 0;
    struct call_term term;
    if (collective->flags & COLLECTIVE_NEIGHBOUR) {
        term = neighbours_term(compiler, collective);
    } else {
        int64_t block = collective_block(collective, members, me);
        /* only the platform to run on may choose other algorithms than the recording's */
        term = (struct call_term){.kind = TERM_COLLECTIVE,
                                  .op = collective->op,
                                  .algorithm = platform == &compiler->input->recorded->platform
                                                   ? ALGORITHM_AUTOMATIC
                                                   : compiler->input->algorithms[collective->op],
                                  .bytes = (uint64_t)(block > 0 ? block : 0),
                                  .members = members};
        if (compiler->input->flows)
            crowd->on_node = most_on_node(compiler, collective->comm, members);
    }
    term.distance = (uint8_t)farthest_member(compiler, platform, collective->comm);
    return term;
}

static struct call_term sync_term(const struct part_compiler *compiler,
                                  const struct platform *platform, const struct rma_sync *sync)
{
    const struct group *group = &compiler->input->trace->definitions->groups[sync->group];
    struct call_term term = {.kind = TERM_SYNC};
    for (uint32_t k = 0; k < group->count; k++)
        term.distance |= (uint8_t)(1u << platform_distance(platform, compiler->stream->rank,
                                                           group_rank(group, k)));
    return term;
}

static struct call_term message_term(const struct part_compiler *compiler,
                                     const struct platform *platform, const struct message *message,
                                     enum call_term_kind kind)
{
    return (struct call_term){.kind = (uint8_t)kind,
                              .bytes = message->bytes,
                              .synchronous = is_synchronous(compiler, message, platform),
                              .distance = (uint8_t)platform_distance(
                                  platform, message->partner_rank, compiler->stream->rank)};
}

/* Adds a term to a sum of seconds; `keeps`: and to the part. */
static void add_call_term(struct part_compiler *compiler, const struct platform *platform,
                          const struct call_term *term, const struct collective_crowd *crowd,
                          bool keeps, double *seconds)
{
    *seconds += call_term_seconds(term, platform->machine.distances, crowd);
    if (keeps && !array_push(&compiler->part->terms, *term))
        compiler->no_memory = true;
}

static void add_wait(struct part_compiler *compiler, const struct platform *platform,
                     struct wait wait, bool keeps, double *seconds)
{
    const struct stream *stream = compiler->stream;
    struct collective_crowd crowd = {.links = &platform->machine.links};
    struct call_term term;
    switch (wait.kind) {
    case WAIT_RECEIVE:
        term = message_term(compiler, platform, &stream->messages[wait.index], TERM_RECEIVE);
        break;
    case WAIT_SEND:
        term = message_term(compiler, platform, &stream->messages[wait.index], TERM_SEND);
        if (!term.synchronous)
            return;
        break;
    case WAIT_COLLECTIVE:
        term = collective_term(compiler, platform, &stream->collectives[wait.index], &crowd);
        break;
    case WAIT_SYNC: /* MPI_Win_complete's cost is MPI_Win_start's */
        if (stream->rma_syncs[wait.index].kind == RMA_SYNC_COMPLETE)
            return;
        term = sync_term(compiler, platform, &stream->rma_syncs[wait.index]);
        break;
    default: /* MPI_Finalize */
        return;
    }
    add_call_term(compiler, platform, &term, crowd.on_node > 0 ? &crowd : NULL, keeps, seconds);
}

/* What a call takes after the last arrival that it waits for. `keeps`: adds its terms to the part.
 */
static double modelled_seconds(struct part_compiler *compiler, const struct call_walk *walk,
                               const struct platform *platform, bool keeps)
{
    double seconds = 0;
    if (walk->call.probes)
        return 0;
    for (size_t i = 0; i < walk->posts.count; i++) {
        const struct post *post = &walk->posts.items[i];
        if (post->kind != POST_SEND)
            continue;
        const struct call_term term =
            message_term(compiler, platform, &compiler->stream->messages[post->index], TERM_SEND);
        if (!term.synchronous)
            add_call_term(compiler, platform, &term, NULL, keeps, &seconds);
    }
    for (size_t i = 0; i < walk->waits.count; i++)
        add_wait(compiler, platform, walk->waits.items[i], keeps, &seconds);
    return seconds;
}

static int64_t modelled_cost(struct part_compiler *compiler, const struct call_walk *walk,
                             const struct platform *platform)
{
    return platform_ticks(platform, modelled_seconds(compiler, walk, platform, false));
}

/* The number of latencies in the time of a call. */
static double modelled_latencies(struct part_compiler *compiler, const struct call_walk *walk)
{
    if (!wants_growth(compiler) || compiler->input->ideal)
        return 0;
    return modelled_seconds(compiler, walk, &compiler->delayed, false) -
           modelled_seconds(compiler, walk, compiler->input->platform, false);
}

/* Whether the message shares links, which is then known on both sides. */
static bool is_flow(const struct part_compiler *compiler, const struct message *message,
                    bool synchronous)
{
    const struct platform *platform = compiler->input->platform;
    if (!compiler->input->flows)
        return false;
    enum distance distance =
        platform_distance(platform, compiler->stream->rank, message->partner_rank);
    return machine_links_limit(&platform->machine.links, distance) &&
           transfer_flow(&platform->machine.distances[distance], message->bytes, synchronous)
                   .bytes > 0;
}

/* The number of a flow: the slot of the sender's end. */
static uint32_t flow_slot(const struct part_compiler *compiler, uint32_t index)
{
    const uint32_t *first = compiler->input->layout->first_message;
    const struct message *message = &compiler->stream->messages[index];
    return message->flags & MESSAGE_SEND ? first[compiler->stream->rank] + index
                                         : first[message->partner_rank] + message->partner;
}

static void equate_message_post(struct part_compiler *compiler, const struct post *post)
{
    const struct platform *platform = compiler->input->platform;
    const struct message *message = &compiler->stream->messages[post->index];
    const struct call_term term = message_term(compiler, platform, message, TERM_TRANSFER);
    const bool synchronous = term.synchronous;
    const size_t first_term = compiler->part->terms.count;
    uint32_t slot =
        compiler->input->layout->first_message[message->partner_rank] + message->partner;
    const int64_t posted = row_time(compiler, post->when);
    int64_t time = posted;
    double latencies = 0;
    if (post->kind == POST_SEND) {
        double seconds = 0;
        add_call_term(compiler, platform, &term, NULL, compiler->input->explains, &seconds);
        time += platform_ticks(platform, seconds);
        if (wants_growth(compiler))
            latencies =
                call_term_seconds(&term, compiler->delayed.machine.distances, NULL) - seconds;
    } else if (!synchronous) {
        return;
    }
    bool flows = is_flow(compiler, message, synchronous);
    push_step(compiler, flows && !synchronous ? STEP_FLOW : STEP_POST, slot, time);
    set_growth(compiler, latencies, time, INT64_MIN);
    explain_cost(compiler, posted, first_term);
    if (flows && synchronous)
        push_step(compiler, STEP_FLOW_SIDE, flow_slot(compiler, post->index),
                  row_time(compiler, post->when));
    if (flows && post->kind == POST_SEND)
        push_step(compiler, STEP_FLOW_SIZE, message->partner_rank, (int64_t)message->bytes);
}

/* The call, of this cost, also waits for the flows of its synchronous messages. */
static void await_flows(struct part_compiler *compiler, const struct call_walk *walk, int64_t cost)
{
    const struct platform *platform = compiler->input->platform;
    for (size_t i = 0; compiler->input->flows && i < walk->waits.count; i++) {
        const struct wait *wait = &walk->waits.items[i];
        if ((wait->kind != WAIT_SEND && wait->kind != WAIT_RECEIVE) || walk->call.probes ||
            wait_is_removed(compiler->stream, *wait))
            continue;
        const struct message *message = &compiler->stream->messages[wait->index];
        if (!is_synchronous(compiler, message, platform) || !is_flow(compiler, message, true))
            continue;
        const struct loggps *loggps =
            platform_between(platform, message->partner_rank, compiler->stream->rank);
        double after =
            wait->kind == WAIT_RECEIVE ? transfer_flow(loggps, message->bytes, true).after : 0;
        push_step(compiler, STEP_FLOW_WAIT, flow_slot(compiler, wait->index),
                  platform_ticks(platform, after) - row_time(compiler, walk->call.enter) - cost);
        if (!compiler->no_memory && wait->kind == WAIT_RECEIVE)
            compiler->part->steps.items[compiler->part->steps.count - 1].sets = 1;
    }
}

static void equate_post(struct part_compiler *compiler, const struct post *post)
{
    if (post->kind == POST_SEND || post->kind == POST_RECEIVE) {
        equate_message_post(compiler, post);
        return;
    }
    struct wait_place place = place_of_post(&compiler->places, post);
    if (place.kind == PLACE_NONE)
        return;
    if (place.kind == PLACE_SCAN && place.member == 0) /* the empty prefix */
        push_step(compiler, STEP_POST, place.number - 1, TIME_LONG_AGO);
    push_step(compiler, place.kind == PLACE_SCAN ? STEP_POST_SCAN : STEP_ARRIVE, place.number,
              row_time(compiler, post->when));
}

/* Whether a synchronisation did not wait in the recording although MPI allows it to wait. */
static bool has_passed(const struct part_compiler *compiler, uint32_t sync)
{
    return sync_may_pass(&compiler->stream->rma_syncs[sync]) &&
           compiler->recorded->waits[WAIT_SYNC][sync].lag < 0;
}

/* `offset`: from the arrival to the call's Enter. Returns whether the call can wait at all. */
static bool equate_wait(struct part_compiler *compiler, struct wait wait, int64_t offset)
{
    const struct stream *stream = compiler->stream;
    if (wait_is_removed(stream, wait))
        return false;
    if (wait.kind == WAIT_SEND || wait.kind == WAIT_RECEIVE) {
        if (wait.kind == WAIT_SEND &&
            !is_synchronous(compiler, &stream->messages[wait.index], compiler->input->platform))
            return false;
        push_step(compiler, STEP_WAIT,
                  compiler->input->layout->first_message[stream->rank] + wait.index, offset);
        return true;
    }
    if (wait.kind == WAIT_SYNC && has_passed(compiler, wait.index))
        return false;
    uint32_t count = places_of_wait(&compiler->places, wait);
    for (uint32_t k = 0; k < count; k++) {
        struct wait_place place = place_of_wait(&compiler->places, wait, k);
        if (place.kind == PLACE_SCAN) /* the prefix, not the arrival */
            push_step(compiler, STEP_WAIT, place.number + 1, offset);
        else
            push_step(compiler, STEP_AWAIT, place.number, offset);
    }
    return count > 0;
}

/* Whether a separate send was a part of a Sendrecv in the recording. Then the receive has the cost
 * of that call. */
static bool is_split_off(const struct part_compiler *compiler, const struct call_walk *walk,
                         struct wait wait)
{
    if (wait.kind != WAIT_SEND || mpi_call_infos[walk->call.mpi_call].class != MPI_CLASS_SEND)
        return false;
    uint32_t index = compiler->stream->messages[wait.index].recorded;
    if (index >= compiler->recording->message_count)
        return false;
    enum mpi_call recorded =
        message_post_call(compiler->input->recorded->trace, compiler->recording,
                          &compiler->recording->messages[index]);
    return mpi_call_infos[recorded].class == MPI_CLASS_SENDRECV;
}

/* Adds a STEP_FREE for the computation up to the row, and returns true, if an assumption may change
 * it. */
static bool assume_computation(struct part_compiler *compiler, uint32_t row)
{
    const struct part_assumed *assumed = compiler->input->assumed;
    const struct calltree *calltree = &compiler->input->trace->calltree;
    const struct stream *stream = compiler->stream;
    const size_t outside = calltree->paths.count;
    int64_t length = 0;
    bool visited = false;
    if (!assumed)
        return false;
    for (; compiler->row <= row && compiler->row < stream->count; compiler->row++) {
        bool changes = assumed->paths[compiler->path == CALLPATH_NONE ? outside : compiler->path];
        if (changes && compiler->row > 0)
            length += row_time(compiler, compiler->row) - row_time(compiler, compiler->row - 1);
        visited |= changes;
        compiler->path = callpath_after(calltree, stream, compiler->row, compiler->path);
    }
    if (visited)
        push_step(compiler, STEP_FREE, 0, -length);
    return visited;
}

static bool operation_is_assumed(const struct part_compiler *compiler, bool of_message,
                                 uint32_t index)
{
    const struct part_assumed *assumed = compiler->input->assumed;
    bool *const *flags = of_message ? assumed->messages : assumed->collectives;
    return flags && flags[compiler->stream - compiler->input->trace->streams][index];
}

/* Whether messages or operations of the rank may be removed or changed. */
static bool operations_are_assumed(const struct part_compiler *compiler)
{
    for (uint32_t m = 0; m < compiler->stream->message_count; m++)
        if (operation_is_assumed(compiler, true, m))
            return true;
    for (uint32_t c = 0; c < compiler->stream->collective_count; c++)
        if (operation_is_assumed(compiler, false, c))
            return true;
    return false;
}

/* Tests and probes may form polling loops. Which of them form one depends on the computation and
 * the calls between them. */
static bool is_polling(const struct call_walk *walk)
{
    enum mpi_class class = mpi_call_infos[walk->call.mpi_call].class;
    return mpi_class_tests(class) || mpi_class_probes(class);
}

/* Adds a STEP_FREE after a call that an assumption may change. `changes`: it may change the call
 * even if it changes nothing that the call posts or waits for. */
static void assume_call(struct part_compiler *compiler, const struct call_walk *walk, bool changes)
{
    for (size_t i = 0; i < walk->posts.count; i++) {
        const struct post *post = &walk->posts.items[i];
        if (post->kind == POST_SEND || post->kind == POST_RECEIVE || post->kind == POST_COLLECTIVE)
            changes |= operation_is_assumed(compiler, post->kind != POST_COLLECTIVE, post->index);
    }
    for (size_t i = 0; i < walk->waits.count; i++) {
        struct wait wait = walk->waits.items[i];
        if (wait.kind == WAIT_SEND || wait.kind == WAIT_RECEIVE || wait.kind == WAIT_COLLECTIVE)
            changes |= operation_is_assumed(compiler, wait.kind != WAIT_COLLECTIVE, wait.index);
    }
    if (changes)
        push_step(compiler, STEP_FREE, 0, INT64_MIN);
}

/* By how many ticks a hypothesis has made a collective file call longer. Those of other operations
 * keep their lengths. */
static int64_t added_to_call(struct part_compiler *compiler, const struct call_walk *walk,
                             struct wait wait)
{
    const struct stream *now = compiler->stream, *before = compiler->recording;
    if (wait.kind != WAIT_COLLECTIVE ||
        mpi_call_infos[walk->call.mpi_call].class != MPI_CLASS_SYNCHRONISE)
        return 0;
    const struct collective *changed = &now->collectives[wait.index];
    const uint32_t index = recorded_collective(compiler, changed);
    if (index == INDEX_NONE)
        return 0;
    const struct collective *recorded = &before->collectives[index];
    return (int64_t)(now->time[changed->end] - now->time[changed->begin]) -
           (int64_t)(before->time[recorded->end] - before->time[recorded->begin]);
}

static void equate_call(struct part_compiler *compiler, const struct call_walk *walk)
{
    const struct part_input *input = compiler->input;
    int64_t enter = row_time(compiler, walk->call.enter);
    int64_t length = row_time(compiler, walk->call.leave) - enter;
    int64_t cost = -1;
    bool waits = false;
    for (size_t i = 0; i < walk->posts.count; i++)
        equate_post(compiler, &walk->posts.items[i]);
    for (size_t i = 0; i < walk->waits.count; i++) {
        struct recorded_wait recorded = {.lag = 0, .cost = -1};
        bool found = find_recorded(compiler, walk, walk->waits.items[i], &recorded);
        if (!found || input->absolute || input->ideal)
            recorded.lag = 0;
        if (found && recorded.cost >= 0) {
            const int64_t cost_now =
                recorded.cost + added_to_call(compiler, walk, walk->waits.items[i]);
            recorded.cost = cost_now > 0 ? cost_now : 0;
        }
        if (is_split_off(compiler, walk, walk->waits.items[i]))
            recorded.cost = -1;
        if (equate_wait(compiler, walk->waits.items[i], recorded.lag - enter))
            waits = true;
        if (recorded.cost > cost)
            cost = recorded.cost;
    }
    if (walk->posts.count + walk->waits.count == 0)
        return;
    bool is_finalize = mpi_call_infos[walk->call.mpi_call].class == MPI_CLASS_FINALIZE;
    bool elsewhere = input->platform != &input->recorded->platform;
    if (walk->waits.count == 0)
        cost = length; /* none of it was waiting */
    const size_t first_term = compiler->part->terms.count;
    int64_t base = cost; /* the part that does not depend on the network */
    bool modelled = false;
    if (input->ideal && !is_finalize) {
        base = 0;
    } else if ((input->absolute && !is_finalize) || cost < 0) {
        base = 0;
        modelled = true;
    } else if (elsewhere || input->explains) {
        base -= modelled_cost(compiler, walk, &input->recorded->platform);
        modelled = true;
    }
    cost = base;
    if (modelled)
        cost += platform_ticks(input->platform,
                               modelled_seconds(compiler, walk, input->platform, input->explains));
    int64_t unbounded = cost;
    if (cost < 0)
        cost = 0;
    double latencies = is_finalize ? 0 : modelled_latencies(compiler, walk);
    if (!waits && cost == length && llround(latencies) == 0 && !input->assumed && !input->explains)
        return;
    struct call_span span = {walk->call.enter, walk->call.leave};
    await_flows(compiler, walk, cost);
    push_step(compiler, STEP_END, 0, cost - length);
    set_growth(compiler, latencies, unbounded - length, -length);
    explain_cost(compiler, base, first_term);
    if (!array_push(&compiler->part->spans, span))
        compiler->no_memory = true;
}

/* The time of a row in the recording, if that has the same number of rows; else in the trace. */
static int64_t recorded_time(const struct part_compiler *compiler, const struct stream *stream,
                             uint32_t row)
{
    const struct trace *recording = compiler->input->recorded->trace;
    const struct stream *before = trace_stream(recording, stream->rank);
    const uint64_t *times = before && before->count == stream->count ? before->time : stream->time;
    return (int64_t)times[row];
}

/* The next call of a master thread ends at row `leave` (INDEX_NONE: it was the last call).
 * Other threads of its process that start before that have the same distance from the end of the
 * call before as in the recording. */
static void post_starts(struct part_compiler *compiler, uint32_t leave)
{
    const struct trace *trace = compiler->input->trace;
    const struct definitions *d = trace->definitions;
    const struct stream *master = compiler->stream;
    if (!d->threads || master->count == 0)
        return;
    const uint32_t mpi_process = mpi_process_of(d, master->rank);
    const uint32_t end = mpi_process_first_rank(d, mpi_process + 1);
    if (mpi_process_first_rank(d, mpi_process) != master->rank)
        return;
    const uint32_t anchor = compiler->ended == INDEX_NONE ? 0 : compiler->ended;
    for (uint32_t rank = master->rank + 1; rank < end; rank++) {
        const struct stream *thread = trace_stream(trace, rank);
        int64_t *start = &compiler->starts[rank - trace->first_rank];
        if (*start >= 0)
            continue;
        const int64_t first = thread->count > 0 ? recorded_time(compiler, thread, 0) : 0;
        if (thread->count > 0 && leave != INDEX_NONE &&
            recorded_time(compiler, master, leave) <= first)
            continue;
        const int64_t passed = first - recorded_time(compiler, master, anchor);
        *start = passed > 0 ? passed : 0;
        push_step(compiler, STEP_POST, compiler->input->layout->first_start + rank,
                  row_time(compiler, anchor));
    }
}

/* The operation by which the rank has spawned a world: the first on the intercommunicator that it
 * made. NULL: it is not in the trace. */
static const struct collective *spawn_of_world(const struct part_compiler *compiler,
                                               const struct spawned_world *world)
{
    const struct definitions *d = compiler->input->trace->definitions;
    for (uint32_t c = 0; c < compiler->stream->collective_count; c++) {
        const struct collective *collective = &compiler->stream->collectives[c];
        if (collective->op != COLLECTIVE_CREATE_HANDLE || collective->comm == INDEX_NONE)
            continue;
        const struct communicator *comm = &d->comms[collective->comm];
        if (comm->remote_group != INDEX_NONE &&
            group_place(&d->groups[comm->remote_group], world->first) != INDEX_NONE)
            return collective;
    }
    return NULL;
}

/* The time of a collective operation's begin in the trace, minus that in the recording. */
static int64_t moved_by(const struct part_compiler *compiler, const struct collective *collective)
{
    const uint32_t index = recorded_collective(compiler, collective);
    if (index == INDEX_NONE)
        return 0;
    const struct stream *before = compiler->recording;
    return (int64_t)(compiler->stream->time[collective->begin] -
                     before->time[before->collectives[index].begin]);
}

static void find_next_spawn(struct part_compiler *compiler)
{
    compiler->spawns = false;
    while (!compiler->spawns && spawned_next(compiler->input->trace->definitions,
                                             &compiler->next_world, &compiler->world))
        compiler->spawns = compiler->world.creator == compiler->stream->rank;
    if (compiler->spawns)
        compiler->spawn = spawn_of_world(compiler, &compiler->world);
}

/* The next call of a rank that spawns others ends at row `leave` (INDEX_NONE: it was the last
 * call). The shift of the spawning call becomes that of the spawned ranks. A world whose call is
 * not in the trace begins as recorded. */
static void post_spawned(struct part_compiler *compiler, uint32_t leave)
{
    const struct definitions *d = compiler->input->trace->definitions;
    for (; compiler->spawns; find_next_spawn(compiler)) {
        const struct collective *spawn = compiler->spawn;
        if (spawn && leave != INDEX_NONE && spawn->begin > leave)
            return;
        for (uint32_t rank = compiler->world.first; rank < compiler->world.end; rank++)
            if (thread_of_rank(d, rank) == 0)
                push_step(compiler, STEP_POST, compiler->input->layout->first_start + rank,
                          spawn ? moved_by(compiler, spawn) : 0);
    }
}

/* A spawned rank has the shift of the call that has spawned it. */
static void await_spawn(struct part_compiler *compiler)
{
    const struct stream *stream = compiler->stream;
    const size_t step = compiler->part->steps.count;
    const struct definitions *d = compiler->input->trace->definitions;
    if (stream->count == 0 || thread_of_rank(d, stream->rank) > 0 ||
        spawned_creator(d, stream->rank) == INDEX_NONE)
        return;
    push_step(compiler, STEP_WAIT, compiler->input->layout->first_start + stream->rank,
              recorded_time(compiler, stream, 0) - (int64_t)stream->time[0]);
    if (!compiler->no_memory)
        compiler->part->steps.items[step].sets = 1;
    push_step(compiler, STEP_END, 0, 0);
    if (!array_push(&compiler->part->spans, ((struct call_span){0, 0})))
        compiler->no_memory = true;
}

/* A thread that is not its process's master waits for its start. */
static void await_start(struct part_compiler *compiler)
{
    const struct trace *trace = compiler->input->trace;
    const struct definitions *d = trace->definitions;
    const uint32_t rank = compiler->stream->rank;
    if (!d->threads || compiler->stream->count == 0 ||
        mpi_process_first_rank(d, mpi_process_of(d, rank)) == rank)
        return;
    const struct call_span first = {0, 0};
    const size_t step = compiler->part->steps.count;
    push_step(compiler, STEP_WAIT, compiler->input->layout->first_start + rank,
              compiler->starts[rank - trace->first_rank] - row_time(compiler, 0));
    if (!compiler->no_memory)
        compiler->part->steps.items[step].sets = 1;
    push_step(compiler, STEP_END, 0, 0);
    if (!array_push(&compiler->part->spans, first))
        compiler->no_memory = true;
}

/* Adds a STEP_SHARED for every piece that begins before the row. */
static void share_computation(struct part_compiler *compiler, uint32_t row)
{
    const struct pieces *pieces = &compiler->pieces;
    for (; compiler->next_piece < pieces->list.count; compiler->next_piece++) {
        uint32_t first = pieces->list.items[compiler->next_piece].first;
        if (first >= row)
            break;
        push_step(compiler, STEP_SHARED, 0, row_time(compiler, first));
    }
}

static bool compile_stream(struct part_compiler *compiler)
{
    struct call_walk walk;
    const bool assumes = compiler->input->assumed != NULL;
    const bool removes = assumes && operations_are_assumed(compiler);
    call_walk_open(&walk, compiler->input->trace, compiler->stream, compiler->input->poll_gap_s);
    await_start(compiler);
    await_spawn(compiler);
    while (!compiler->no_memory && call_walk_next(&walk)) {
        post_starts(compiler, walk.call.leave);
        post_spawned(compiler, walk.call.leave);
        bool loops = assumes && is_polling(&walk);
        bool changes = assume_computation(compiler, loops ? walk.call.leave : walk.call.enter);
        share_computation(compiler, walk.call.enter);
        equate_call(compiler, &walk);
        if (assumes)
            assume_call(compiler, &walk, loops && (changes || removes));
        compiler->ended = walk.call.leave;
    }
    post_starts(compiler, INDEX_NONE);
    post_spawned(compiler, INDEX_NONE);
    share_computation(compiler, UINT32_MAX);
    bool room = !compiler->no_memory && !walk.out_of_memory;
    call_walk_close(&walk);
    return room;
}

static bool open_compiler(struct part_compiler *compiler, uint32_t s)
{
    const struct part_input *input = compiler->input;
    compiler->stream = &input->trace->streams[s];
    compiler->recorded = &input->recorded->streams[s];
    compiler->recording = &input->recorded->trace->streams[s];
    compiler->next_probe = 0;
    compiler->row = 0;
    compiler->path = CALLPATH_NONE;
    compiler->ended = INDEX_NONE;
    compiler->next_world = 0;
    find_next_spawn(compiler);
    compiler->pieces.list.count = 0;
    compiler->next_piece = 0;
    if (input->sharing &&
        !pieces_find(input->trace, compiler->stream, input->sharing, &compiler->pieces))
        return false;
    return places_open(&compiler->places, input->layout, compiler->stream);
}

enum status part_compile(const struct part_input *input, struct model_part *part,
                         struct error *error)
{
    const struct trace *trace = input->trace;
    struct part_compiler compiler = {.input = input, .part = part};
    size_t ranks = (size_t)trace->owned_count + 1;
    part->has_growth = wants_growth(&compiler);
    part->step_counts = calloc(ranks, sizeof *part->step_counts);
    part->span_counts = calloc(ranks, sizeof *part->span_counts);
    part->last_event = calloc(ranks, sizeof *part->last_event);
    if (wants_growth(&compiler)) {
        compiler.delayed = *input->platform;
        loggps_delay(&compiler.delayed.machine.distances[input->varied], 1);
    }
    compiler.spread = calloc(2, (size_t)trace->definitions->comm_count + 1);
    compiler.most_on_node =
        calloc((size_t)trace->definitions->comm_count + 1, sizeof *compiler.most_on_node);
    compiler.starts = malloc(ranks * sizeof *compiler.starts);
    assert(trace->matched && part->steps.count == 0);
    bool room = part->step_counts && part->span_counts && part->last_event && compiler.spread &&
                compiler.most_on_node && compiler.starts;
    if (room)
        memset(compiler.starts, 0xff, ranks * sizeof *compiler.starts); /* -1 */
    for (uint32_t s = 0; s < trace->owned_count && room; s++) {
        size_t steps = part->steps.count, spans = part->spans.count;
        room = open_compiler(&compiler, s) && compile_stream(&compiler);
        part->step_counts[s] = part->steps.count - steps;
        part->span_counts[s] = part->spans.count - spans;
        part->last_event[s] =
            compiler.stream->count > 0 ? row_time(&compiler, compiler.stream->count - 1) : 0;
        places_close(&compiler.places);
    }
    free(compiler.spread);
    free(compiler.most_on_node);
    free(compiler.starts);
    free(compiler.pieces.list.items);
    if (room)
        return STATUS_OK;
    part_clear(part);
    return error_memory(error, "the model");
}

void part_clear(struct model_part *part)
{
    free(part->steps.items);
    free(part->growth.items);
    free(part->costs.items);
    free(part->terms.items);
    free(part->spans.items);
    free(part->step_counts);
    free(part->span_counts);
    free(part->last_event);
    memset(part, 0, sizeof *part);
}
