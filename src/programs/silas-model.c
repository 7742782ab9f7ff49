/* silas-model: what silas-replay does, with the model engine, on any number of processes. */
#include "base/interrupt.h"
#include "base/log.h"
#include "base/options.h"
#include "programs/model_questions.h"
#include "programs/replay_job.h"

static bool check_only;
static struct model_questions questions;

static const struct option_spec options[] = {
    {'c', "check", NULL, "read, match and change the trace, but predict nothing", NULL,
     &check_only},
    {'d', "domino", NULL, "print the waits that delay everything behind them, and write nothing",
     NULL, &questions.domino},
    {'b', "bounds", NULL,
     "print what could be gained at most, call path by call path, and write nothing", NULL,
     &questions.bounds},
    {'l', "latency", NULL,
     "print how T depends on the latency, and how much of it T tolerates, and write nothing", NULL,
     &questions.latency},
    {0},
};

static const struct program program = {
    .name = "silas-model",
    .summary = "Computes what a trace would be under the hypotheses of a configuration file, and "
               "reports the difference.",
    .usage = "[mpirun -np ANY] silas-model CONFIG.ini",
    .details =
        "The file is the same as for silas-replay, which tries on the machine what this program\n"
        "computes; section [model] is for this one. The outcome does not depend on the number of\n"
        "processes.",
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
        const struct engine *engine = engine_find("model");
        status = questions.domino || questions.bounds || questions.latency
                     ? model_questions_run(argv[operand], engine, &questions, &processes, &error)
                     : replay_job_run(argv[operand], engine, check_only, &processes, &error);
        processes_close(&processes);
    }
    exit_code = status == STATUS_OK ? 0 : log_error(&error);

finalize:
    MPI_Finalize();
    return exit_code;
}
