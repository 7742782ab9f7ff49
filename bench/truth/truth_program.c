/* A program whose phases are its arguments, so that each change of an argument really changes it:
 *
 *   truth_program ITERATIONS PHASE...      PHASE: KIND,KEY=VALUE,...
 *
 *   compute   name=a  region around it         elements=N  updated in a visit
 *             set=B   bytes that it works on   uneven=P    percent that rank 0 does less, and the
 *                                                          last rank more, than the mean
 *             jitter=P percent by which visits differ at random, the same in each run
 *   exchange  bytes=B with both neighbours in a ring, count=N times; name=a
 *   pingpong  bytes=B there and back between pairs of ranks, count=N times; name=a
 *   put       bytes=B into the next rank's window, between two fences; name=a
 *   allreduce, bcast, alltoall, barrier      bytes=B, count=N times; name=a
 *
 * Prints "time: SECONDS s" from the end of a barrier before the iterations to that of one after. */
#include <silas/region.h>

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHASES = 16, NAME = 24 };

enum kind { COMPUTE, EXCHANGE, PINGPONG, PUT, ALLREDUCE, BCAST, ALLTOALL, BARRIER, KINDS };
static const char *const kind_names[KINDS] = {"compute",   "exchange", "pingpong", "put",
                                              "allreduce", "bcast",    "alltoall", "barrier"};

struct phase {
    enum kind kind;
    char name[NAME];
    long elements, set, bytes, count;
    double uneven, jitter;
    unsigned region[2]; /* for silas/region.h: the names of the macros there are constants */
    double *work;       /* of `set` bytes */
    size_t at;          /* where the next visit continues */
    MPI_Win window;
    double *shared;
};

struct run {
    int rank, size;
    double *out, *in; /* for the largest messages to all ranks */
    uint64_t random;
};

_Noreturn static void refuse(const char *what)
{
    fprintf(stderr, "truth_program: %s: see the beginning of bench/truth/truth_program.c\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

static void read_value(struct phase *phase, const char *key, const char *value)
{
    const double number = strtod(value, NULL);
    if (strcmp(key, "name") == 0)
        snprintf(phase->name, sizeof phase->name, "%s", value);
    else if (strcmp(key, "elements") == 0)
        phase->elements = (long)number;
    else if (strcmp(key, "set") == 0)
        phase->set = (long)number;
    else if (strcmp(key, "bytes") == 0)
        phase->bytes = (long)number;
    else if (strcmp(key, "count") == 0)
        phase->count = (long)number;
    else if (strcmp(key, "uneven") == 0)
        phase->uneven = number / 100;
    else if (strcmp(key, "jitter") == 0)
        phase->jitter = number / 100;
    else
        refuse(key);
}

static struct phase read_phase(char *text)
{
    struct phase phase = {.kind = KINDS, .count = 1, .set = 16384, .bytes = 8};
    char *rest = NULL, *word = strtok_r(text, ",", &rest);
    for (int i = 0; word && i < KINDS; i++)
        if (strcmp(word, kind_names[i]) == 0)
            phase.kind = (enum kind)i;
    if (phase.kind == KINDS)
        refuse(word ? word : text);
    snprintf(phase.name, sizeof phase.name, "%s", word);
    while ((word = strtok_r(NULL, ",", &rest))) {
        char *value = strchr(word, '=');
        if (!value)
            refuse(word);
        *value++ = '\0';
        read_value(&phase, word, value);
    }
    return phase;
}

static double *make_array(size_t bytes)
{
    double *array = malloc(bytes + sizeof *array);
    if (!array)
        refuse("out of memory");
    for (size_t i = 0; i <= bytes / sizeof *array; i++)
        array[i] = 1;
    return array;
}

static void open_phase(struct phase *phase)
{
    if (phase->kind == COMPUTE)
        phase->work = make_array((size_t)phase->set);
    if (phase->kind != PUT)
        return;
    MPI_Win_allocate((MPI_Aint)phase->bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &phase->shared, &phase->window);
    MPI_Win_fence(0, phase->window);
}

static void close_phase(struct phase *phase)
{
    free(phase->work);
    if (phase->kind == PUT)
        MPI_Win_free(&phase->window);
}

/* From 0 to 1; Marsaglia's xorshift. */
static double next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static void compute(struct run *run, struct phase *phase)
{
    const double place = run->size > 1 ? 2.0 * run->rank / (run->size - 1) - 1 : 0;
    const double random = 2 * next_random(&run->random) - 1;
    const size_t room = (size_t)phase->set / sizeof(double);
    size_t left = (size_t)((double)phase->elements * (1 + place * phase->uneven) *
                           (1 + random * phase->jitter));
    while (left > 0) {
        const size_t part = left < room - phase->at ? left : room - phase->at;
        double *work = phase->work + phase->at;
        for (size_t i = 0; i < part; i++)
            work[i] = 0.5 * work[i] + 0.5;
        left -= part;
        phase->at = (phase->at + part) % room;
    }
}

static void exchange(const struct run *run, const struct phase *phase)
{
    MPI_Request requests[4];
    MPI_Status statuses[4];
    const int next = (run->rank + 1) % run->size, before = (run->rank + run->size - 1) % run->size;
    const int bytes = (int)phase->bytes;
    double *far = run->in + bytes / (int)sizeof(double) + 1;
    MPI_Irecv(run->in, bytes, MPI_BYTE, before, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(far, bytes, MPI_BYTE, next, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(run->out, bytes, MPI_BYTE, next, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(run->out, bytes, MPI_BYTE, before, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, statuses);
}

static void pingpong(const struct run *run, const struct phase *phase)
{
    const int partner = run->rank ^ 1, bytes = (int)phase->bytes;
    if (partner >= run->size)
        return;
    if (run->rank % 2 == 0)
        MPI_Send(run->out, bytes, MPI_BYTE, partner, 3, MPI_COMM_WORLD);
    MPI_Recv(run->in, bytes, MPI_BYTE, partner, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (run->rank % 2 == 1)
        MPI_Send(run->out, bytes, MPI_BYTE, partner, 3, MPI_COMM_WORLD);
}

static void communicate(const struct run *run, struct phase *phase)
{
    const int bytes = (int)phase->bytes, count = bytes / (int)sizeof(double);
    switch (phase->kind) {
    case EXCHANGE:
        exchange(run, phase);
        break;
    case PINGPONG:
        pingpong(run, phase);
        break;
    case PUT:
        MPI_Put(run->out, count, MPI_DOUBLE, (run->rank + 1) % run->size, 0, count, MPI_DOUBLE,
                phase->window);
        MPI_Win_fence(0, phase->window);
        break;
    case ALLREDUCE:
        MPI_Allreduce(run->out, run->in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        break;
    case BCAST:
        MPI_Bcast(run->in, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        break;
    case ALLTOALL:
        MPI_Alltoall(run->out, bytes, MPI_BYTE, run->in, bytes, MPI_BYTE, MPI_COMM_WORLD);
        break;
    default:
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void do_phase(struct run *run, struct phase *phase)
{
    if (silas_region_begin_at)
        silas_region_begin_at(&phase->region[0], phase->name, __FILE__, __LINE__);
    for (long i = 0; i < phase->count; i++) {
        if (phase->kind == COMPUTE)
            compute(run, phase);
        else
            communicate(run, phase);
    }
    if (silas_region_end_at)
        silas_region_end_at(&phase->region[1], phase->name);
}

int main(int argc, char **argv)
{
    struct phase phases[PHASES];
    struct run run;
    long largest = 8;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run.size);
    run.random = 88172645463325252u + 7919 * (uint64_t)run.rank;
    const int iterations = argc > 2 ? atoi(argv[1]) : 0, count = argc - 2;
    if (iterations < 1 || count > PHASES)
        refuse("expected ITERATIONS and 1 to 16 phases");
    for (int i = 0; i < count; i++) {
        phases[i] = read_phase(argv[i + 2]);
        largest = phases[i].bytes > largest ? phases[i].bytes : largest;
    }
    run.out = make_array(2 * (size_t)largest * (size_t)run.size + 64);
    run.in = make_array(2 * (size_t)largest * (size_t)run.size + 64);
    for (int i = 0; i < count; i++)
        open_phase(&phases[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int iteration = 0; iteration < iterations; iteration++)
        for (int i = 0; i < count; i++)
            do_phase(&run, &phases[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (run.rank == 0)
        printf("time: %.6f s\n", MPI_Wtime() - begin);
    for (int i = 0; i < count; i++)
        close_phase(&phases[i]);
    free(run.out);
    free(run.in);
    MPI_Finalize();
    return 0;
}
