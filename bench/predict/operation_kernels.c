/* operation_kernels HARDWARE: small loops whose operations can be counted by reading them. Prints
 * for each how long an element took, and the time of its resource vector by the hardware file by
 * three rules, in ns:
 *
 *   NAME MEASURED SUM STREAM OVERLAP
 *
 *   sum      all costs added, as CHIP3S does: VECTOR_SUM
 *   stream   the larger of the streamed bytes and all others, added
 *   overlap  the longest of what the parts of a core do at the same time: VECTOR_OVERLAP, which
 *            scripts use
 *
 * The loops are compiled without vectors, so that their operations are those of the source. */
#include "base/clock.h"
#include "base/estimate.h"
#include "predict/hardware.h"
#include "replay/calibrate/chase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 45 };

/* What a loop works on; its functions run one piece of some tenths of a millisecond. */
struct workplace {
    double *a, *b, *c;
    size_t count; /* of doubles in each array */
    size_t place; /* where the next piece begins */
    struct chase chase;
    void *node;
    uint64_t odd;
};

enum { PIECE = 1 << 16, WIDTH = 40, SWEEPS = 100, VISITS = 2000 };

static void run_triad(struct workplace *place)
{
    double *restrict a = place->a + place->place, *b = place->b + place->place,
                     *c = place->c + place->place, factor = 3;
    for (size_t i = 0; i < PIECE; i++)
        a[i] = b[i] + factor * c[i];
    place->place = (place->place + PIECE) % place->count;
}

static void run_stencil(struct workplace *place)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double *restrict to = sweep % 2 ? place->a : place->b;
        const double *from = sweep % 2 ? place->b : place->a;
        for (size_t y = 1; y < WIDTH - 1; y++)
            for (size_t x = WIDTH * y + 1; x < WIDTH * (y + 1) - 1; x++)
                to[x] =
                    0.2 * (from[x] + from[x - 1] + from[x + 1] + from[x - WIDTH] + from[x + WIDTH]);
    }
}

/* Each addition waits for the one before: so it cannot be vectorised. */
static void run_dot(struct workplace *place)
{
    double sum = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t i = 0; i < WIDTH * WIDTH; i++)
            sum += place->a[i] * place->b[i];
    place->c[0] = sum;
}

struct list_node {
    struct list_node *next;
    uint64_t value; /* a separate generator, so that no branch can be predicted */
};

static void run_list(struct workplace *place)
{
    struct list_node *node = place->node;
    for (int visit = 0; visit < VISITS; visit++) {
        node->value = 6364136223846793005u * node->value + 1442695040888963407u;
        if (node->value >> 63) {
            place->odd++;
            __asm__ volatile(""); /* a branch, not a conditional move */
        }
        node = node->next;
    }
    place->node = node;
}

struct use {
    enum operation operation;
    double count;
};

#define TRIAD                                                                 \
    {OPERATION_FLOP_ADD, 1}, {OPERATION_FLOP_MUL, 1}, {OPERATION_LOAD_L1, 2}, \
        {OPERATION_STORE, 1}, {OPERATION_INT, 1}, {OPERATION_BRANCH, 1}, {OPERATION_BYTE, 24},
#define STENCIL                                                               \
    {OPERATION_FLOP_ADD, 4}, {OPERATION_FLOP_MUL, 1}, {OPERATION_LOAD_L1, 5}, \
        {OPERATION_STORE, 1}, {OPERATION_INT, 1}, {OPERATION_BRANCH, 1},
#define DOT                                                                                       \
    {OPERATION_FLOP_ADD, 1}, {OPERATION_FLOP_MUL, 1}, {OPERATION_LOAD_L1, 2}, {OPERATION_INT, 1}, \
        {OPERATION_BRANCH, 1},
#define LIST(LOAD)                                                                   \
    {LOAD, 1}, {OPERATION_LOAD_L1, 2}, {OPERATION_INT_MUL, 1}, {OPERATION_INT, 3.5}, \
        {OPERATION_STORE, 1.5}, {OPERATION_BRANCH, 1.5}, {OPERATION_BRANCH_MISS, 0.5},

enum { USES_MAX = 8 };

static const struct loop {
    const char *name;
    void (*run)(struct workplace *place);
    double elements; /* of a piece */
    size_t doubles;  /* in each of three arrays */
    size_t list;     /* bytes */
    struct use uses[USES_MAX];
    double chained; /* additions that wait for each other */
} loops[] = {
    {"triad", run_triad, PIECE, 256 * PIECE, 0, {TRIAD}, 0},
    {"stencil", run_stencil, SWEEPS *(WIDTH - 2) * (WIDTH - 2), WIDTH *WIDTH, 0, {STENCIL}, 0},
    {"dot-product", run_dot, SWEEPS *WIDTH *WIDTH, WIDTH *WIDTH, 0, {DOT}, 1},
    {"list-in-L2", run_list, VISITS, 0, 256 << 10, {LIST(OPERATION_LOAD_L2)}, 0},
    {"list-in-memory", run_list, VISITS, 0, 512 << 20, {LIST(OPERATION_LOAD_MEMORY)}, 0},
};

static double *make_array(size_t count)
{
    double *array = malloc((count + 1) * sizeof *array);
    if (!array) {
        fprintf(stderr, "out of memory\n");
        exit(STATUS_ENVIRONMENT);
    }
    for (size_t i = 0; i < count; i++)
        array[i] = 1 + (double)i * 1e-9;
    return array;
}

static void open_workplace(const struct loop *loop, struct workplace *place)
{
    *place = (struct workplace){.count = loop->doubles};
    place->a = make_array(loop->doubles);
    place->b = make_array(loop->doubles);
    place->c = make_array(loop->doubles);
    if (loop->list == 0)
        return;
    if (!chase_open(&place->chase, loop->list)) {
        fprintf(stderr, "out of memory\n");
        exit(STATUS_ENVIRONMENT);
    }
    char *lines = place->chase.buffer;
    for (size_t i = 0; i < place->chase.lines; i++)
        ((struct list_node *)(void *)(lines + i * CHASE_LINE))->value = 0x9E3779B97F4A7C15u * i;
    place->node = place->chase.at;
}

static void close_workplace(struct workplace *place)
{
    chase_close(&place->chase);
    free(place->a);
    free(place->b);
    free(place->c);
}

/* Seconds of an element: the median of the pieces. */
static double measure(const struct clock *clock, const struct loop *loop)
{
    struct workplace place;
    double times[RUNS];
    open_workplace(loop, &place);
    loop->run(&place);
    for (int run = 0; run < RUNS; run++) {
        uint64_t begin = clock_now(clock);
        loop->run(&place);
        times[run] = (double)(clock_now(clock) - begin) / clock->ticks_per_second / loop->elements;
    }
    close_workplace(&place);
    return estimate_of(times, RUNS).median;
}

static void print_loop(const struct hardware *hardware, const struct clock *clock,
                       const struct loop *loop)
{
    struct resource_vector vector = {.own_s = 0}, others;
    for (int u = 0; u < USES_MAX && loop->uses[u].count > 0; u++) {
        enum operation operation = loop->uses[u].operation;
        vector.counts[operation] = loop->uses[u].count;
        if (hardware->has_operation[operation])
            continue;
        fprintf(stderr, "%s: the hardware file has no %s\n", loop->name,
                operation_names[operation]);
        return;
    }
    vector.chain[OPERATION_FLOP_ADD] = hardware->has_chain[OPERATION_FLOP_ADD] ? loop->chained : 0;
    others = vector;
    others.counts[OPERATION_BYTE] = 0;
    double sum = hardware_vector_seconds(hardware, &vector, VECTOR_SUM);
    double core = hardware_vector_seconds(hardware, &others, VECTOR_SUM), stream = sum - core;
    printf("%s %.4g %.4g %.4g %.4g\n", loop->name, 1e9 * measure(clock, loop), 1e9 * sum,
           1e9 * (stream > core ? stream : core),
           1e9 * hardware_vector_seconds(hardware, &vector, VECTOR_OVERLAP));
}

int main(int argc, char **argv)
{
    struct hardware hardware;
    struct clock clock;
    struct error error;
    if (argc != 2)
        return STATUS_USAGE;
    if (hardware_load(argv[1], &hardware, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.text);
        return (int)error.status;
    }
    clock_open(&clock);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        print_loop(&hardware, &clock, &loops[i]);
    return STATUS_OK;
}
