/* Polling loops as the walk over recorded calls reads them: tests that the archive has left out,
 * and the time that it takes for many failed tests that end in no loop. */
#include "base/mpi/handles.h"
#include "trace/calls/walk.h"
#include "trace/match/match.h"

#include "tests/mpi_check.h"
#include "tests/transform/built_trace.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct processes processes;

struct text {
    char *items;
    size_t count, room;
};

static void add(struct text *text, const char *format, unsigned time)
{
    if (text->room - text->count < 100) {
        text->room = 2 * text->room + 1000;
        text->items = realloc(text->items, text->room);
        if (!text->items)
            abort();
    }
    text->count += (size_t)sprintf(text->items + text->count, format, time);
}

static struct trace *trace_of(const char *receiver)
{
    const char *texts[] = {"0:<app 1:+MPI_Send 2:S1,0,8 3:-MPI_Send 9000000:>", receiver};
    const char *const carried[] = {NULL, NULL};
    struct trace *trace = built_trace(&processes, texts, carried, 2);
    struct error error;
    if (trace_match(trace, &error))
        abort();
    return trace;
}

/* The rounds of the first call that has more than one, or that completes a receive. */
static struct recorded_call loop_of(const char *receiver, uint32_t *calls)
{
    struct trace *trace = trace_of(receiver);
    struct recorded_call loop = {0};
    struct call_walk walk;
    *calls = 0;
    call_walk_open(&walk, trace, &trace->streams[1],
                   20.0 / (double)trace->definitions->ticks_per_second);
    while (call_walk_next(&walk)) {
        ++*calls;
        if (loop.rounds == 0 && walk.waits.count > 0)
            loop = walk.call;
    }
    call_walk_close(&walk);
    trace_destroy(trace);
    return loop;
}

static void left_out_tests_are_rounds(void)
{
    uint32_t calls;
    /* Three calls of 2 ticks; between the first and the last, 500 that took 1000 ticks. */
    struct recorded_call loop = loop_of("0:<app 1:+MPI_Irecv 1:r5,0,0,8 2:-MPI_Irecv "
                                        "10:+MPI_Test 12:t5 12:-MPI_Test "
                                        "14:+MPI_Test 1014:p500 1014:-MPI_Test "
                                        "2014:+MPI_Test 2016:t5 2016:-MPI_Test "
                                        "2018:+MPI_Test 2020:R5 2020:-MPI_Test 3000:>",
                                        &calls);
    mpi_check(loop.rounds == 503 && calls == 2,
              "tests that were left out are rounds of their loop");
    loop = loop_of("0:<app 10:+MPI_Iprobe 12:-MPI_Iprobe "
                   "14:+MPI_Iprobe 1014:p500 1014:-MPI_Iprobe "
                   "2014:+MPI_Iprobe 2016:-MPI_Iprobe "
                   "2018:+MPI_Iprobe 2020:-MPI_Iprobe "
                   "2030:+MPI_Recv 2040:R0,0,8 2040:-MPI_Recv 3000:>",
                   &calls);
    mpi_check(loop.rounds == 503 && calls == 2, "and so are probes");
}

/* Outside loops they are computation, and the first and the last test are separate calls. */
static void left_out_tests_outside_loops(void)
{
    uint32_t calls;
    struct recorded_call loop = loop_of("0:<app 1:+MPI_Irecv 1:r5,0,0,8 2:-MPI_Irecv "
                                        "10:+MPI_Test 12:t5 12:-MPI_Test "
                                        "14:+MPI_Test 1014:p500 1014:-MPI_Test "
                                        "2014:+MPI_Test 2016:t5 2016:-MPI_Test "
                                        "2018:+MPI_Wait 2020:R5 2020:-MPI_Wait 3000:>",
                                        &calls);
    mpi_check(loop.rounds == 1 && calls == 4, "outside loops they are computation");
}

/* Seconds for a walk over `tests` tests of a request that a Wait completes: the shortest of
 * `tries`. */
static double seconds_for(unsigned tests, const char *call, int tries)
{
    struct text text = {0};
    unsigned now = 10;
    char enter[50], leave[50];
    const bool probes = strcmp(call, "MPI_Iprobe") == 0;
    snprintf(enter, sizeof enter, "%%u:+%s ", call);
    snprintf(leave, sizeof leave, "%%u:-%s ", call);
    add(&text, "0:<app %u:+MPI_Irecv ", 1);
    add(&text, "%u:r5,0,0,8 2:-MPI_Irecv ", 1);
    for (unsigned i = 0; i < tests; i++) {
        add(&text, enter, now++);
        if (!probes)
            add(&text, "%u:t5 ", now);
        add(&text, leave, now++);
    }
    add(&text, "%u:+MPI_Wait ", now++);
    add(&text, "%u:R5 ", now);
    add(&text, "%u:-MPI_Wait ", now++);
    add(&text, "%u:>", now);
    struct trace *trace = trace_of(text.items);
    double best = 1e9;
    for (int i = 0; i < tries; i++) {
        struct call_walk walk;
        const clock_t begin = clock();
        uint32_t calls = 0;
        call_walk_open(&walk, trace, &trace->streams[1],
                       20.0 / (double)trace->definitions->ticks_per_second);
        while (call_walk_next(&walk))
            calls++;
        call_walk_close(&walk);
        const double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
        best = took < best ? took : best;
        if (calls < tests)
            abort();
    }
    trace_destroy(trace);
    free(text.items);
    return best;
}

/* Four times as many tests take four times as long, not sixteen times. */
static void failed_tests_take_linear_time(void)
{
    static const char *const calls[] = {"MPI_Test", "MPI_Testall", "MPI_Iprobe"};
    bool linear = true;
    for (int i = 0; i < 3 && linear; i++) {
        const double few = seconds_for(50000, calls[i], 3);
        double many = seconds_for(200000, calls[i], 1);
        if (many >= 10 * few + 0.02) /* disturbed? */
            many = seconds_for(200000, calls[i], 1);
        printf("# %s: 50,000 take %g s, 200,000 %g s\n", calls[i], few, many);
        linear = many < 10 * few + 0.02;
    }
    mpi_check(linear, "the time of the walk does not grow with the square");
}

int main(int argc, char **argv)
{
    struct error error;
    mpi_check_begin(&argc, &argv);
    mpi_check(processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK, "processes");
    left_out_tests_are_rounds();
    left_out_tests_outside_loops();
    failed_tests_take_linear_time();
    processes_close(&processes);
    return mpi_check_end();
}
