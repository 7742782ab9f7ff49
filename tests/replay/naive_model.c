/* naive_model -l LATENCY -g PER_BYTE -s SYNCHRONOUS_FROM -f FACTOR [-L LATENCY -G PER_BYTE
 * -S SYNCHRONOUS_FROM -n RANKS -r PLACES] TRACE: the model engine's twin (doc/methods.md, section
 * 4, difference mode), written down literally and without regard to speed: it finds the other end
 * of each message by counting, and looks again and again whether what a rank waits for has come.
 * Computation in the regions whose names begin with n takes FACTOR times as long. LATENCY in ns,
 * PER_BYTE in ns. With -n, RANKS of a row were on one node, and -L, -G and -S are for messages
 * between nodes; with -r the ranks exchange their places. Prints predicted enters and leaves as
 * check_model -p does.
 *
 * It knows the traces of bench/trace/generate_trace: blocking sends and receives, Isend, Irecv,
 * Waitall, barriers, broadcasts and allreduces, MPI_Finalize; neighbourhood collectives, and the
 * groups of windows. */
#include "base/log.h"
#include "base/mpi/handles.h"
#include "trace/load/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    double latency, per_byte; /* ns */
    uint64_t synchronous_from;
} within = {.synchronous_from = UINT64_MAX}, between = {.synchronous_from = UINT64_MAX};
static double factor = 1;
static uint32_t per_node = UINT32_MAX;
static char *places; /* "1,0", NULL: their own */
static struct trace *trace;

/* One rank on its way through its rows. */
struct walker {
    const struct stream *stream;
    uint32_t row;             /* the next one */
    int64_t now;              /* predicted time of the row before */
    uint32_t leave;           /* of the call it waits in; 0: none */
    int64_t measured, scaled; /* computation of scaled regions so far */
    int64_t *predicted;       /* [row] */
};

static struct walker *walkers;

static int64_t recorded(const struct stream *stream, uint32_t row)
{
    return (int64_t)(stream->time[row] - trace->begin);
}

static enum mpi_call call_at(const struct stream *stream, uint32_t enter)
{
    return trace->definitions->regions[trace->calltree.paths.items[stream->arg[enter]].region]
        .mpi_call;
}

/* The message's number among those of its channel. */
static uint32_t number_of(const struct stream *stream, uint32_t message)
{
    const struct message *m = &stream->messages[message];
    uint32_t number = 0;
    for (uint32_t i = 0; i < message; i++) {
        const struct message *other = &stream->messages[i];
        number += ((other->flags ^ m->flags) & MESSAGE_SEND) == 0 && other->comm == m->comm &&
                  other->tag == m->tag && other->partner_rank == m->partner_rank;
    }
    return number;
}

/* The other end of a message. */
static uint32_t other_end(const struct stream *stream, uint32_t message)
{
    const struct message *m = &stream->messages[message];
    const struct stream *peer = &trace->streams[m->partner_rank];
    uint32_t wanted = number_of(stream, message), number = 0;
    for (uint32_t i = 0; i < peer->message_count; i++) {
        const struct message *other = &peer->messages[i];
        if (((other->flags ^ m->flags) & MESSAGE_SEND) != 0 && other->comm == m->comm &&
            other->tag == m->tag && other->partner_rank == stream->rank && number++ == wanted)
            return i;
    }
    fprintf(stderr, "naive_model: a message has no other end\n");
    exit(1);
}

static uint32_t post_row(const struct stream *stream, uint32_t message)
{
    uint32_t row = stream->messages[message].post;
    while (stream->kind[stream->messages[message].post] == EVENT_RECV &&
           stream->kind[row] != EVENT_ENTER)
        row--;
    return row;
}

/* As recorded, or as it is predicted. */
static uint32_t node_of(uint32_t rank, bool predict)
{
    const char *place = places;
    if (!predict || !places)
        return rank / per_node;
    for (; rank > 0; rank--)
        place = strchr(place, ',') + 1;
    return (uint32_t)atoi(place) / per_node;
}

/* By its size, unless the recorded send came back before the receive was posted. */
static bool is_synchronous(const struct stream *stream, uint32_t message, bool predict)
{
    const struct message *m = &stream->messages[message];
    const struct stream *peer = &trace->streams[m->partner_rank];
    bool sends = m->flags & MESSAGE_SEND;
    uint32_t other = other_end(stream, message);
    const struct stream *sender = sends ? stream : peer, *receiver = sends ? peer : stream;
    uint32_t receive = post_row(receiver, sends ? other : message);
    uint32_t left = sender->messages[sends ? message : other].completion;
    while (sender->kind[left] != EVENT_LEAVE)
        left++;
    bool near = node_of(stream->rank, predict) == node_of(m->partner_rank, predict);
    return m->bytes >= (near ? within : between).synchronous_from &&
           sender->time[left] >= receiver->time[receive];
}

/* How long the data of a message are on their way, ns; of a synchronous one, its request. */
static double transfer(uint32_t a, uint32_t b, uint64_t bytes, bool synchronous, bool predict)
{
    bool near = node_of(a, predict) == node_of(b, predict);
    double ns = near ? within.latency : between.latency;
    if (!synchronous && bytes > 0)
        ns += (double)(bytes - 1) * (near ? within.per_byte : between.per_byte);
    return ns;
}

/* What follows a synchronous message's request at one of its ends: the answer travels, then the
 * data, of which the sender does not see the last latency. Ns; nothing of other messages. */
static double rest_of(const struct stream *stream, uint32_t row, bool predict)
{
    uint32_t arg = stream->arg[row];
    uint8_t kind = stream->kind[row];
    bool sends = kind == EVENT_SEND || kind == EVENT_ISEND_COMPLETE;
    if ((!sends && kind != EVENT_RECV && kind != EVENT_IRECV) ||
        !is_synchronous(stream, arg, predict))
        return 0;
    const struct message *message = &stream->messages[arg];
    double data = transfer(stream->rank, message->partner_rank, message->bytes, false, predict);
    double answer = transfer(stream->rank, message->partner_rank, 0, false, predict);
    return sends ? data : answer + data;
}

/* Members of a collective operation that the rank in question waits for. */
static bool is_waited_for(const struct collective *collective, uint32_t member)
{
    if (collective->flags & COLLECTIVE_NEIGHBOUR) {
        const struct group *sources = &trace->definitions->groups[collective->sources];
        for (uint32_t i = 0; i < sources->count; i++)
            if (sources->members[i] == member)
                return true;
        return false;
    }
    return collective->op != COLLECTIVE_BCAST || member == collective->root;
}

/* The collective of another rank that is the same operation: the n-th on its communicator. */
static const struct collective *same_operation(const struct stream *stream, uint32_t index,
                                               const struct stream *peer)
{
    const struct collective *own = &stream->collectives[index];
    uint32_t number = 0, wanted = 0;
    for (uint32_t i = 0; i < index; i++)
        wanted += stream->collectives[i].comm == own->comm;
    for (uint32_t i = 0; i < peer->collective_count; i++)
        if (peer->collectives[i].comm == own->comm && number++ == wanted)
            return &peer->collectives[i];
    return NULL;
}

/* When a row happened (`predicted` NULL) or happens; -1: not yet. */
static int64_t moment(uint32_t rank, uint32_t row, bool predict)
{
    return predict ? walkers[rank].predicted[row] : recorded(&trace->streams[rank], row);
}

/* Whether a group of a window has a rank. */
static bool names(const struct rma_sync *sync, uint32_t rank)
{
    const struct group *group = &trace->definitions->groups[sync->group];
    for (uint32_t i = 0; i < group->count; i++)
        if (group_rank(group, i) == rank)
            return true;
    return false;
}

/* When the last member of the group of a MPI_Win_start (or MPI_Win_wait) posts (or completes). The
 * n-th call of a pair of ranks belongs to the n-th of its counterpart. A MPI_Win_complete has the
 * group of its start. */
static int64_t group_arrival(const struct stream *stream, const struct rma_sync *own, bool predict)
{
    int64_t last = -2;
    if (own->kind == RMA_SYNC_COMPLETE)
        while (own->kind != RMA_SYNC_START)
            own--;
    if (own->kind != RMA_SYNC_START && own->kind != RMA_SYNC_WAIT)
        return -2;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        const struct stream *peer = &trace->streams[rank];
        uint32_t wanted = 0, number = 0, i = 0;
        if (!names(own, rank))
            continue;
        for (const struct rma_sync *sync = stream->rma_syncs; sync < own; sync++)
            wanted += sync->kind == own->kind && sync->window == own->window && names(sync, rank);
        for (; i < peer->rma_sync_count; i++) {
            const struct rma_sync *sync = &peer->rma_syncs[i];
            if (sync->kind == (own->kind == RMA_SYNC_START ? RMA_SYNC_POST : RMA_SYNC_COMPLETE) &&
                sync->window == own->window && names(sync, stream->rank) && number++ == wanted)
                break;
        }
        int64_t came = moment(rank, peer->rma_syncs[i].row, predict);
        if (came < 0)
            return -1;
        last = came > last ? came : last;
    }
    return last;
}

/* When the thing arrives that the record in `row` waits for; -1: not yet; -2: it waits for nothing.
 */
static int64_t arrival(const struct stream *stream, uint32_t row, bool predict)
{
    uint32_t arg = stream->arg[row];
    const struct message *message;
    int64_t last = -2;
    switch (stream->kind[row]) {
    case EVENT_SEND:
    case EVENT_ISEND_COMPLETE:
        message = &stream->messages[arg];
        if (!is_synchronous(stream, arg, predict))
            return -2;
        return moment(message->partner_rank,
                      post_row(&trace->streams[message->partner_rank], other_end(stream, arg)),
                      predict);
    case EVENT_RECV:
    case EVENT_IRECV:
        message = &stream->messages[arg];
        last = moment(message->partner_rank,
                      post_row(&trace->streams[message->partner_rank], other_end(stream, arg)),
                      predict);
        return last < 0
                   ? last
                   : last + llround(transfer(message->partner_rank, stream->rank, message->bytes,
                                             is_synchronous(stream, arg, predict), predict));
    case EVENT_COLLECTIVE_END: {
        const struct collective *own = &stream->collectives[arg];
        uint32_t members = comm_size(trace->definitions, own->comm, stream->rank, false);
        if (own->op == COLLECTIVE_BCAST &&
            comm_world_rank(trace->definitions, own->comm, stream->rank, own->root) == stream->rank)
            return -2;
        for (uint32_t member = 0; member < members; member++) {
            uint32_t rank = comm_world_rank(trace->definitions, own->comm, stream->rank, member);
            if (!is_waited_for(own, member))
                continue;
            int64_t came =
                moment(rank, same_operation(stream, arg, &trace->streams[rank])->begin, predict);
            if (came < 0)
                return -1;
            last = came > last ? came : last;
        }
        return last;
    }
    case EVENT_RMA_SYNC:
        return group_arrival(stream, &stream->rma_syncs[arg], predict);
    default:
        return -2;
    }
}

/* The same for MPI_Finalize, entered at `enter`. */
static int64_t finalize_arrival(bool predict)
{
    int64_t last = -1;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        const struct stream *stream = &trace->streams[rank];
        uint32_t row = stream->count;
        while (row-- > 0)
            if (stream->kind[row] == EVENT_ENTER && call_at(stream, row) == MPI_CALL_FINALIZE)
                break;
        int64_t came = moment(rank, row, predict);
        if (came < 0)
            return -1;
        last = came > last ? came : last;
    }
    return last;
}

static int64_t wait_of(const struct stream *stream, uint32_t enter, uint32_t row, bool predict)
{
    if (call_at(stream, enter) == MPI_CALL_FINALIZE)
        return finalize_arrival(predict);
    return row > enter ? arrival(stream, row, predict) : -2;
}

/* A call that an MPI library may leave before its targets have posted. */
static bool may_pass(const struct stream *stream, uint32_t row)
{
    if (stream->kind[row] != EVENT_RMA_SYNC)
        return false;
    enum rma_sync_kind kind = stream->rma_syncs[stream->arg[row]].kind;
    return kind == RMA_SYNC_START || kind == RMA_SYNC_COMPLETE;
}

/* When the call ends: -1 if something has not come yet. */
static int64_t end_of_call(const struct stream *stream, uint32_t enter, uint32_t leave)
{
    int64_t came = recorded(stream, enter), went = recorded(stream, leave);
    int64_t last = came, predicted_last = moment(stream->rank, enter, true);
    double rest[2] = {0, 0}; /* recorded, predicted */
    for (uint32_t row = enter; row < leave; row++) {
        int64_t then = wait_of(stream, enter, row, false), lag = 0;
        for (int predict = 0; predict < 2 && row > enter; predict++)
            rest[predict] += rest_of(stream, row, predict);
        if (then > went && may_pass(stream, row)) /* it has not waited */
            continue;
        if (then > went) {
            lag = went - then;
            then = went;
        }
        last = then > last ? then : last;
        int64_t now = wait_of(stream, enter, row, true);
        if (now == -1)
            return -1;
        if (now == -2)
            continue;
        now += lag;
        predicted_last = now > predicted_last ? now : predicted_last;
    }
    int64_t cost = went - last + llround(rest[1]) - llround(rest[0]);
    return predicted_last + (cost > 0 ? cost : 0);
}

/* Continues until the rank waits. Returns whether it has moved. */
static bool advance(struct walker *walker)
{
    const struct stream *stream = walker->stream;
    bool moved = false;
    for (; walker->row < stream->count; walker->row++) {
        uint32_t row = walker->row;
        if (walker->leave == 0) {
            int64_t length =
                row == 0 ? recorded(stream, 0) : recorded(stream, row) - recorded(stream, row - 1);
            uint32_t path = row == 0 ? CALLPATH_NONE : stream_callpath_at(stream, row - 1);
            if (row > 0 && (stream->kind[row - 1] == EVENT_LEAVE && path != CALLPATH_NONE))
                path = trace->calltree.paths.items[path].parent;
            bool scales = false;
            for (; path != CALLPATH_NONE; path = trace->calltree.paths.items[path].parent)
                scales |=
                    trace->definitions->regions[trace->calltree.paths.items[path].region].name[0] ==
                    'n';
            if (scales) {
                walker->measured += length;
                length = (int64_t)roundl((long double)factor * walker->measured) - walker->scaled;
                walker->scaled += length;
            }
            walker->now += length;
            walker->predicted[row] = walker->now;
            moved = true;
            if (stream->kind[row] != EVENT_ENTER || call_at(stream, row) == MPI_CALL_NONE)
                continue;
            walker->leave = row;
            while (stream->kind[walker->leave] != EVENT_LEAVE)
                walker->leave++;
            for (uint32_t inside = row + 1; inside < walker->leave; inside++)
                walker->predicted[inside] =
                    walker->now + recorded(stream, inside) - recorded(stream, row);
        }
        if (row < walker->leave)
            continue;
        uint32_t enter = stream->arg[walker->leave];
        int64_t end = end_of_call(stream, enter, walker->leave);
        if (end < 0)
            return moved;
        walker->now = walker->predicted[row] = end;
        walker->leave = 0;
        moved = true;
    }
    return moved;
}

static void simulate(void)
{
    walkers = calloc(trace->rank_count, sizeof *walkers);
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        walkers[rank].stream = &trace->streams[rank];
        walkers[rank].predicted = malloc((walkers[rank].stream->count + 1) * sizeof(int64_t));
        memset(walkers[rank].predicted, 0xff, walkers[rank].stream->count * sizeof(int64_t));
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t rank = 0; rank < trace->rank_count; rank++)
            moved |= advance(&walkers[rank]);
    }
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    MPI_Init(&argc, &argv);
    for (int option; (option = getopt(argc, argv, "l:g:s:f:L:G:S:n:r:")) != -1;) {
        if (option == 's')
            within.synchronous_from = strtoull(optarg, NULL, 10);
        else if (option == 'S')
            between.synchronous_from = strtoull(optarg, NULL, 10);
        else if (option == 'n')
            per_node = (uint32_t)atoi(optarg);
        else if (option == 'r')
            places = optarg;
        else
            *(option == 'l'   ? &within.latency
              : option == 'g' ? &within.per_byte
              : option == 'L' ? &between.latency
              : option == 'G' ? &between.per_byte
                              : &factor) = atof(optarg);
    }
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    if (status == STATUS_OK)
        status = trace_load(argv[optind], &processes, &trace, &error);
    if (status != STATUS_OK)
        return log_error(&error);
    simulate();
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        for (uint32_t row = 0; row < walkers[rank].stream->count; row++)
            if (walkers[rank].stream->kind[row] <= EVENT_LEAVE)
                printf("%u %u %lld\n", rank, row, (long long)walkers[rank].predicted[row]);
        free(walkers[rank].predicted);
    }
    free(walkers);
    trace_destroy(trace);
    processes_close(&processes);
    MPI_Finalize();
    return 0;
}
