/* silas-replay: the main job. Load, match, change, replay, search, compare, report. */
#include "base/interrupt.h"
#include "base/log.h"
#include "base/options.h"
#include "programs/replay_job.h"

static bool check_only;

static const struct option_spec options[] = {
    {'c', "check", NULL, "read, match and change the trace, but replay nothing", NULL, &check_only},
    {0},
};

static const struct program program = {
    .name = "silas-replay",
    .summary = "Replays a trace under the hypotheses of a configuration file and reports the "
               "difference.",
    .usage = "mpirun -np RANKS silas-replay CONFIG.ini\n"
             "[mpirun -np ANY] silas-replay --check CONFIG.ini",
    .details =
        "RANKS is the number of ranks of the trace. Without hypotheses in the configuration\n"
        "the trace is replayed unchanged: a test of the accuracy.",
    .options = options,
    .least = 1,
    .most = 1,
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct processes processes;
    struct error error = {STATUS_OK, ""};
    int rank, exit_code;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    log_open(program.name, rank == 0);
    interrupt_install();
    int operand = options_parse(&program, argc, argv, &exit_code);
    if (operand < 0)
        goto finalize;
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    if (status == STATUS_OK) {
        status = replay_job_run(argv[operand], NULL, check_only, &processes, &error);
        processes_close(&processes);
    }
    exit_code = status == STATUS_OK ? 0 : log_error(&error);

finalize:
    MPI_Finalize();
    return exit_code;
}
