/* clang-format off */
/* A program with OpenMP whose phases are its arguments, so that each change of an argument really
 * changes it:
 *
 *   threads_program REPETITIONS THREADS SCHEDULE PHASE...
 *
 *   THREADS   of each parallel region; SCHEDULE: static, dynamic or guided, with a chunk: dynamic:4
 *   PHASE     KIND,KEY=VALUE,...    us=N   length of a piece of work, in microseconds
 *
 *   serial    us               by the master, outside of parallel regions
 *   loop      n us shape       n iterations; shape: flat, rising (0 .. 2 us), random (likewise) or
 *                              spike (one of 8 takes 8 us)
 *   nowait    n us shape       two loops in one region, the first without a barrier
 *   critical  n us inner open  each thread: n times us of work and a critical section of `inner` us;
 *                              open=1: without the critical section, but with its work
 *   lock      n us inner open  likewise with omp_set_lock
 *   ordered   n us inner       a loop with an ordered part of `inner` us
 *   barrier   n us uneven      each thread: n times us of work, the last thread `uneven` percent
 *                              more, and a barrier
 *   parts     n us             n pieces of work, of which each thread does a part by its number
 *   single    n us inner       a loop, a single block of `inner` us, and a loop
 *   master    n us inner       likewise with a master block and a barrier
 *   sections  us               four sections of us, 2 us, 3 us and 4 us
 *   tasks     n us shape       the master creates n tasks and waits for them
 *   exchange  bytes            with both neighbours in a ring of the ranks
 *   allreduce
 *
 * Work is time that passes on the clock: the thread sleeps almost to the end, so that a machine may
 * have fewer cores than there are threads. With THREADS_SPIN=1 in the environment it spins. Pieces
 * of work are regions with the name of their KIND, those of `inner` us are regions "inner". Prints
 * "time: SECONDS s" from the end of a barrier before the repetitions to that of one after. */
/* clang-format on */
#include <silas/region.h>

#include <mpi.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { PHASES = 16, SPIKES = 8 };

enum kind {
    SERIAL,
    LOOP,
    NOWAIT,
    CRITICAL,
    LOCK,
    ORDERED,
    BARRIER,
    PARTS,
    SINGLE,
    MASTER,
    SECTIONS,
    TASKS,
    EXCHANGE,
    ALLREDUCE,
    KINDS
};
static const char *const kind_names[KINDS] = {
    "serial", "loop",   "nowait", "critical", "lock",  "ordered",  "barrier",
    "parts",  "single", "master", "sections", "tasks", "exchange", "allreduce"};
static const char *const shape_names[] = {"flat", "rising", "random", "spike"};

struct phase {
    enum kind kind;
    int n, shape, open, bytes;
    double us, inner, uneven;
    unsigned region[2];
};

static omp_lock_t lock;
static int spins, rank_count, own_rank;
static char out[1 << 20], in[1 << 20];

_Noreturn static void refuse(const char *what)
{
    fprintf(stderr, "threads_program: %s: see the beginning of bench/threads/threads_program.c\n",
            what);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Sleeping ends some tens of microseconds late. So it sleeps less, and spins for the rest. */
static void spend(double us)
{
    static const int64_t LATE_NS = 70000;
    const int64_t end = now_ns() + (int64_t)(1e3 * us), wake = end - LATE_NS;
    const struct timespec until = {wake / 1000000000, wake % 1000000000};
    if (!spins && wake > now_ns())
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    while (now_ns() < end)
        continue;
}

static void work(struct phase *phase, double us)
{
    if (silas_region_begin_at)
        silas_region_begin_at(&phase->region[0], kind_names[phase->kind], __FILE__, __LINE__);
    spend(us);
    if (silas_region_end_at)
        silas_region_end_at(&phase->region[1], kind_names[phase->kind]);
}

static void work_inside(const struct phase *phase)
{
    SILAS_REGION_BEGIN("inner");
    spend(phase->inner);
    SILAS_REGION_END("inner");
}

static double length_of(const struct phase *phase, int i)
{
    const uint32_t mixed = ((uint32_t)i * 2654435761u) >> 16;
    switch (phase->shape) {
    case 1:
        return 2 * phase->us * i / phase->n;
    case 2:
        return 2 * phase->us * mixed / 65536;
    case 3:
        return i % SPIKES == 3 ? SPIKES * phase->us : phase->us;
    default:
        return phase->us;
    }
}

static void serialize(struct phase *phase)
{
    for (int i = 0; i < phase->n; i++) {
        work(phase, phase->us);
        if (phase->open) {
            work_inside(phase);
        } else if (phase->kind == LOCK) {
            omp_set_lock(&lock);
            work_inside(phase);
            omp_unset_lock(&lock);
        } else {
#pragma omp critical
            work_inside(phase);
        }
    }
}

static void meet(struct phase *phase)
{
    const int last = omp_get_thread_num() == omp_get_num_threads() - 1;
    for (int i = 0; i < phase->n; i++) {
        work(phase, phase->us * (last ? 1 + phase->uneven / 100 : 1));
#pragma omp barrier
    }
}

static void work_by_number(struct phase *phase)
{
    const int threads = omp_get_num_threads(), thread = omp_get_thread_num();
    for (int i = phase->n * thread / threads; i < phase->n * (thread + 1) / threads; i++)
        work(phase, phase->us);
}

static void work_in_parallel(struct phase *phase)
{
    switch (phase->kind) {
    case CRITICAL:
    case LOCK:
        serialize(phase);
        break;
    case BARRIER:
        meet(phase);
        break;
    case PARTS:
        work_by_number(phase);
        break;
    case ORDERED:
#pragma omp for ordered schedule(runtime)
        for (int i = 0; i < phase->n; i++) {
            work(phase, phase->us);
#pragma omp ordered
            work_inside(phase);
        }
        break;
    case SECTIONS:
#pragma omp sections
    {
#pragma omp section
        work(phase, phase->us);
#pragma omp section
        work(phase, 2 * phase->us);
#pragma omp section
        work(phase, 3 * phase->us);
#pragma omp section
        work(phase, 4 * phase->us);
    } break;
    case TASKS:
#pragma omp master
        for (int i = 0; i < phase->n; i++) {
#pragma omp task firstprivate(i)
            work(phase, length_of(phase, i));
        }
        break;
    case NOWAIT:
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < phase->n; i++)
            work(phase, length_of(phase, i));
        /* fall through */
    default:
#pragma omp for schedule(runtime)
        for (int i = 0; i < phase->n; i++)
            work(phase, length_of(phase, i));
    }
    if (phase->kind != SINGLE && phase->kind != MASTER)
        return;
    if (phase->kind == SINGLE) {
#pragma omp single
        work_inside(phase);
    } else {
#pragma omp master
        work_inside(phase);
#pragma omp barrier
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < phase->n; i++)
        work(phase, length_of(phase, i));
}

static void do_phase(struct phase *phase)
{
    if (phase->kind == SERIAL) {
        work(phase, phase->us);
    } else if (phase->kind == EXCHANGE) {
        const int next = (own_rank + 1) % rank_count,
                  before = (own_rank + rank_count - 1) % rank_count;
        MPI_Sendrecv(out, phase->bytes, MPI_BYTE, next, 1, in, phase->bytes, MPI_BYTE, before, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (phase->kind == ALLREDUCE) {
        double value = 1, sum;
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    } else {
#pragma omp parallel
        {
            prctl(PR_SET_TIMERSLACK, 1); /* ns; else each thread oversleeps by 50 us */
            work_in_parallel(phase);
        }
    }
}

static int number_of(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    refuse(name);
}

static struct phase read_phase(char *text)
{
    char *rest = NULL, *word = strtok_r(text, ",", &rest);
    struct phase phase = {.kind = (enum kind)number_of(kind_names, KINDS, word ? word : text),
                          .n = 1,
                          .us = 100,
                          .bytes = 8};
    while ((word = strtok_r(NULL, ",", &rest))) {
        char *value = strchr(word, '=');
        if (!value)
            refuse(word);
        *value++ = '\0';
        if (strcmp(word, "n") == 0)
            phase.n = atoi(value);
        else if (strcmp(word, "us") == 0)
            phase.us = atof(value);
        else if (strcmp(word, "inner") == 0)
            phase.inner = atof(value);
        else if (strcmp(word, "uneven") == 0)
            phase.uneven = atof(value);
        else if (strcmp(word, "open") == 0)
            phase.open = atoi(value);
        else if (strcmp(word, "bytes") == 0 && atoi(value) >= 0 && atoi(value) <= (int)sizeof out)
            phase.bytes = atoi(value);
        else if (strcmp(word, "shape") == 0)
            phase.shape = number_of(shape_names, 4, value);
        else
            refuse(word);
    }
    return phase;
}

static void read_schedule(char *text)
{
    static const char *const names[] = {"", "static", "dynamic",
                                        "guided"}; /* in the order of omp_sched_t */
    char *chunk = strchr(text, ':');
    if (chunk)
        *chunk++ = '\0';
    omp_set_schedule((omp_sched_t)number_of(names, 4, text), chunk ? atoi(chunk) : 0);
}

int main(int argc, char **argv)
{
    struct phase phases[PHASES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    const int repetitions = argc > 4 ? atoi(argv[1]) : 0, threads = argc > 4 ? atoi(argv[2]) : 0,
              count = argc - 4;
    if (repetitions < 1 || threads < 1 || count > PHASES)
        refuse("expected REPETITIONS, THREADS, SCHEDULE and 1 to 16 phases");
    spins = getenv("THREADS_SPIN") != NULL;
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    read_schedule(argv[3]);
    omp_init_lock(&lock);
    for (int i = 0; i < count; i++)
        phases[i] = read_phase(argv[i + 4]);
    prctl(PR_SET_TIMERSLACK, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int repetition = 0; repetition < repetitions; repetition++)
        for (int i = 0; i < count; i++)
            do_phase(&phases[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (own_rank == 0)
        printf("time: %.6f s\n", MPI_Wtime() - begin);
    omp_destroy_lock(&lock);
    MPI_Finalize();
    return 0;
}
