/* A traced program that ends in the way its argument says, after ROUNDS rounds: finalize, exit
 * (without MPI_Finalize), _exit, abort (MPI_Abort), crash or kill (of rank 1), hang (all ranks
 * sleep until they are ended), fork (a child that also calls traced functions), threads, names (two
 * regions whose long names differ in their last letter). */
#include <mpi.h>

#include <pthread.h>
#include <signal.h>
#include <silas/region.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static void ring_round(int number)
{
    int out = rank, in = -1;
    SILAS_REGION_BEGIN("round");
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, number % 1000, &in, 1, MPI_INT,
                 (rank + size - 1) % size, number % 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    SILAS_REGION_END("round");
}

static pthread_barrier_t both;

static void *record_regions(void *argument)
{
    if (argument)
        pthread_barrier_wait(argument);
    for (int i = 0; i < 10; i++) {
        SILAS_REGION_BEGIN("thread's work");
        SILAS_REGION_END("thread's work");
    }
    if (argument)
        pthread_barrier_wait(argument);
    return argument;
}

static void run_threads(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, record_regions, &both);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_create(&threads[0], NULL, record_regions,
                   NULL); /* takes the place of one that has ended */
    pthread_join(threads[0], NULL);
}

static void fork_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        SILAS_REGION_BEGIN("child");
        SILAS_REGION_END("child");
        exit(0);
    }
    waitpid(child, NULL, 0);
}

static void enter_long_names(void)
{
    static char name[10001];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 2] = 'a';
    SILAS_REGION_BEGIN(name);
    SILAS_REGION_END(name);
    name[sizeof name - 2] = 'b';
    SILAS_REGION_BEGIN(name);
    SILAS_REGION_END(name);
}

static void run_for(double seconds)
{
    const double end = MPI_Wtime() + seconds;
    for (int more = 1; more; MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD)) {
        for (int i = 0; i < 100; i++)
            ring_round(i);
        more = MPI_Wtime() < end;
    }
}

static void end_program(const char *how)
{
    if (strcmp(how, "exit") == 0)
        exit(0);
    if (strcmp(how, "_exit") == 0)
        _exit(0);
    if (strcmp(how, "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(how, "crash") == 0 && rank == 1) {
        signal(SIGSEGV, SIG_DFL); /* the MPI library's own handler prints at length */
        raise(SIGSEGV);
    }
    if (strcmp(how, "kill") == 0 && rank == 1)
        raise(SIGKILL);
    if (strcmp(how, "finalize") != 0)
        sleep(60);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "finalize";
    int rounds = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    SILAS_REGION_BEGIN("all");
    if (strcmp(how, "threads") == 0) {
        run_threads();
        how = "finalize";
    }
    if (strcmp(how, "fork") == 0) {
        fork_child();
        how = "finalize";
    }
    if (strcmp(how, "names") == 0) {
        enter_long_names();
        how = "finalize";
    }
    if (strcmp(how, "seconds") == 0) {
        run_for(rounds);
        how = "finalize";
    } else {
        for (int i = 0; i < rounds; i++)
            ring_round(i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "hang") == 0 && rank == 0) {
        puts("ready");
        fflush(stdout);
    }
    end_program(how);
    if (rank == 0)
        puts("complete");
    MPI_Finalize();
    return EXIT_SUCCESS;
}
