/* The cost of sending a difference and a time stamp along with each message: the ways that were
 * tried for the reduction while a program runs (doc/reduction.md). Two ranks play ping-pong, or
 * reduce; prints "way size: nanoseconds a message", and ns for collective operations. */
#include "reduce/rules/difference.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 4000, WARM_UP = 400, MOST = 65536, PLACES = 64 };

struct extra {
    double time;
    struct difference difference;
};

/* Side channel: a ring in shared memory for each direction. */
struct shared_ring {
    _Atomic unsigned written, read;
    struct extra items[PLACES];
};

static int rank;
static char data[MOST], joined[MOST + sizeof(struct extra)];
static struct extra extra;
static MPI_Comm second;
static struct shared_ring *rings[2]; /* by sender */
static MPI_Datatype two_parts;

/* Keeps the compiler from removing the receives. */
static void use_received(void)
{
    __asm__ volatile("" ::"r"(&extra) : "memory");
}

static void plain(int size, bool sends)
{
    if (sends)
        MPI_Send(data, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(data, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void second_message(int size, bool sends)
{
    plain(size, sends);
    if (sends)
        MPI_Send(&extra, sizeof extra, MPI_BYTE, 1 - rank, 0, second);
    else
        MPI_Recv(&extra, sizeof extra, MPI_BYTE, 1 - rank, 0, second, MPI_STATUS_IGNORE);
}

static void make_joint_type(int size)
{
    const int lengths[] = {size, sizeof extra};
    const MPI_Datatype types[] = {MPI_BYTE, MPI_BYTE};
    MPI_Aint places[2];
    MPI_Get_address(data, &places[0]);
    MPI_Get_address(&extra, &places[1]);
    MPI_Type_create_struct(2, lengths, places, types, &two_parts);
    MPI_Type_commit(&two_parts);
}

static void send_typed(bool sends)
{
    if (sends)
        MPI_Send(MPI_BOTTOM, 1, two_parts, 1 - rank, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(MPI_BOTTOM, 1, two_parts, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void new_type(int size, bool sends)
{
    make_joint_type(size);
    send_typed(sends);
    MPI_Type_free(&two_parts);
}

/* A cache of types, at its best: the program always uses the same buffer and size. */
static void kept_type(int size, bool sends)
{
    (void)size;
    send_typed(sends);
}

static void copied(int size, bool sends)
{
    int length = size + (int)sizeof extra;
    if (sends) {
        memcpy(joined, data, (size_t)size);
        memcpy(joined + size, &extra, sizeof extra);
        MPI_Send(joined, length, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Recv(joined, length, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(data, joined, (size_t)size);
    memcpy(&extra, joined + size, sizeof extra);
}

static void side_channel(int size, bool sends)
{
    struct shared_ring *ring = rings[sends ? rank : 1 - rank];
    if (sends) {
        unsigned at = atomic_load_explicit(&ring->written, memory_order_relaxed);
        ring->items[at % PLACES] = extra;
        atomic_store_explicit(&ring->written, at + 1, memory_order_release);
    }
    plain(size, sends);
    if (!sends) {
        unsigned at = atomic_load_explicit(&ring->read, memory_order_relaxed);
        while (atomic_load_explicit(&ring->written, memory_order_acquire) == at)
            ;
        extra = ring->items[at % PLACES];
        atomic_store_explicit(&ring->read, at + 1, memory_order_relaxed);
    }
}

static void measure_way(const char *name, int size, void (*way)(int size, bool sends))
{
    double begin = 0;
    for (int i = 0; i < WARM_UP + MESSAGES; i++) {
        if (i == WARM_UP)
            begin = MPI_Wtime();
        way(size, i % 2 == rank);
        use_received();
    }
    double ns = (MPI_Wtime() - begin) * 1e9 / MESSAGES;
    if (rank == 0)
        printf("%s %d: %.1f\n", name, size, ns);
}

static void reduce_extras(int extras)
{
    struct extra all[2];
    double in = 1, out, latest;
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (extras == 1)
        MPI_Allreduce(&extra.time, &latest, 1, MPI_DOUBLE, MPI_MAX, second);
    if (extras == 2)
        MPI_Allgather(&extra, sizeof extra, MPI_BYTE, all, sizeof extra, MPI_BYTE, second);
}

static void measure_reduce(const char *name, int extras)
{
    double begin = 0;
    for (int i = 0; i < WARM_UP + MESSAGES; i++) {
        if (i == WARM_UP)
            begin = MPI_Wtime();
        reduce_extras(extras);
    }
    double ns = (MPI_Wtime() - begin) * 1e9 / MESSAGES;
    if (rank == 0)
        printf("%s 8: %.1f\n", name, ns);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {8, 1024, 65536};
    MPI_Win window;
    struct shared_ring *own;
    int unit;
    MPI_Aint bytes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    MPI_Win_allocate_shared(sizeof *own, 1, MPI_INFO_NULL, second, &own, &window);
    memset(own, 0, sizeof *own);
    for (int r = 0; r < 2; r++)
        MPI_Win_shared_query(window, r, &bytes, &unit, &rings[r]);
    MPI_Barrier(second);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        measure_way("plain", sizes[s], plain);
        measure_way("second_message", sizes[s], second_message);
        measure_way("copy", sizes[s], copied);
        measure_way("type_made_each_time", sizes[s], new_type);
        make_joint_type(sizes[s]);
        measure_way("type_kept", sizes[s], kept_type);
        MPI_Type_free(&two_parts);
        measure_way("side_channel", sizes[s], side_channel);
    }
    measure_reduce("allreduce", 0);
    measure_reduce("allreduce_and_reduction", 1);
    measure_reduce("allreduce_and_allgather", 2);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
