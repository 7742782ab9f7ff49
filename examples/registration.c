/* REGISTRATION: image registration as in F. Ino, Y. Kanbe, M. Okita, K. Hagihara, "Trace reduction
 * for performance improvement assessment of message passing parallel programs", Figure 8. In each
 * iteration, groups of ranks move control points: local computation, then MPI_Send, MPI_Recv and
 * MPI_Sendrecv within the group. Groups change often in the first iterations, and hardly in the
 * last (registration_plan.h).
 *
 * At some points one rank of the group searches for a landmark. The others wait, and so do the
 * groups in which they are awaited next. --no-search omits it.
 *
 * On 64 ranks it makes the paper's 182,760 events. It needs no core for each rank: a rank that
 * waits gives way to others (patient.h). */
#include "examples/example.h"
#include "examples/patient.h"
#include "examples/registration_plan.h"
#include <silas/region.h>

enum { TAG, VALUES = REGISTRATION_MOST_BYTES / sizeof(double), COMPUTATIONS = 40 };

struct job {
    int rank;
    double mean_s; /* of a local computation */
    double out[VALUES], in[VALUES];
    bool correct; /* every message was the expected one */
};

/* The name of a mark must be a literal. */
static void pass_region(void *context, int rank, enum registration_region region, bool enters)
{
    const struct job *job = context;
    if (rank != job->rank)
        return;
    switch (region) {
#define X(identifier, name)            \
    case REGISTRATION_##identifier:    \
        if (enters)                    \
            SILAS_REGION_BEGIN(#name); \
        else                           \
            SILAS_REGION_END(#name);   \
        break;
        REGISTRATION_REGIONS(X)
#undef X
    case REGISTRATION_REGION_COUNT:
        break;
    }
}

static void compute_locally(void *context, int rank, double share)
{
    const struct job *job = context;
    if (rank == job->rank)
        compute(share * job->mean_s);
}

static int values(int bytes)
{
    return bytes / (int)sizeof(double);
}

static void check(struct job *job, uint32_t number)
{
    job->correct = job->correct && job->in[0] == number;
}

static void transfer(void *context, int from, int to, int bytes, uint32_t number)
{
    struct job *job = context;
    if (job->rank == from) {
        job->out[0] = number;
        PATIENT(Send)(job->out, values(bytes), MPI_DOUBLE, to, TAG, MPI_COMM_WORLD);
    } else if (job->rank == to) {
        PATIENT(Recv)
        (job->in, values(bytes), MPI_DOUBLE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(job, number);
    }
}

static void exchange(void *context, int rank, int other, int bytes, uint32_t number)
{
    struct job *job = context;
    if (job->rank != rank && job->rank != other)
        return;
    const int partner = job->rank == rank ? other : rank;
    job->out[0] = number;
    PATIENT(Sendrecv)
    (job->out, values(bytes), MPI_DOUBLE, partner, TAG, job->in, values(bytes), MPI_DOUBLE, partner,
     TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(job, number);
}

int main(int argc, char **argv)
{
    static struct job job = {.correct = true};
    int seed = 1, exit_code;
    const struct example_option options[] = {
        {"seed", "of the random control points and computation times", 0, &seed},
        {0},
    };
    struct example example = {
        .name = "registration",
        .description = "Groups of ranks move control points of an image; groups change often.",
        .fix = "no-search",
        .fix_description = "does without the search for landmarks",
        .options = options,
        .iterations = REGISTRATION_ITERATIONS,
        .work_s = 0.004,
    };
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    if (example.size < REGISTRATION_LEAST_RANKS)
        return example_refuse(&example, "needs at least 4 ranks");
    if (example.iterations > REGISTRATION_ITERATIONS)
        return example_refuse(&example, "has 6 iterations at most");

    const struct registration registration = {
        .ranks = example.size,
        .seed = (uint64_t)seed,
        .iterations = example.iterations,
        .search = !example.fixed,
    };
    const struct registration_sink sink = {&job, pass_region, compute_locally, transfer, exchange};
    job.rank = example.rank;
    job.mean_s = example.work_s / COMPUTATIONS;
    if (!registration_walk(&registration, &sink))
        MPI_Abort(MPI_COMM_WORLD, 3);
    example_report(&example);
    return example_end(&example, job.correct);
}
