#include "measure/recorder/event_cost.h"

#include "measure/recorder/records.h"
#include "measure/recorder/user_functions.h"

#include "base/sort.h"

#include <stdlib.h>
#include <sys/mman.h>

/* The pieces are so short that most are not interrupted. Their memory exceeds several levels of
 * cache and is not in them yet, like a segment of an event file. */
enum { PIECE_EVENTS = 200, PIECES = 400 };

#define MEMORY_SIZE (PIECES * PIECE_EVENTS * sizeof(struct record_slot))

static void record_enters(struct recorder *recorder)
{
    for (int i = 0; i < PIECE_EVENTS; i++)
        record_enter(recorder, record_now(), 0);
}

static char no_function; /* its address is unique */

static void call_hooks(struct recorder *recorder)
{
    static void (*volatile const enter)(void *, void *) = __cyg_profile_func_enter;
    static void (*volatile const leave)(void *, void *) = __cyg_profile_func_exit;
    (void)recorder; /* the thread's own, see event_cost_function_ns */
    for (int i = 0; i < PIECE_EVENTS / 2; i++) {
        enter(&no_function, NULL);
        leave(&no_function, NULL);
    }
}

/* The median over the pieces, which is the cost of an event without interruptions. */
static double cost_of(struct recorder *recorder, void (*record)(struct recorder *))
{
    double cost[PIECES];
    for (int piece = 0; piece < PIECES; piece++) {
        uint64_t before = tracer_clock_moment().monotonic;
        record(recorder);
        cost[piece] = (double)(tracer_clock_moment().monotonic - before) / PIECE_EVENTS;
    }
    qsort(cost, PIECES, sizeof cost[0], order_double);
    return cost[PIECES / 2];
}

/* A recorder whose records are discarded. */
static bool open_scratch(struct recorder *recorder)
{
    void *memory = mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    *recorder = (struct recorder){.next = memory};
    recorder->end = recorder->next + PIECES * PIECE_EVENTS;
    return true;
}

static void close_scratch(struct recorder *recorder)
{
    munmap(recorder->end - PIECES * PIECE_EVENTS, MEMORY_SIZE);
}

double event_cost_ns(void)
{
    struct recorder scratch;
    if (!open_scratch(&scratch))
        return 0;
    double cost = cost_of(&scratch, record_enters);
    close_scratch(&scratch);
    return cost;
}

double event_cost_function_ns(void)
{
    struct recorder scratch;
    if (!user_function_known_as(&no_function, 0) || !open_scratch(&scratch))
        return 0;
    struct recorder *own = recorder_own;
    recorder_own = &scratch;
    double cost = cost_of(&scratch, call_hooks);
    recorder_own = own;
    close_scratch(&scratch);
    return cost;
}
