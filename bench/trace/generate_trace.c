/* Writes a random but consistent OTF2 archive of any size; equal seeds give equal archives.
 *
 *     generate_trace [-o DIR] [-r RANKS] [-n RANKS-PER-NODE] [-e EVENTS] [-s SEED]
 *                    [-f FAMILY[,FAMILY...]] [-p PERIOD]
 *
 * EVENTS is the number of rows per rank, reached within one round. A round is one step of all
 * ranks (visit functions, exchange messages, enter a collective operation); its family is
 * chosen at random, and the random numbers repeat after PERIOD rounds. Times are those of a machine
 * with a latency of 1 us, so waiting is realistic.
 */
#include "bench/trace/generate_archive.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LATENCY_NS = 1000, CALL_NS = 200, TAGS = 3 };

struct world {
    struct archive archive;
    uint64_t *now;    /* [ranks], ns */
    uint64_t *rows;   /* [ranks] */
    uint64_t *posted; /* [ranks], when a rank has posted its send in this round */
    uint64_t request, seed;
};

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014) */
static uint64_t random_next(struct world *world)
{
    uint64_t z = world->seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t random_below(struct world *world, uint64_t limit)
{
    return random_next(world) % limit;
}

static uint64_t random_bytes(struct world *world)
{
    return random_below(world, 8) == 0 ? 0 : 8 * random_below(world, 4096);
}

/* OTF2_EvtWriter_FUNCTION for the next event of a rank whose events are written in this pass. */
#define WRITE(function, world, rank, ...)                                                    \
    do {                                                                                     \
        OTF2_EvtWriter *writer_ = (world)->archive.writers[rank];                            \
        if (writer_)                                                                         \
            archive_check(                                                                   \
                OTF2_EvtWriter_##function(writer_, NULL, (world)->now[rank], ##__VA_ARGS__), \
                #function);                                                                  \
    } while (0)

static void enter(struct world *world, int rank, enum generated_region region)
{
    WRITE(Enter, world, rank, region);
    world->rows[rank]++;
}

static void leave(struct world *world, int rank, enum generated_region region)
{
    world->now[rank] += CALL_NS;
    WRITE(Leave, world, rank, region);
    world->rows[rank]++;
}

static void wait_until(struct world *world, int rank, uint64_t time)
{
    if (world->now[rank] < time)
        world->now[rank] = time;
}

static void visit_functions(struct world *world)
{
    for (int rank = 0; rank < world->archive.ranks; rank++) {
        enum generated_region open[4];
        int depth = 0, steps = 4 + (int)random_below(world, 28);
        for (int step = 0; step < steps; step++) {
            world->now[rank] += 100 + random_below(world, 5000);
            if (depth == 0 || (depth < 4 && random_below(world, 2))) {
                open[depth] = REGION_F0 + random_below(world, 4);
                enter(world, rank, open[depth++]);
            } else {
                leave(world, rank, open[--depth]);
            }
        }
        while (depth > 0)
            leave(world, rank, open[--depth]);
    }
}

static void send_blocking(struct world *world, int from, int to, uint32_t tag)
{
    uint64_t bytes = random_bytes(world);
    enter(world, from, REGION_SEND);
    WRITE(MpiSend, world, from, (uint32_t)to, COMM_WORLD, tag, bytes);
    uint64_t arrival = world->now[from] + LATENCY_NS;
    leave(world, from, REGION_SEND);
    enter(world, to, REGION_RECV);
    wait_until(world, to, arrival);
    WRITE(MpiRecv, world, to, (uint32_t)from, COMM_WORLD, tag, bytes);
    leave(world, to, REGION_RECV);
    world->rows[from]++;
    world->rows[to]++;
}

/* Pairs: there and back. */
static void exchange_blocking(struct world *world)
{
    int ranks = world->archive.ranks, first = (int)random_below(world, 2);
    uint32_t tag = (uint32_t)random_below(world, TAGS);
    for (int rank = first; rank + 1 < ranks; rank += 2) {
        world->now[rank] += random_below(world, 3000);
        send_blocking(world, rank, rank + 1, tag);
        send_blocking(world, rank + 1, rank, tag);
    }
}

static void post_nonblocking(struct world *world, int rank, int to, uint32_t tag, uint64_t bytes,
                             uint64_t request)
{
    world->now[rank] += random_below(world, 3000);
    enter(world, rank, REGION_IRECV);
    WRITE(MpiIrecvRequest, world, rank, request);
    leave(world, rank, REGION_IRECV);
    enter(world, rank, REGION_ISEND);
    WRITE(MpiIsend, world, rank, (uint32_t)to, COMM_WORLD, tag, bytes, request + 1);
    world->posted[rank] = world->now[rank];
    leave(world, rank, REGION_ISEND);
    world->rows[rank] += 2;
}

/* A ring. */
static void exchange_nonblocking(struct world *world)
{
    int ranks = world->archive.ranks;
    int shift = ranks > 1 ? 1 + (int)random_below(world, (uint64_t)ranks - 1) : 0;
    uint32_t tag = (uint32_t)random_below(world, TAGS);
    uint64_t bytes = random_bytes(world), request = world->request;
    world->request += 2;
    for (int rank = 0; rank < ranks; rank++)
        post_nonblocking(world, rank, (rank + shift) % ranks, tag, bytes, request);
    for (int rank = 0; rank < ranks; rank++) {
        int from = (rank + ranks - shift) % ranks;
        enter(world, rank, REGION_WAITALL);
        WRITE(MpiIsendComplete, world, rank, request + 1);
        wait_until(world, rank, world->posted[from] + LATENCY_NS);
        WRITE(MpiIrecv, world, rank, (uint32_t)from, COMM_WORLD, tag, bytes, request);
        leave(world, rank, REGION_WAITALL);
        world->rows[rank] += 2;
    }
}

static void collective(struct world *world)
{
    static const struct {
        enum generated_region region;
        OTF2_CollectiveOp op;
        bool rooted;
    } kinds[] = {
        {REGION_ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE, false},
        {REGION_BCAST, OTF2_COLLECTIVE_OP_BCAST, true},
        {REGION_BARRIER, OTF2_COLLECTIVE_OP_BARRIER, false},
    };
    size_t kind = random_below(world, sizeof kinds / sizeof *kinds);
    bool half = random_below(world, 3) == 0;
    int members = half ? (world->archive.ranks + 1) / 2 : world->archive.ranks;
    uint64_t latest = 0, bytes = kinds[kind].region == REGION_BARRIER ? 0 : 8;
    for (int rank = 0; rank < members; rank++) {
        world->now[rank] += random_below(world, 5000);
        enter(world, rank, kinds[kind].region);
        WRITE(MpiCollectiveBegin, world, rank);
        if (latest < world->now[rank])
            latest = world->now[rank];
    }
    for (int rank = 0; rank < members; rank++) {
        wait_until(world, rank, latest + LATENCY_NS);
        uint32_t root = kinds[kind].rooted ? 0 : OTF2_UNDEFINED_UINT32;
        uint64_t sent = kinds[kind].rooted && rank > 0 ? 0 : bytes;
        WRITE(MpiCollectiveEnd, world, rank, kinds[kind].op, half ? COMM_HALF : COMM_WORLD, root,
              sent, bytes);
        leave(world, rank, kinds[kind].region);
        world->rows[rank] += 2;
    }
}

struct family {
    const char *name;
    void (*round)(struct world *world);
    bool chosen;
};

static struct family families[] = {
    {"regions", visit_functions, true},
    {"blocking", exchange_blocking, true},
    {"nonblocking", exchange_nonblocking, true},
    {"collective", collective, true},
};
enum { FAMILY_COUNT = sizeof families / sizeof *families };

static void synchronise(struct world *world, enum generated_region region)
{
    uint64_t latest = 0;
    for (int rank = 0; rank < world->archive.ranks; rank++) {
        enter(world, rank, region);
        if (latest < world->now[rank])
            latest = world->now[rank];
    }
    for (int rank = 0; rank < world->archive.ranks; rank++) {
        wait_until(world, rank, latest + LATENCY_NS);
        leave(world, rank, region);
    }
}

static void generate(struct world *world, uint64_t events, long period)
{
    uint64_t seed = world->seed;
    struct family *chosen[FAMILY_COUNT];
    size_t count = 0;
    for (int i = 0; i < FAMILY_COUNT; i++)
        if (families[i].chosen)
            chosen[count++] = &families[i];

    for (int rank = 0; rank < world->archive.ranks; rank++)
        enter(world, rank, REGION_MAIN);
    synchronise(world, REGION_INIT);
    for (long round = 1; world->rows[0] < events; round++) {
        chosen[random_below(world, count)]->round(world);
        if (period > 0 && round % period == 0)
            world->seed = seed;
    }
    synchronise(world, REGION_FINALIZE);
    for (int rank = 0; rank < world->archive.ranks; rank++)
        leave(world, rank, REGION_MAIN);
}

/* Writes all events, those of some ranks at a time; each time all are generated again. */
static void write_all(struct world *world, uint64_t events, long period)
{
    const uint64_t seed = world->seed;
    const int ranks = world->archive.ranks;
    for (int first = 0; first < ranks; first += ARCHIVE_WRITERS) {
        const int end = ranks - first < ARCHIVE_WRITERS ? ranks : first + ARCHIVE_WRITERS;
        world->seed = seed;
        world->request = 0;
        memset(world->now, 0, (size_t)ranks * sizeof *world->now);
        memset(world->rows, 0, (size_t)ranks * sizeof *world->rows);
        archive_open_writers(&world->archive, first, end);
        generate(world, events, period);
        archive_close_writers(&world->archive, first, end);
    }
}

static bool choose_families(char *names)
{
    for (int i = 0; i < FAMILY_COUNT; i++)
        families[i].chosen = false;
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        int i = 0;
        while (i < FAMILY_COUNT && strcmp(name, families[i].name) != 0)
            i++;
        if (i == FAMILY_COUNT)
            return false;
        families[i].chosen = true;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct world world = {.seed = 1};
    const char *directory = "generated";
    long ranks = 2, ranks_per_node = 1000000, events = 100000, period = 0;
    int option;
    bool valid = true;
    while ((option = getopt(argc, argv, "o:r:n:e:s:f:p:")) != -1) {
        if (option == 'o')
            directory = optarg;
        else if (option == 'r')
            ranks = strtol(optarg, NULL, 10);
        else if (option == 'n')
            ranks_per_node = strtol(optarg, NULL, 10);
        else if (option == 'e')
            events = strtol(optarg, NULL, 10);
        else if (option == 'p')
            period = strtol(optarg, NULL, 10);
        else if (option == 's')
            world.seed = strtoull(optarg, NULL, 10);
        else
            valid = valid && option == 'f' && choose_families(optarg);
    }
    if (!valid || optind < argc || ranks < 2 || ranks > 100000 || ranks_per_node < 1 ||
        ranks_per_node > 1000000 || events < 1) {
        fprintf(
            stderr,
            "Usage: generate_trace [-o DIR] [-r RANKS] [-n RANKS-PER-NODE] [-e EVENTS] [-s SEED] "
            "[-f regions,blocking,nonblocking,collective] [-p PERIOD]\n");
        return 2;
    }

    world.now = calloc((size_t)ranks, sizeof *world.now);
    world.rows = calloc((size_t)ranks, sizeof *world.rows);
    world.posted = calloc((size_t)ranks, sizeof *world.posted);
    if (!world.now || !world.rows || !world.posted)
        archive_check(OTF2_ERROR_MEM_FAULT, "ranks");
    archive_create(&world.archive, directory, (int)ranks, (int)ranks_per_node);
    write_all(&world, (uint64_t)events, period);
    uint64_t end = 0;
    for (long rank = 0; rank < ranks; rank++)
        end = end < world.now[rank] ? world.now[rank] : end;
    archive_finish(&world.archive, end);
    free(world.now);
    free(world.rows);
    free(world.posted);
    return 0;
}
