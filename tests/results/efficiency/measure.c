/* POP's efficiencies in closed form: a barrier, a pipeline and a ring. Runs with one, two and three
 * processes; the results must be the same. */
#include "base/mpi/handles.h"
#include "tests/mpi_check.h"
#include "tests/transform/built_trace.h"

#include "results/efficiency/measure.h"
#include "trace/match/match.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 3, WINDOWS = 7, BARRIER_ROLE = 15 /* OTF2_REGION_ROLE_BARRIER */ };

/* Ticks: mean and longest computation, T, T_ideal. */
struct pop_case {
    const char *name;
    uint32_t rank_count;
    const char *ranks[RANKS], *threads[RANKS]; /* the second: of other threads */
    double mean, longest, time, ideal;
    double useful; /* of all threads; 0: no other threads are recorded */
};

static const struct pop_case cases[] = {
    {"a barrier: the later rank decides, the barrier itself is transfer",
     2,
     {"0:<app 40:+MPI_Barrier 40:B 52:E 52:-MPI_Barrier 60:>app",
      "0:<app 50:+MPI_Barrier 50:B 52:E 52:-MPI_Barrier 60:>app"},
     {0},
     53,
     58,
     60,
     58,
     0},
    {"MPI_Init, MPI_Finalize and the time before and after them do not count",
     2,
     {"0:<app 3:+MPI_Init 5:-MPI_Init 15:+MPI_Barrier 15:B 27:E 27:-MPI_Barrier 47:+MPI_Finalize "
      "60:-MPI_Finalize 70:>app",
      "0:<app 2:+MPI_Init 6:-MPI_Init 26:+MPI_Barrier 26:B 28:E 28:-MPI_Barrier 38:+MPI_Finalize "
      "60:-MPI_Finalize 70:>app"},
     {0},
     30,
     30,
     42,
     41,
     0},
    {"threads: those that wait for others and those that rest are not useful",
     2,
     {"0:<app 40:+MPI_Barrier 40:B 52:E 52:-MPI_Barrier 60:>app",
      "0:<app 50:+MPI_Barrier 50:B 52:E 52:-MPI_Barrier 60:>app"},
     {"10:+work 30:-work", "10:+work 30:+omp_barrier 40:-omp_barrier 50:-work"},
     53,
     58,
     60,
     58,
     48 + 58 + 20 + 30},
    {"a pipeline: its stages follow each other on an ideal network, too",
     3,
     {"0:<app 10:+MPI_Send 10:S1,7,8 12:-MPI_Send 12:>app",
      "0:<app 0:+MPI_Recv 14:R0,7,8 14:-MPI_Recv 24:+MPI_Send 24:S2,7,8 26:-MPI_Send 26:>app",
      "0:<app 0:+MPI_Recv 28:R1,7,8 28:-MPI_Recv 38:>app"},
     {0},
     10,
     10,
     38,
     30,
     0},
    {"a ring: each waits for its neighbour",
     3,
     {"0:<app 10:+MPI_Isend 10:s1,1,7,8 11:-MPI_Isend 11:+MPI_Recv 16:R2,7,8 16:-MPI_Recv "
      "16:+MPI_Wait 17:S1 17:-MPI_Wait 27:>app",
      "0:<app 12:+MPI_Isend 12:s1,2,7,8 13:-MPI_Isend 13:+MPI_Recv 14:R0,7,8 14:-MPI_Recv "
      "14:+MPI_Wait 15:S1 15:-MPI_Wait 25:>app",
      "0:<app 14:+MPI_Isend 14:s1,0,7,8 15:-MPI_Isend 15:+MPI_Recv 16:R1,7,8 16:-MPI_Recv "
      "16:+MPI_Wait 17:S1 17:-MPI_Wait 27:>app"},
     {0},
     22,
     24,
     27,
     24,
     0},
};

static int is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9;
}

static int products_hold(const struct pop_factors *f)
{
    return (isnan(f->load_balance) ||
            is_near(f->mpi_parallel, f->load_balance * f->communication)) &&
           is_near(f->parallel, f->mpi_parallel * (isnan(f->threads) ? 1 : f->threads)) &&
           (isnan(f->thread_load_balance) ||
            is_near(f->threads, f->thread_load_balance * f->thread_communication)) &&
           (isnan(f->thread_additive) ||
            is_near(f->parallel, f->mpi_parallel + f->thread_additive - 1)) &&
           (isnan(f->serial_regions) ||
            is_near(f->thread_additive, f->serial_regions + f->parallel_regions - 1)) &&
           (isnan(f->transfer) || is_near(f->communication, f->serialisation * f->transfer)) &&
           (isnan(f->serialisation) || f->serialisation <= 1 + 1e-9);
}

/* The efficiency is NAN if there is no such row. */
static struct pop_factors region_of(const struct pop *pop, const char *name)
{
    for (size_t i = 0; pop && i < pop->row_count; i++)
        if (pop->rows[i].part == POP_REGION && strcmp(pop->rows[i].name, name) == 0)
            return pop->rows[i].factors;
    return (struct pop_factors){.parallel = NAN};
}

/* One rank that computes alone for 20 of 100 ticks, and then 60 in a parallel region with a worker
 * that is done after 30; the last 20 are communication. */
static void check_hybrid(struct processes *processes)
{
    static const char *const rank[] = {
        "0:+main 20:+!$omp_parallel 20:+work 80:-work 80:+!$omp_implicit_barrier "
        "80:-!$omp_implicit_barrier 80:-!$omp_parallel 80:+MPI_Barrier 80:B 100:E 100:-MPI_Barrier "
        "100:-main"};
    static const char *const worker[] = {
        "20:+!$omp_parallel 20:+work 50:-work 50:+!$omp_implicit_barrier "
        "80:-!$omp_implicit_barrier 80:-!$omp_parallel"};
    const struct pop *pop = NULL;
    struct error error;
    struct arena *arena = arena_create();
    struct trace *trace = built_trace(processes, rank, worker, 1);
    const struct pop_options options = {.regions = true, .why_not_ideal = "it is not needed"};
    enum status status =
        trace_match(trace, &error) ?: pop_measure(trace, &options, arena, &pop, &error);
    mpi_check(status == STATUS_OK, "efficiencies of threads are measured");
    const struct pop_factors *f = pop ? &pop->rows[0].factors : NULL; /* on process 0 */
    mpi_check(!f ||
                  (is_near(f->parallel, 0.55) && is_near(f->mpi_parallel, 0.8) && products_hold(f)),
              "... with all products and sums");
    mpi_check(
        !f || (is_near(f->thread_load_balance, 55.0 / 80) && is_near(f->thread_communication, 1)),
        "... the multiplicative form");
    mpi_check(!f || (is_near(f->serial_regions, 0.9) && is_near(f->parallel_regions, 0.85)),
              "... the additive form");
    const struct pop_factors all = region_of(pop, "main"), work = region_of(pop, "work");
    mpi_check(!f || (is_near(all.parallel, 0.55) && is_near(all.serial_regions, 0.9)),
              "the region that is the run has the run's efficiency of threads");
    mpi_check(
        !f || (is_near(work.parallel, 0.75) && is_near(work.threads, 0.75) && products_hold(&work)),
        "a region contains what the worker does while its master is there");
    trace_destroy(trace);
    arena_destroy(arena);
}

static int holds(const struct pop_case *c, const struct pop *pop)
{
    const struct pop_factors *f = &pop->rows[0].factors;
    const double threads = 2.0 * c->rank_count;
    return is_near(f->mpi_parallel, c->mean / c->time) &&
           is_near(f->load_balance, c->mean / c->longest) &&
           is_near(f->communication, c->longest / c->time) &&
           is_near(f->serialisation, c->longest / c->ideal) &&
           is_near(f->transfer, c->ideal / c->time) &&
           (c->useful > 0 ? is_near(f->parallel, c->useful / (c->time * threads)) &&
                                is_near(f->threads, f->parallel / f->mpi_parallel) &&
                                pop->thread_count == 2 * c->rank_count
                          : isnan(f->threads) && pop->thread_count == c->rank_count);
}

/* Windows have all computation between them; each row's products hold. */
static int windows_hold(const struct pop *pop)
{
    double sum = 0;
    int count = 0, right = 1;
    for (size_t i = 0; i < pop->row_count; i++) {
        right &= products_hold(&pop->rows[i].factors);
        if (pop->rows[i].part == POP_WINDOW) {
            sum += pop->rows[i].factors.computation_mean_s;
            count++;
        }
    }
    return right && count == WINDOWS &&
           fabs(sum / pop->rows[0].factors.computation_mean_s - 1) <= 1e-9;
}

static int region_holds(const struct pop *pop, const struct pop_case *c)
{
    const struct pop_row *row = &pop->rows[1];
    return row->part == POP_REGION && strcmp(row->name, "app") == 0 &&
           is_near(row->factors.mpi_parallel, c->mean / c->time) &&
           is_near(row->factors.parallel, pop->rows[0].factors.parallel) &&
           is_near(row->factors.transfer, c->ideal / c->time);
}

static void check_case(const struct pop_case *c, struct processes *processes)
{
    struct pop_options options = {.regions = true, .iterations = true, .windows = WINDOWS};
    struct error error = {0};
    const struct pop *pop;
    struct arena *arena = arena_create();
    struct trace *trace = built_trace(processes, c->ranks, c->threads, c->rank_count);
    const int here = processes->rank == 0;
    for (uint32_t r = 0; r < trace->definitions->region_count; r++)
        if (strcmp(trace->definitions->regions[r].name, "omp_barrier") == 0)
            trace->definitions->regions[r].role = BARRIER_ROLE;
    enum status status = trace_match(trace, &error);
    if (status == STATUS_OK)
        status = pop_measure(trace, &options, arena, &pop, &error);
    mpi_check(status == STATUS_OK && (pop != NULL) == here, c->name);
    mpi_check(!here || (!pop->why_not_ideal && holds(c, pop)),
              "the run has the known efficiencies");
    mpi_check(!here || windows_hold(pop), "windows have all computation; products hold");
    mpi_check(!here || region_holds(pop, c), "the outermost region is the run");

    options.why_not_ideal = "no reason";
    status = pop_measure(trace, &options, arena, &pop, &error);
    mpi_check(status == STATUS_OK &&
                  (!here || (isnan(pop->rows[0].factors.transfer) &&
                             isnan(pop->rows[0].factors.serialisation) &&
                             is_near(pop->rows[0].factors.mpi_parallel, c->mean / c->time) &&
                             strcmp(pop->why_not_ideal, "no reason") == 0)),
              "without T_ideal the other factors have values, and the reason is named");
    trace_destroy(trace);
    arena_destroy(arena);
}

/* Each receives before it sends, which cannot have happened. */
static void check_deadlock(struct processes *processes)
{
    static const char *const ranks[] = {
        "0:<app 0:+MPI_Recv 10:R1,7,8 10:-MPI_Recv 10:+MPI_Send 10:S1,7,8 12:-MPI_Send 20:>app",
        "0:<app 0:+MPI_Recv 10:R0,7,8 10:-MPI_Recv 10:+MPI_Send 10:S0,7,8 12:-MPI_Send 20:>app"};
    const struct pop_options options = {.windows = WINDOWS};
    struct error error = {0};
    const struct pop *pop = NULL;
    struct arena *arena = arena_create();
    struct trace *trace = built_trace(processes, ranks, (const char *[]){NULL, NULL}, 2);
    enum status status = trace_match(trace, &error);
    if (status == STATUS_OK)
        status = pop_measure(trace, &options, arena, &pop, &error);
    mpi_check(status == STATUS_OK && (processes->rank > 0 ||
                                      (pop->why_not_ideal && isnan(pop->rows[0].factors.transfer) &&
                                       is_near(pop->rows[0].factors.communication, 8.0 / 20))),
              "a deadlock has no T_ideal, but the other factors");
    trace_destroy(trace);
    arena_destroy(arena);
}

/* What the rows of iterations are about together. */
struct iteration_sums {
    size_t rows, iterations;
    double begin_s, end_s, computation_s;
    bool right; /* one follows the other */
};

static struct iteration_sums sum_iterations(const struct pop *pop)
{
    struct iteration_sums sums = {.right = true};
    for (size_t i = 0; i < pop->row_count; i++) {
        const struct pop_row *row = &pop->rows[i];
        if (row->part != POP_ITERATION)
            continue;
        sums.right &= row->first == sums.iterations && row->count > 0 &&
                      (sums.rows == 0 || row->begin_s == sums.end_s);
        sums.begin_s = sums.rows == 0 ? row->begin_s : sums.begin_s;
        sums.end_s = row->end_s;
        sums.computation_s += row->factors.computation_mean_s;
        sums.iterations += row->count;
        sums.rows++;
    }
    return sums;
}

/* A loop whose iterations come singly, and then several in a row. */
static void check_iterations(struct processes *processes)
{
    enum { ITERATIONS = 60, MOST = 7 };
    static char texts[2][ITERATIONS * 120];
    const char *const ranks[] = {texts[0], texts[1]};
    struct pop_options options = {.iterations = true};
    struct iteration_sums one = {0}, several = {0};
    struct error error = {0};
    const struct pop *pop;
    struct arena *arena = arena_create();
    for (int rank = 0; rank < 2; rank++) {
        char *text = texts[rank] + sprintf(texts[rank], "0:<app");
        for (int i = 0; i < ITERATIONS; i++) {
            const int enter = 100 * i + 70 + 10 * rank, leave = 100 * i + 90;
            text += sprintf(text, " %d:+MPI_Barrier %d:B %d:E %d:-MPI_Barrier", enter, enter, leave,
                            leave);
        }
        sprintf(text, " %d:>app", 100 * ITERATIONS);
    }
    struct trace *trace = built_trace(processes, ranks, (const char *[]){NULL, NULL}, 2);
    enum status status = trace_match(trace, &error);
    if (status == STATUS_OK)
        status = pop_measure(trace, &options, arena, &pop, &error);
    if (status == STATUS_OK && processes->rank == 0)
        one = sum_iterations(pop);
    options.iteration_rows = MOST;
    if (status == STATUS_OK)
        status = pop_measure(trace, &options, arena, &pop, &error);
    if (status == STATUS_OK && processes->rank == 0)
        several = sum_iterations(pop);
    const bool here = processes->rank == 0;
    mpi_check(status == STATUS_OK && (!here || (one.right && one.rows >= ITERATIONS - 2 &&
                                                one.rows == one.iterations)),
              "each iteration has a row");
    mpi_check(!here || (several.right && several.rows <= MOST && several.rows > MOST / 2 &&
                        several.iterations == one.iterations),
              "rows of several iterations have all of them");
    mpi_check(!here || (several.begin_s == one.begin_s && several.end_s == one.end_s &&
                        fabs(several.computation_s / one.computation_s - 1) < 1e-9),
              "... and their computation");
    trace_destroy(trace);
    arena_destroy(arena);
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    mpi_check_begin(&argc, &argv);
    mpi_check(processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK, "processes open");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i], &processes);
    check_hybrid(&processes);
    check_deadlock(&processes);
    check_iterations(&processes);
    processes_close(&processes);
    return mpi_check_end();
}
