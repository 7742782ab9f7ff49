/* Objectives: their names, and their values for a small trace, with any number of processes. */
#include "base/mpi/handles.h"
#include "sweep/objective.h"
#include "tests/mpi_check.h"
#include "tests/transform/built_trace.h"
#include "trace/match/match.h"

#include <math.h>
#include <string.h>

/* Rank 1 waits for the message from 20 to 60; T is 100. Ranks compute 100 - 10 and 100 - 50. */
static const char *const ranks[] = {
    "0:<app 0:+main 60:+MPI_Send 60:S1,7,100 70:-MPI_Send 100:-main 100:>",
    "0:<app 0:+main 20:+MPI_Recv 70:R0,7,100 70:-MPI_Recv 100:-main 100:>"};

static double value_of(const char *name, const struct trace *trace)
{
    struct objective objective;
    struct error error;
    double value = NAN;
    if (objective_find(name, &objective, &error) != STATUS_OK ||
        objective_of(&objective, trace, &value, &error) != STATUS_OK)
        fprintf(stderr, "# %s\n", error.text);
    return value * (objective.larger_is_better ? 1 : (double)trace->definitions->ticks_per_second);
}

static bool is_near(double value, double expected)
{
    return fabs(value - expected) < 1e-9 * fmax(1, fabs(expected));
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct objective objective;
    struct error error;
    mpi_check_begin(&argc, &argv);
    if (processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);

    mpi_check(objective_find("T", &objective, &error) == STATUS_OK && objective.is_time &&
                  !objective.larger_is_better,
              "T is an objective, and less is better");
    mpi_check(objective_find("load_balance", &objective, &error) == STATUS_OK &&
                  objective.larger_is_better && !objective.is_time,
              "more efficiency is better");
    mpi_check(objective_find("mpi_latesendr", &objective, &error) == STATUS_INPUT &&
                  strstr(error.text, "\"mpi_latesender\"") != NULL,
              "a mistyped metric is refused, with the nearest one");

    struct trace *trace = built_trace(&processes, ranks, (const char *const[]){NULL, NULL}, 2);
    mpi_check(trace_match(trace, &error) == STATUS_OK, "the trace matches");
    mpi_check(is_near(value_of("T", trace), 100), "T is the length of the trace");
    mpi_check(is_near(value_of("mpi_latesender", trace), 40), "a wait is summed over the ranks");
    mpi_check(is_near(value_of("time", trace), 200), "so is time");
    mpi_check(is_near(value_of("delay_latesender", trace), 40), "causes of waits are searched");
    mpi_check(is_near(value_of("mpi_wait_nxn", trace), 0), "a metric that does not occur is 0");
    mpi_check(is_near(value_of("efficiency", trace), 0.7), "parallel efficiency");
    mpi_check(is_near(value_of("load_balance", trace), 70.0 / 90), "load balance");
    mpi_check(is_near(value_of("communication_efficiency", trace), 0.9),
              "communication efficiency");
    mpi_check(is_near(value_of("transfer", trace), 0.9), "transfer, by an ideal network");
    mpi_check(is_near(value_of("serialisation", trace), 1), "serialisation");
    trace_destroy(trace);
    processes_close(&processes);
    return mpi_check_end();
}
