/* Writes the OTF2 archive of an image registration (examples/registration_plan.h) with computed
 * times; equal arguments give equal archives.
 *
 *     registration DIR [RANKS] [SEED]
 *
 * DIR must not exist; there are 64 ranks and the seed is 1 if nothing else is said. On 64 ranks,
 * the calls of MPI are exactly the 182,760 events of the paper's Table I: an enter and a leave
 * each. The calls of iteration i are inside of region iteration_<i>.
 *
 * A local computation lasts a millisecond on average. Times of messages are those of LogGPS with
 * the values of the paper's cluster: a message arrives after a latency and its bytes over the
 * bandwidth, whether it is awaited or not (asynchronous), and a receive that comes earlier waits.
 */
#include "bench/trace/generate_archive.h"
#include "examples/registration_plan.h"

#include <stdio.h>
#include <stdlib.h>

enum { TAG, OVERHEAD_NS = 1000, LATENCY_NS = 8000, NS_PER_BYTE = 4, COMPUTATION_NS = 1000000 };

struct world {
    struct archive archive;
    uint64_t *now; /* [ranks], ns */
};

static void enter(struct world *world, int rank, enum generated_region region)
{
    archive_check(
        OTF2_EvtWriter_Enter(world->archive.writers[rank], NULL, world->now[rank], region),
        "enter");
}

static void leave(struct world *world, int rank, enum generated_region region)
{
    archive_check(
        OTF2_EvtWriter_Leave(world->archive.writers[rank], NULL, world->now[rank], region),
        "leave");
}

/* Posts a message; returns when it arrives. */
static uint64_t post(struct world *world, int from, int to, int bytes)
{
    world->now[from] += OVERHEAD_NS;
    archive_check(OTF2_EvtWriter_MpiSend(world->archive.writers[from], NULL, world->now[from],
                                         (uint32_t)to, COMM_WORLD, TAG, (uint64_t)bytes),
                  "send");
    return world->now[from] + LATENCY_NS + (uint64_t)NS_PER_BYTE * (uint64_t)bytes;
}

static void wait_until(struct world *world, int rank, uint64_t time)
{
    if (world->now[rank] < time)
        world->now[rank] = time;
}

static void receive(struct world *world, int rank, int from, int bytes, uint64_t arrival)
{
    wait_until(world, rank, arrival);
    world->now[rank] += OVERHEAD_NS;
    archive_check(OTF2_EvtWriter_MpiRecv(world->archive.writers[rank], NULL, world->now[rank],
                                         (uint32_t)from, COMM_WORLD, TAG, (uint64_t)bytes),
                  "receive");
}

static void pass_region(void *context, int rank, enum registration_region region, bool enters)
{
    const enum generated_region known = REGION_REGISTRATION + region;
    (enters ? enter : leave)(context, rank, known);
}

static void compute(void *context, int rank, double share)
{
    struct world *world = context;
    world->now[rank] += (uint64_t)(share * COMPUTATION_NS);
}

static void transfer(void *context, int from, int to, int bytes, uint32_t number)
{
    struct world *world = context;
    (void)number;
    enter(world, from, REGION_SEND);
    const uint64_t arrival = post(world, from, to, bytes);
    leave(world, from, REGION_SEND);
    enter(world, to, REGION_RECV);
    receive(world, to, from, bytes, arrival);
    leave(world, to, REGION_RECV);
}

static void exchange(void *context, int rank, int other, int bytes, uint32_t number)
{
    struct world *world = context;
    (void)number;
    enter(world, rank, REGION_SENDRECV);
    enter(world, other, REGION_SENDRECV);
    const uint64_t there = post(world, rank, other, bytes), back = post(world, other, rank, bytes);
    receive(world, rank, other, bytes, back);
    receive(world, other, rank, bytes, there);
    leave(world, rank, REGION_SENDRECV);
    leave(world, other, REGION_SENDRECV);
}

/* MPI_Init and MPI_Finalize. */
static void synchronise(struct world *world, enum generated_region region)
{
    uint64_t latest = 0;
    for (int rank = 0; rank < world->archive.ranks; rank++) {
        enter(world, rank, region);
        latest = latest < world->now[rank] ? world->now[rank] : latest;
    }
    for (int rank = 0; rank < world->archive.ranks; rank++) {
        wait_until(world, rank, latest + LATENCY_NS);
        leave(world, rank, region);
    }
}

static void generate(struct world *world, const struct registration *registration)
{
    const struct registration_sink sink = {world, pass_region, compute, transfer, exchange};
    for (int rank = 0; rank < registration->ranks; rank++)
        enter(world, rank, REGION_MAIN);
    synchronise(world, REGION_INIT);
    if (!registration_walk(registration, &sink))
        archive_check(OTF2_ERROR_MEM_FAULT, "group");
    synchronise(world, REGION_FINALIZE);
    for (int rank = 0; rank < registration->ranks; rank++)
        leave(world, rank, REGION_MAIN);
}

int main(int argc, char **argv)
{
    struct world world = {0};
    const long ranks = argc > 2 ? strtol(argv[2], NULL, 10) : 64;
    const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    if (argc < 2 || argc > 4 || ranks < REGISTRATION_LEAST_RANKS || ranks > 100000) {
        fprintf(stderr, "Usage: registration DIR [RANKS] [SEED], with %d ranks at least\n",
                REGISTRATION_LEAST_RANKS);
        return 2;
    }
    const struct registration registration = {
        .ranks = (int)ranks, .seed = seed, .iterations = REGISTRATION_ITERATIONS, .search = true};
    world.now = calloc((size_t)ranks, sizeof *world.now);
    if (!world.now)
        archive_check(OTF2_ERROR_MEM_FAULT, "ranks");
    archive_create(&world.archive, argv[1], (int)ranks, 1);
    archive_open_writers(&world.archive, 0, (int)ranks);
    generate(&world, &registration);
    uint64_t end = 0;
    for (long rank = 0; rank < ranks; rank++)
        end = end < world.now[rank] ? world.now[rank] : end;
    archive_close_writers(&world.archive, 0, (int)ranks);
    archive_finish(&world.archive, end);
    free(world.now);
    return 0;
}
