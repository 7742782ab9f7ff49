/* Micro-programs for bench/replay/kinds: one kind of communication again and again, with or without
 * computation in between.
 *   mpiexec -np N bench/replay/kinds_program KIND BYTES WORK COUNT      prints the seconds of an
 * iteration bench/replay/kinds_program list       the kinds bench/replay/kinds_program speed of the
 * cores, in 1e9 dependent additions per second BYTES: of a message, or of what a rank gives to
 * another; WORK: 1, or 0 for no computation. */
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct setting {
    int rank, size, next, before; /* next and before: in the ring of ranks */
    int bytes, count;             /* count: of doubles in `bytes` */
    double *send, *recv;          /* `bytes` for each rank */
    int *counts, *offsets;        /* of doubles, for all ranks */
    MPI_Win window;
    double *memory; /* of the window */
    MPI_Group others;
    MPI_Comm cart;
    MPI_Request requests[2];
    MPI_Datatype type;
    MPI_Op op;
    int *lengths, *places; /* of blocks of a datatype */
};

static void pingpong(struct setting *s)
{
    if (s->rank % 2 == 0) {
        MPI_Send(s->send, s->count, MPI_DOUBLE, s->next, 1, MPI_COMM_WORLD);
        MPI_Recv(s->recv, s->count, MPI_DOUBLE, s->next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(s->recv, s->count, MPI_DOUBLE, s->before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(s->send, s->count, MPI_DOUBLE, s->before, 1, MPI_COMM_WORLD);
    }
}

static void exchange_begin(struct setting *s)
{
    MPI_Irecv(s->recv, s->count, MPI_DOUBLE, s->before, 2, MPI_COMM_WORLD, &s->requests[0]);
    MPI_Isend(s->send, s->count, MPI_DOUBLE, s->next, 2, MPI_COMM_WORLD, &s->requests[1]);
}

static void isend(struct setting *s)
{
    exchange_begin(s);
    MPI_Waitall(2, s->requests, MPI_STATUSES_IGNORE);
}

static void test(struct setting *s)
{
    int done = 0;
    exchange_begin(s);
    while (!done)
        MPI_Test(&s->requests[0], &done, MPI_STATUS_IGNORE);
    MPI_Wait(&s->requests[1], MPI_STATUS_IGNORE);
}

static void sendrecv(struct setting *s)
{
    MPI_Sendrecv(s->send, s->count, MPI_DOUBLE, s->next, 3, s->recv, s->count, MPI_DOUBLE,
                 s->before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void bcast(struct setting *s)
{
    MPI_Bcast(s->send, s->count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void reduce(struct setting *s)
{
    MPI_Reduce(s->send, s->recv, s->count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allreduce(struct setting *s)
{
    MPI_Allreduce(s->send, s->recv, s->count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* Integers, as IS and many index computations reduce. */
static void allreduce_int(struct setting *s)
{
    MPI_Allreduce(s->send, s->recv, 2 * s->count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void alltoall(struct setting *s)
{
    MPI_Alltoall(s->send, s->count, MPI_DOUBLE, s->recv, s->count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void alltoallv(struct setting *s)
{
    MPI_Alltoallv(s->send, s->counts, s->offsets, MPI_DOUBLE, s->recv, s->counts, s->offsets,
                  MPI_DOUBLE, MPI_COMM_WORLD);
}

static void allgather(struct setting *s)
{
    MPI_Allgather(s->send, s->count, MPI_DOUBLE, s->recv, s->count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void reduce_scatter(struct setting *s)
{
    MPI_Reduce_scatter(s->send, s->recv, s->counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void iallreduce(struct setting *s)
{
    int done = 0;
    MPI_Iallreduce(s->send, s->recv, s->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                   &s->requests[0]);
    while (!done)
        MPI_Test(&s->requests[0], &done, MPI_STATUS_IGNORE);
}

static void ibcast(struct setting *s)
{
    MPI_Ibcast(s->send, s->count, MPI_DOUBLE, 0, MPI_COMM_WORLD, &s->requests[0]);
    MPI_Wait(&s->requests[0], MPI_STATUS_IGNORE);
}

static void barrier(struct setting *s)
{
    (void)s;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void lock_all(struct setting *s)
{
    MPI_Win_lock_all(0, s->window);
}

static void unlock_all(struct setting *s)
{
    MPI_Win_unlock_all(s->window);
}

static void put(struct setting *s)
{
    MPI_Put(s->send, s->count, MPI_DOUBLE, s->next, 0, s->count, MPI_DOUBLE, s->window);
    MPI_Win_flush(s->next, s->window);
}

static void get(struct setting *s)
{
    MPI_Get(s->recv, s->count, MPI_DOUBLE, s->next, 0, s->count, MPI_DOUBLE, s->window);
    MPI_Win_flush(s->next, s->window);
}

static void accumulate(struct setting *s)
{
    MPI_Accumulate(s->send, s->count, MPI_DOUBLE, s->next, 0, s->count, MPI_DOUBLE, MPI_SUM,
                   s->window);
    MPI_Win_flush(s->next, s->window);
}

static void fence(struct setting *s)
{
    MPI_Put(s->send, s->count, MPI_DOUBLE, s->next, 0, s->count, MPI_DOUBLE, s->window);
    MPI_Win_fence(0, s->window);
}

static void first_fence(struct setting *s)
{
    MPI_Win_fence(0, s->window);
}

static void pscw(struct setting *s)
{
    MPI_Win_post(s->others, 0, s->window);
    MPI_Win_start(s->others, 0, s->window);
    MPI_Put(s->send, s->count, MPI_DOUBLE, s->next, 0, s->count, MPI_DOUBLE, s->window);
    MPI_Win_complete(s->window);
    MPI_Win_wait(s->window);
}

static void lock(struct setting *s)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, s->next, 0, s->window);
    MPI_Put(s->send, s->count, MPI_DOUBLE, s->next, 0, s->count, MPI_DOUBLE, s->window);
    MPI_Win_unlock(s->next, s->window);
}

static void make_persistent(struct setting *s)
{
    MPI_Recv_init(s->recv, s->count, MPI_DOUBLE, s->before, 4, MPI_COMM_WORLD, &s->requests[0]);
    MPI_Send_init(s->send, s->count, MPI_DOUBLE, s->next, 4, MPI_COMM_WORLD, &s->requests[1]);
}

static void free_persistent(struct setting *s)
{
    MPI_Request_free(&s->requests[0]);
    MPI_Request_free(&s->requests[1]);
}

static void persistent(struct setting *s)
{
    MPI_Startall(2, s->requests);
    MPI_Waitall(2, s->requests, MPI_STATUSES_IGNORE);
}

/* Two neighbours, which may be the same rank. */
static void neighbour(struct setting *s)
{
    MPI_Neighbor_alltoall(s->send, s->count, MPI_DOUBLE, s->recv, s->count, MPI_DOUBLE, s->cart);
}

static void make_cart(struct setting *s)
{
    int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &s->size, &periodic, 0, &s->cart);
}

static void free_cart(struct setting *s)
{
    MPI_Comm_free(&s->cart);
}

/* Every second double, in one block each, or of different lengths. */
static void make_column(struct setting *s)
{
    MPI_Type_vector(s->count, 1, 2, MPI_DOUBLE, &s->type);
    MPI_Type_commit(&s->type);
}

static void make_indexed(struct setting *s)
{
    const int blocks = (s->count + 3) / 4;
    for (int i = 0; i < blocks; i++) {
        s->lengths[i] = i + 1 < blocks ? 4 : s->count - 4 * i;
        s->places[i] = 7 * i;
    }
    MPI_Type_indexed(blocks, s->lengths, s->places, MPI_DOUBLE, &s->type);
    MPI_Type_commit(&s->type);
}

/* A double of two, by a structure with a gap. */
static void make_particle(struct setting *s)
{
    MPI_Datatype data;
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 12},
                           (MPI_Datatype[]){MPI_INT, MPI_INT}, &data);
    MPI_Type_create_resized(data, 0, 2 * (MPI_Aint)sizeof(double), &s->type);
    MPI_Type_commit(&s->type);
    MPI_Type_free(&data);
}

static void free_type(struct setting *s)
{
    MPI_Type_free(&s->type);
}

static void exchange_column(struct setting *s)
{
    MPI_Sendrecv(s->send, 1, s->type, s->next, 5, s->recv, 1, s->type, s->before, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void exchange_particles(struct setting *s)
{
    MPI_Sendrecv(s->send, s->count, s->type, s->next, 6, s->recv, s->count, s->type, s->before, 6,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void bcast_column(struct setting *s)
{
    MPI_Bcast(s->send, 1, s->type, 0, MPI_COMM_WORLD);
}

static void own_operator(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)inout)[i] = sqrt(((double *)inout)[i] * ((double *)in)[i]) + 1e-9;
}

static void make_operator(struct setting *s)
{
    MPI_Op_create(own_operator, 1, &s->op);
}

static void make_ordered_operator(struct setting *s)
{
    MPI_Op_create(own_operator, 0, &s->op);
}

static void free_operator(struct setting *s)
{
    MPI_Op_free(&s->op);
}

static void own_allreduce(struct setting *s)
{
    MPI_Allreduce(s->send, s->recv, s->count, MPI_DOUBLE, s->op, MPI_COMM_WORLD);
}

static const struct kind {
    const char *name;
    void (*iterate)(struct setting *);
    void (*before)(struct setting *), (*after)(struct setting *); /* the iterations; may be NULL */
} kinds[] = {
    {"pingpong", pingpong, NULL, NULL},
    {"isend", isend, NULL, NULL},
    {"test", test, NULL, NULL},
    {"sendrecv", sendrecv, NULL, NULL},
    {"bcast", bcast, NULL, NULL},
    {"reduce", reduce, NULL, NULL},
    {"allreduce", allreduce, NULL, NULL},
    {"allreduce_int", allreduce_int, NULL, NULL},
    {"alltoall", alltoall, NULL, NULL},
    {"alltoallv", alltoallv, NULL, NULL},
    {"allgather", allgather, NULL, NULL},
    {"reduce_scatter", reduce_scatter, NULL, NULL},
    {"iallreduce", iallreduce, NULL, NULL},
    {"ibcast", ibcast, NULL, NULL},
    {"barrier", barrier, NULL, NULL},
    {"put", put, lock_all, unlock_all},
    {"get", get, lock_all, unlock_all},
    {"accumulate", accumulate, lock_all, unlock_all},
    {"fence", fence, first_fence, NULL},
    {"pscw", pscw, NULL, NULL},
    {"lock", lock, NULL, NULL},
    {"persistent", persistent, make_persistent, free_persistent},
    {"neighbour", neighbour, make_cart, free_cart},
    {"column", exchange_column, make_column, free_type},
    {"indexed", exchange_column, make_indexed, free_type},
    {"particles", exchange_particles, make_particle, free_type},
    {"column_bcast", bcast_column, make_column, free_type},
    {"own_allreduce", own_allreduce, make_operator, free_operator},
    {"own_ordered", own_allreduce, make_ordered_operator, free_operator},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* An iteration goes through the next 64 KiB of 8 MiB. */
enum { STEP = 8192, FIELD = 1 << 20 };

static double field[FIELD];

static void work(int iteration)
{
    double *part = field + (size_t)iteration * STEP % FIELD;
    for (int i = 1; i < STEP; i++)
        part[i] = part[i] * 0.999 + part[i - 1] * 1e-3 + 1e-9;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The best of some short loops, on each core; the slowest core counts. */
static int print_speed(void)
{
    enum { ADDITIONS = 4000000, LOOPS = 4 };
    double slowest = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0)
            continue;
        double best = 0;
        for (int loop = 0; loop < LOOPS; loop++) {
            uint64_t sum = 0;
            double begin = now();
            for (int i = 0; i < ADDITIONS; i++) {
                sum += (uint64_t)i;
                __asm__ volatile("" : "+r"(sum));
            }
            double speed = ADDITIONS * 1e-9 / (now() - begin);
            best = speed > best ? speed : best;
        }
        slowest = slowest == 0 || best < slowest ? best : slowest;
    }
    printf("speed: %.4f\n", slowest);
    return 0;
}

static const struct kind *find_kind(const char *name)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    fprintf(stderr, "kinds_program: unknown kind %s; `list` prints all kinds\n", name);
    exit(2);
}

static void open_setting(struct setting *s, int bytes)
{
    MPI_Group world;
    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->size);
    s->next = (s->rank + 1) % s->size;
    s->before = (s->rank + s->size - 1) % s->size;
    s->bytes = bytes;
    s->count = bytes / (int)sizeof(double);
    size_t total = (size_t)bytes * (size_t)(s->size > 2 ? s->size : 2);
    s->send = malloc(total);
    s->recv = malloc(total); /* MPI is the first that touches it */
    s->counts = malloc((size_t)s->size * sizeof(int));
    s->offsets = malloc((size_t)s->size * sizeof(int));
    s->lengths = malloc((size_t)bytes * sizeof(int));
    s->places = malloc((size_t)bytes * sizeof(int));
    for (size_t i = 0; i < total / sizeof(double); i++)
        s->send[i] = 1e-3;
    for (int i = 0; i < s->size; i++) {
        s->counts[i] = s->count;
        s->offsets[i] = i * s->count;
    }
    int peers[] = {s->next, s->before};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, s->size > 2 ? 2 : 1, peers, &s->others);
    MPI_Group_free(&world);
    MPI_Win_allocate((MPI_Aint)total, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &s->memory,
                     &s->window);
    memset(s->memory, 0, total);
    for (int i = 0; i < FIELD; i++)
        field[i] = 1e-3;
}

static void close_setting(struct setting *s)
{
    MPI_Win_free(&s->window);
    MPI_Group_free(&s->others);
    free(s->send);
    free(s->recv);
    free(s->counts);
    free(s->offsets);
    free(s->lengths);
    free(s->places);
}

int main(int argc, char **argv)
{
    struct setting setting = {.cart = MPI_COMM_NULL};
    if (argc == 2 && strcmp(argv[1], "speed") == 0)
        return print_speed();
    for (int i = 0; argc == 2 && strcmp(argv[1], "list") == 0 && i < KINDS; i++)
        puts(kinds[i].name);
    if (argc == 2)
        return strcmp(argv[1], "list") == 0 ? 0 : 2;
    if (argc != 5 || atoi(argv[2]) < (int)sizeof(double) || atoi(argv[4]) < 1) {
        fprintf(stderr, "usage: %s KIND BYTES WORK COUNT | list | speed\n", argv[0]);
        return 2;
    }
    const struct kind *kind = find_kind(argv[1]);
    int works = atoi(argv[3]), count = atoi(argv[4]);
    MPI_Init(&argc, &argv);
    open_setting(&setting, atoi(argv[2]));
    if (kind->before)
        kind->before(&setting);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now();
    for (int i = 0; i < count; i++) {
        if (works)
            work(i);
        kind->iterate(&setting);
    }
    double end = now();
    if (kind->after)
        kind->after(&setting);
    MPI_Barrier(MPI_COMM_WORLD);
    close_setting(&setting);
    if (setting.rank == 0)
        printf("iteration: %.9f\n", (end - begin) / count);
    MPI_Finalize();
    return 0;
}
