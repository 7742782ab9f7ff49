#include "random_program.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 5, MOST_OPEN = 24, DEEPEST = 4, LATENCY = 3, LARGE = 4096 };

/* A request that is not completed yet. */
struct unfinished_request {
    char completion[120]; /* the words of its record */
    char test[24];        /* of a test without success */
    char counts[120];     /* of a neighbourhood operation or one with counts; "": none */
    long ready;           /* when it can complete; -1: the other side has not come yet */
    int promise;          /* of a receive that was posted early; -1: it has its sender */
};

struct reduction_program {
    FILE *file;
    uint64_t state;
    int ranks, group; /* the first ranks, which have a communicator "some"; 0: there is none */
    bool contradicts; /* times now and then */
    bool long_steps;  /* long computation is frequent */
    long now[MOST_RANKS];
    int depth[MOST_RANKS];
    int next_request[MOST_RANKS];
    struct unfinished_request open[MOST_RANKS][MOST_OPEN];
    int open_count[MOST_RANKS];
    /* early receives */
    struct {
        int from, to, bytes;
        long posted;
        bool fulfilled;
    } promises[8];
    int promise_count;
};

int reduction_random_below(uint64_t *state, int limit)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int)((z ^ (z >> 31)) % (uint64_t)limit);
}

static int choose_below(struct reduction_program *p, int limit)
{
    return reduction_random_below(&p->state, limit);
}

static bool one_in(struct reduction_program *p, int limit)
{
    return choose_below(p, limit) == 0;
}

static void write_words(struct reduction_program *p, int rank, const char *words)
{
    fprintf(p->file, "%d %ld %s\n", rank, p->now[rank], words);
}

static void enter_named(struct reduction_program *p, int rank, const char *region)
{
    char words[80];
    snprintf(words, sizeof words, "enter %s", region);
    write_words(p, rank, words);
    if (one_in(p, 3))
        p->now[rank] += choose_below(p, 2);
}

static void leave_innermost(struct reduction_program *p, int rank)
{
    if (one_in(p, 2))
        p->now[rank] += choose_below(p, 3);
    write_words(p, rank, "leave");
}

/* The call returns when all that it waits for has arrived. */
static void wait_for_arrival(struct reduction_program *p, int rank, long ready)
{
    if (p->now[rank] < ready && !(p->contradicts && one_in(p, 8)))
        p->now[rank] = ready;
    if (p->contradicts && one_in(p, 8))
        p->now[rank] += choose_below(p, 60);
    if (one_in(p, 2))
        p->now[rank] += choose_below(p, 3);
}

static long duration(struct reduction_program *p)
{
    int kind = choose_below(p, 8);
    if (p->long_steps && kind > 4)
        return choose_below(p, 200);
    return kind < 3   ? 0
           : kind < 6 ? choose_below(p, 5)
           : kind < 7 ? choose_below(p, 30)
                      : choose_below(p, 300);
}

/* Calls that communicate with no rank, and events outside of calls. */
static void small_thing(struct reduction_program *p, int rank)
{
    static const char *const calls[] = {"MPI_Comm_rank", "MPI_Send",  "MPI_Recv",    "MPI_Wait",
                                        "MPI_Send_init", "MPI_Isend", "MPI_Waitany", "MPI_Sendrecv",
                                        "MPI_Iprobe",    "MPI_Probe"};
    char words[40];
    switch (choose_below(p, 12)) {
    case 0:
        write_words(p, rank, "other");
        break;
    case 1:
        snprintf(words, sizeof words, "flush %ld", p->now[rank] + choose_below(p, 5));
        write_words(p, rank, words);
        break;
    case 2: /* completes all that no other call completes */
        enter_named(p, rank, "MPI_Waitall");
        leave_innermost(p, rank);
        break;
    default:
        enter_named(p, rank, calls[choose_below(p, 10)]);
        p->now[rank] += duration(p) / 10;
        leave_innermost(p, rank);
    }
}

static void compute_at_random(struct reduction_program *p, int rank)
{
    static const char *const names[] = {"f", "g", "h", "k"};
    for (int i = choose_below(p, 3); i > 0; i--) {
        if (one_in(p, 5))
            p->now[rank] += duration(p);
        if (one_in(p, 6))
            small_thing(p, rank);
        enter_named(p, rank, names[choose_below(p, 4)]);
        if (one_in(p, 4)) {
            enter_named(p, rank, names[choose_below(p, 4)]);
            p->now[rank] += duration(p);
            leave_innermost(p, rank);
        }
        p->now[rank] += duration(p);
        leave_innermost(p, rank);
    }
    if (p->depth[rank] < DEEPEST && one_in(p, 6)) { /* what follows is in it */
        enter_named(p, rank, names[choose_below(p, 4)]);
        p->depth[rank]++;
    } else if (p->depth[rank] > 0 && one_in(p, 5)) {
        p->depth[rank]--;
        leave_innermost(p, rank);
    }
}

struct packet {
    int from, to, tag, bytes;
    const char *comm;
    bool synchronous, buffered;
    long sent, posted; /* when the send, the receive was posted */
};

static const int sizes[] = {0, 8, 8, 64, 1000, LARGE};

static struct packet make_packet(struct reduction_program *p, int from, int to)
{
    struct packet packet = {.from = from, .to = to, .tag = 1 + choose_below(p, 2), .comm = "world"};
    packet.bytes = sizes[choose_below(p, 6)];
    packet.synchronous = packet.bytes >= LARGE || one_in(p, 8);
    packet.buffered = !packet.synchronous && one_in(p, 8);
    return packet;
}

static long packet_arrival(const struct packet *packet)
{
    long begin = packet->sent;
    if (packet->synchronous && packet->posted > begin)
        begin = packet->posted;
    return begin + LATENCY + packet->bytes / 100;
}

static const char *send_call(const struct packet *packet, bool blocking)
{
    bool explicit = packet->synchronous && packet->bytes < LARGE;
    if (blocking)
        return explicit ? "MPI_Ssend" : packet->buffered ? "MPI_Bsend" : "MPI_Send";
    return explicit ? "MPI_Issend" : packet->buffered ? "MPI_Ibsend" : "MPI_Isend";
}

static void words_of(const struct packet *packet, bool sends, const char *verb, char *words,
                     size_t size)
{
    snprintf(words, size, "%s %s %d %d %d", verb, packet->comm, sends ? packet->to : packet->from,
             packet->tag, packet->bytes);
}

static void write_packet(struct reduction_program *p, const struct packet *packet, bool sends)
{
    char words[100];
    words_of(packet, sends, sends ? "send" : "recv", words, sizeof words);
    write_words(p, sends ? packet->from : packet->to, words);
}

/* Looks for the message, until it has come or once. */
static bool probe(struct reduction_program *p, int rank, long ready)
{
    int rounds = choose_below(p, 4);
    switch (choose_below(p, 12)) {
    case 0:
        enter_named(p, rank, "MPI_Probe");
        wait_for_arrival(p, rank, ready);
        leave_innermost(p, rank);
        if (one_in(p, 3))
            compute_at_random(p, rank);
        return false;
    case 1:
        for (int i = 0; i < rounds; i++) {
            enter_named(p, rank, "MPI_Iprobe");
            if (i == rounds - 1)
                wait_for_arrival(p, rank, ready);
            leave_innermost(p, rank);
            if (one_in(p, 4))
                compute_at_random(p, rank);
            p->now[rank] += choose_below(p, 8);
        }
        return false;
    case 2:
        enter_named(p, rank, "MPI_Mprobe");
        wait_for_arrival(p, rank, ready);
        write_words(p, rank, "matched");
        leave_innermost(p, rank);
        return true;
    default:
        return false;
    }
}

/* A blocking receive of a message that is on its way. */
static void write_receive(struct reduction_program *p, struct packet *packet)
{
    int to = packet->to;
    compute_at_random(p, to);
    packet->posted = p->now[to];
    bool matched = probe(p, to, packet_arrival(packet));
    enter_named(p, to, matched ? "MPI_Mrecv" : "MPI_Recv");
    packet->posted = p->now[to];
    wait_for_arrival(p, to, packet_arrival(packet));
    write_packet(p, packet, false);
    leave_innermost(p, to);
}

static int other_rank(struct reduction_program *p, int rank)
{
    return (rank + 1 + choose_below(p, p->ranks - 1)) % p->ranks;
}

static void send_one(struct reduction_program *p, int from, int to)
{
    struct packet packet = make_packet(p, from, to);
    compute_at_random(p, from);
    if (one_in(p, 10))
        small_thing(p, from);
    enter_named(p, from, send_call(&packet, true));
    write_packet(p, &packet, true);
    packet.sent = p->now[from];
    write_receive(p, &packet);
    if (packet.synchronous)
        wait_for_arrival(p, from, packet.posted);
    p->now[from] += choose_below(p, 3);
    leave_innermost(p, from);
}

static void message_round(struct reduction_program *p)
{
    int from = choose_below(p, p->ranks);
    send_one(p, from, other_rank(p, from));
}

/* Back and forth between two ranks: much of it folds. */
static void ping_pong_round(struct reduction_program *p)
{
    int a = choose_below(p, p->ranks), b = other_rank(p, a);
    for (int i = 1 + choose_below(p, 3); i > 0; i--) {
        send_one(p, a, b);
        send_one(p, b, a);
    }
}

/* From rank 0 to all along a tree. */
static void tree_round(struct reduction_program *p)
{
    for (int step = 1; step < p->ranks; step *= 2)
        for (int r = 0; r < step && r + step < p->ranks; r++)
            send_one(p, r, r + step);
}

/* A ring of Sendrecv. */
static void shift_round(struct reduction_program *p)
{
    struct packet packets[MOST_RANKS];
    for (int r = 0; r < p->ranks; r++) {
        packets[r] = make_packet(p, r, (r + 1) % p->ranks);
        packets[r].synchronous = packets[r].bytes >= LARGE;
        compute_at_random(p, r);
        enter_named(p, r, "MPI_Sendrecv");
        packets[r].sent = p->now[r];
        packets[(r + p->ranks - 1) % p->ranks].posted = p->now[r];
        write_packet(p, &packets[r], true);
    }
    for (int r = 0; r < p->ranks; r++) {
        int from = (r + p->ranks - 1) % p->ranks;
        wait_for_arrival(p, r, packet_arrival(&packets[from]));
        if (packets[r].synchronous)
            wait_for_arrival(p, r, packets[r].posted);
        write_packet(p, &packets[from], false);
        leave_innermost(p, r);
    }
}

/* NULL: too many are open. */
static struct unfinished_request *new_request(struct reduction_program *p, int rank, int *number)
{
    if (p->open_count[rank] == MOST_OPEN)
        return NULL;
    *number = p->next_request[rank]++ % 90;
    struct unfinished_request *request = &p->open[rank][p->open_count[rank]++];
    *request = (struct unfinished_request){.ready = -1, .promise = -1};
    snprintf(request->test, sizeof request->test, "test %d", *number);
    return request;
}

static struct unfinished_request *post_packet_receive(struct reduction_program *p,
                                                      struct packet *packet)
{
    int number, to = packet->to;
    char words[40];
    struct unfinished_request *request = new_request(p, to, &number);
    compute_at_random(p, to);
    enter_named(p, to, one_in(p, 5) ? "MPI_Start" : "MPI_Irecv");
    snprintf(words, sizeof words, "post %d", number);
    write_words(p, to, words);
    packet->posted = p->now[to];
    leave_innermost(p, to);
    words_of(packet, false, "irecv", request->completion, sizeof request->completion - 10);
    sprintf(request->completion + strlen(request->completion), " %d", number);
    return request;
}

static struct unfinished_request *post_packet_send(struct reduction_program *p,
                                                   struct packet *packet)
{
    int number, from = packet->from;
    char words[120];
    struct unfinished_request *request = new_request(p, from, &number);
    compute_at_random(p, from);
    enter_named(p, from, one_in(p, 5) ? "MPI_Start" : send_call(packet, false));
    words_of(packet, true, "isend", words, sizeof words - 10);
    sprintf(words + strlen(words), " %d", number);
    write_words(p, from, words);
    packet->sent = p->now[from];
    leave_innermost(p, from);
    snprintf(request->completion, sizeof request->completion, "isent %d", number);
    return request;
}

static bool has_open_places(const struct reduction_program *p)
{
    for (int r = 0; r < p->ranks; r++)
        if (p->open_count[r] + 6 > MOST_OPEN)
            return false;
    return true;
}

/* Messages that all are posted before any is completed. */
static void exchange_round(struct reduction_program *p)
{
    if (!has_open_places(p))
        return;
    for (int i = 1 + choose_below(p, 4); i > 0 && has_open_places(p); i--) {
        int from = choose_below(p, p->ranks);
        struct packet packet = make_packet(p, from, other_rank(p, from));
        bool receive_first = one_in(p, 2);
        struct unfinished_request *receives =
            receive_first ? post_packet_receive(p, &packet) : NULL;
        struct unfinished_request *sends = post_packet_send(p, &packet);
        if (!receives)
            receives = post_packet_receive(p, &packet);
        receives->ready = packet_arrival(&packet);
        sends->ready = packet.synchronous ? packet.posted : packet.sent;
    }
}

/* A receive that is posted long before its message is sent. */
static void promise_round(struct reduction_program *p)
{
    if (!has_open_places(p) || p->promise_count == 8)
        return;
    int from = choose_below(p, p->ranks), number = p->promise_count++;
    struct packet packet = make_packet(p, from, other_rank(p, from));
    packet.tag = 100 + number;
    struct unfinished_request *request = post_packet_receive(p, &packet);
    request->promise = number;
    p->promises[number].from = packet.from;
    p->promises[number].to = packet.to;
    p->promises[number].bytes = packet.bytes;
    p->promises[number].posted = packet.posted;
    p->promises[number].fulfilled = false;
}

static void fulfil(struct reduction_program *p, int number)
{
    if (number >= p->promise_count || p->promises[number].fulfilled)
        return;
    struct packet packet = {.from = p->promises[number].from,
                            .to = p->promises[number].to,
                            .tag = 100 + number,
                            .bytes = p->promises[number].bytes,
                            .comm = "world",
                            .posted = p->promises[number].posted,
                            .synchronous = p->promises[number].bytes >= LARGE};
    compute_at_random(p, packet.from);
    enter_named(p, packet.from, send_call(&packet, true));
    write_packet(p, &packet, true);
    packet.sent = p->now[packet.from];
    leave_innermost(p, packet.from);
    for (int i = 0; i < p->open_count[packet.to]; i++)
        if (p->open[packet.to][i].promise == number)
            p->open[packet.to][i].ready = packet_arrival(&packet);
    p->promises[number].fulfilled = true;
}

static void complete_open_request(struct reduction_program *p, int rank, int index)
{
    struct unfinished_request *request = &p->open[rank][index];
    write_words(p, rank, request->completion);
    if (request->counts[0])
        write_words(p, rank, request->counts);
    *request = p->open[rank][--p->open_count[rank]];
}

/* One that is ready; -1: none is. */
static int any_ready(struct reduction_program *p, int rank)
{
    if (p->open_count[rank] == 0)
        return -1;
    int first = choose_below(p, p->open_count[rank]);
    for (int i = 0; i < p->open_count[rank]; i++) {
        int index = (first + i) % p->open_count[rank];
        if (p->open[rank][index].ready >= 0)
            return index;
    }
    return -1;
}

static void failed_test(struct reduction_program *p, int rank, const char *call, int index)
{
    enter_named(p, rank, call);
    write_words(p, rank, p->open[rank][index].test);
    leave_innermost(p, rank);
    if (one_in(p, 4))
        compute_at_random(p, rank);
    else if (one_in(p, 6))
        small_thing(p, rank);
    else if (one_in(p, 6))
        send_one(p, rank, other_rank(p, rank));
    p->now[rank] += choose_below(p, 8);
}

/* One call, or one polling loop, that completes some of the requests. */
static void complete_some_requests(struct reduction_program *p, int rank)
{
    int index = any_ready(p, rank), kind = choose_below(p, 6);
    if (index < 0)
        return;
    compute_at_random(p, rank);
    if (kind == 0) { /* a polling loop, perhaps with others' tests in between */
        for (int i = choose_below(p, 4); i > 0; i--)
            failed_test(p, rank, "MPI_Test",
                        one_in(p, 5) ? choose_below(p, p->open_count[rank]) : index);
        enter_named(p, rank, "MPI_Test");
        wait_for_arrival(p, rank, p->open[rank][index].ready);
        complete_open_request(p, rank, index);
        leave_innermost(p, rank);
    } else if (kind == 1) {
        static const char *const calls[] = {"MPI_Waitany", "MPI_Testany"};
        bool tests = one_in(p, 2);
        if (tests && one_in(p, 2))
            failed_test(p, rank, calls[1], choose_below(p, p->open_count[rank]));
        enter_named(p, rank, calls[tests]);
        wait_for_arrival(p, rank, p->open[rank][index].ready);
        for (int i = 0; i < p->open_count[rank]; i++)
            if (i != index && one_in(p, 2))
                write_words(p, rank, p->open[rank][i].test);
        complete_open_request(p, rank, index);
        leave_innermost(p, rank);
    } else if (kind == 2) {
        enter_named(p, rank, "MPI_Wait");
        wait_for_arrival(p, rank, p->open[rank][index].ready);
        complete_open_request(p, rank, index);
        leave_innermost(p, rank);
    } else {
        static const char *const calls[] = {"MPI_Waitall", "MPI_Waitsome", "MPI_Testall"};
        long last = 0;
        int count = 1 + choose_below(p, 4), chosen = 0;
        enter_named(p, rank, calls[kind - 3]);
        for (int i = 0; i < p->open_count[rank] && chosen < count; i++)
            if (p->open[rank][i].ready >= 0) {
                chosen++;
                last = p->open[rank][i].ready > last ? p->open[rank][i].ready : last;
            }
        wait_for_arrival(p, rank, last);
        for (int i = 0; i < p->open_count[rank] && chosen > 0;)
            if (p->open[rank][i].ready >= 0) {
                complete_open_request(p, rank, i);
                chosen--;
            } else {
                i++;
            }
        leave_innermost(p, rank);
    }
}

static void completion_round(struct reduction_program *p)
{
    for (int r = 0; r < p->ranks; r++)
        for (int i = choose_below(p, 3); i > 0; i--)
            complete_some_requests(p, r);
}

/* A send that never completes, or a receive that is cancelled. */
static void abandon_request_round(struct reduction_program *p)
{
    int from = choose_below(p, p->ranks), number;
    char words[40];
    struct packet packet = make_packet(p, from, other_rank(p, from));
    if (!has_open_places(p))
        return;
    if (one_in(p, 2)) {
        packet.synchronous = packet.bytes >= LARGE;
        post_packet_send(p, &packet);
        p->open_count[from]--;
        write_receive(p, &packet);
        return;
    }
    new_request(p, from, &number);
    p->open_count[from]--;
    enter_named(p, from, "MPI_Irecv");
    snprintf(words, sizeof words, "post %d", number);
    write_words(p, from, words);
    leave_innermost(p, from);
    compute_at_random(p, from);
    enter_named(p, from, one_in(p, 2) ? "MPI_Wait" : "MPI_Waitall");
    snprintf(words, sizeof words, "cancel %d", number);
    write_words(p, from, words);
    leave_innermost(p, from);
}

struct program_operation {
    const char *name, *blocking, *nonblocking;
    bool rooted, waits_for_root;
};

static const struct program_operation operations[] = {
    {"barrier", "MPI_Barrier", "MPI_Ibarrier", false, false},
    {"broadcast", "MPI_Bcast", "MPI_Ibcast", true, true},
    {"gather", "MPI_Gather", "MPI_Igather", true, false},
    {"scatter", "MPI_Scatter", "MPI_Iscatter", true, true},
    {"reduce", "MPI_Reduce", "MPI_Ireduce", true, false},
    {"allreduce", "MPI_Allreduce", "MPI_Iallreduce", false, false},
    {"alltoall", "MPI_Alltoall", "MPI_Ialltoall", false, false},
    {"scan", "MPI_Scan", "MPI_Iscan", false, false},
    {"exscan", "MPI_Exscan", "MPI_Iexscan", false, false},
    {"alltoallv", "MPI_Neighbor_alltoallv", "MPI_Ineighbor_alltoallv", false, false},
};
enum { OPERATIONS = sizeof operations / sizeof *operations, NEIGHBOUR = OPERATIONS - 1 };

struct program_instance {
    const struct program_operation *operation;
    const char *comm;
    int members, root, bytes;
};

static struct program_instance choose_instance(struct reduction_program *p)
{
    struct program_instance instance = {.operation = &operations[choose_below(p, OPERATIONS)],
                                        .comm = "world",
                                        .members = p->ranks,
                                        .bytes = 8 * choose_below(p, 3)};
    if (p->group > 1 && one_in(p, 3)) {
        instance.comm = "some";
        instance.members = p->group;
    } else if (one_in(p, 4)) {
        instance.comm = "turned";
    }
    instance.root = choose_below(p, instance.members);
    return instance;
}

/* The member with a rank in the communicator, and the reverse, which is the same. */
static int member(const struct reduction_program *p, const struct program_instance *instance,
                  int rank)
{
    return strcmp(instance->comm, "turned") == 0 ? p->ranks - 1 - rank : rank;
}

static void words_of_operation(const struct program_instance *instance, char *words, size_t size)
{
    char root[12] = "-";
    if (instance->operation->rooted)
        snprintf(root, sizeof root, "%d", instance->root);
    int bytes = strcmp(instance->operation->name, "barrier") == 0 ? 0 : instance->bytes;
    snprintf(words, size, "%s %s %s %d %d", instance->operation->name, instance->comm, root, bytes,
             bytes);
}

/* The two members beside this one in the communicator. */
static void words_of_neighbours(const struct program_instance *instance, int rank, char *words,
                                size_t size)
{
    words[0] = '\0';
    if (instance->operation == &operations[NEIGHBOUR])
        snprintf(words, size, "neighbours %d:8 %d:8",
                 (rank + instance->members - 1) % instance->members,
                 (rank + 1) % instance->members);
}

/* When a member may leave, from when all have begun. */
static long operation_end(const struct reduction_program *p,
                          const struct program_instance *instance, const long *begins, int rank)
{
    const struct program_operation *operation = instance->operation;
    int me = member(p, instance, rank), root = member(p, instance, instance->root);
    long last = begins[rank];
    for (int i = 0; i < instance->members; i++) {
        int other = member(p, instance, i);
        bool counts = true;
        if (operation->waits_for_root)
            counts = other == root;
        else if (operation->rooted)
            counts = rank == root;
        else if (operation == &operations[7] || operation == &operations[8])
            counts = i < me;
        else if (operation == &operations[NEIGHBOUR])
            counts = abs(i - me) <= 1 || abs(i - me) == instance->members - 1;
        if (counts && begins[other] > last)
            last = begins[other];
    }
    return last;
}

static void collective_round(struct reduction_program *p)
{
    const struct program_instance instance = choose_instance(p);
    long begins[MOST_RANKS] = {0};
    char words[100];
    for (int i = 0; i < instance.members; i++) {
        int r = member(p, &instance, i);
        compute_at_random(p, r);
        enter_named(p, r, instance.operation->blocking);
        begins[r] = p->now[r];
        write_words(p, r, "begin");
    }
    for (int i = 0; i < instance.members; i++) {
        int r = member(p, &instance, i);
        wait_for_arrival(p, r, operation_end(p, &instance, begins, r));
        strcpy(words, "end ");
        words_of_operation(&instance, words + 4, sizeof words - 4);
        write_words(p, r, words);
        words_of_neighbours(&instance, i, words, sizeof words);
        if (words[0])
            write_words(p, r, words);
        leave_innermost(p, r);
    }
}

static void nonblocking_round(struct reduction_program *p)
{
    const struct program_instance instance = choose_instance(p);
    long begins[MOST_RANKS] = {0};
    struct unfinished_request *requests[MOST_RANKS];
    int number;
    if (!has_open_places(p))
        return;
    for (int i = 0; i < instance.members; i++) {
        int r = member(p, &instance, i);
        char words[40];
        requests[r] = new_request(p, r, &number);
        compute_at_random(p, r);
        enter_named(p, r, instance.operation->nonblocking);
        begins[r] = p->now[r];
        snprintf(words, sizeof words, "ibegin %d", number);
        write_words(p, r, words);
        leave_innermost(p, r);
        strcpy(requests[r]->completion, "iend ");
        words_of_operation(&instance, requests[r]->completion + 5, 90);
        sprintf(requests[r]->completion + strlen(requests[r]->completion), " %d", number);
        snprintf(requests[r]->test, sizeof requests[r]->test, "testop %d", number);
        words_of_neighbours(&instance, i, requests[r]->counts, sizeof requests[r]->counts);
    }
    for (int i = 0; i < instance.members; i++) {
        int r = member(p, &instance, i);
        requests[r]->ready = operation_end(p, &instance, begins, r);
    }
}

static void write_program_communicators(struct reduction_program *p)
{
    fprintf(p->file, "ranks %d\ncomm turned", p->ranks);
    for (int r = p->ranks - 1; r >= 0; r--)
        fprintf(p->file, " %d", r);
    if (p->group > 1) {
        fprintf(p->file, "\ncomm some");
        for (int r = 0; r < p->group; r++)
            fprintf(p->file, " %d", r);
    }
    fputc('\n', p->file);
}

void reduction_program_write(uint64_t seed, FILE *file)
{
    static void (*const rounds[])(struct reduction_program *) = {
        message_round,         message_round,    message_round,    ping_pong_round,
        ping_pong_round,       tree_round,       shift_round,      exchange_round,
        exchange_round,        exchange_round,   promise_round,    collective_round,
        completion_round,      completion_round, collective_round, nonblocking_round,
        abandon_request_round, completion_round};
    enum { ROUNDS = sizeof rounds / sizeof *rounds };
    struct reduction_program *p = calloc(1, sizeof *p);
    *p = (struct reduction_program){.file = file, .state = seed};
    p->ranks = 2 + choose_below(p, MOST_RANKS - 1);
    p->group = choose_below(p, p->ranks + 1);
    p->contradicts = one_in(p, 5);
    p->long_steps = one_in(p, 3);
    int allowed = one_in(p, 2) ? ROUNDS : 1 + choose_below(p, ROUNDS),
        from = choose_below(p, ROUNDS);
    write_program_communicators(p);
    for (int r = 0; r < p->ranks; r++) {
        enter_named(p, r, "main");
        enter_named(p, r, "MPI_Init");
        leave_innermost(p, r);
    }
    for (int i = 3 + choose_below(p, 25); i > 0; i--) {
        rounds[(from + choose_below(p, allowed)) % ROUNDS](p);
        if (one_in(p, 5))
            fulfil(p, choose_below(p, 8));
    }
    for (int number = 0; number < p->promise_count; number++)
        fulfil(p, number);
    for (int r = 0; r < p->ranks; r++)
        while (p->open_count[r] > 0)
            complete_some_requests(p, r);
    for (int r = 0; r < p->ranks; r++) {
        compute_at_random(p, r);
        while (p->depth[r]-- > 0)
            leave_innermost(p, r);
        enter_named(p, r, "MPI_Finalize");
    }
    long last = 0;
    for (int r = 0; r < p->ranks; r++)
        last = p->now[r] > last ? p->now[r] : last;
    for (int r = 0; r < p->ranks; r++) {
        wait_for_arrival(p, r, last);
        leave_innermost(p, r);
        leave_innermost(p, r);
    }
    free(p);
}
