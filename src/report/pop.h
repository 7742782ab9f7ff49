/* POP's efficiencies as plain data (https://pop-coe.eu: multiplicative hierarchy; doc/methods.md
 * has the equations). results/efficiency/measure.h computes them; report formats show them.
 *
 * The run lasts from the first rank's return from MPI_Init to the last rank's call of MPI_Finalize.
 * C(p) is the time that rank p's master thread spends outside MPI calls in a part of the run, T the
 * part's time, and T_ideal the same by the model on an ideal network (no latency, no overhead, no
 * time per byte):
 *
 *   MPI parallel efficiency = mean C / T = load balance * communication efficiency
 *   load balance = mean C / max C
 *   communication efficiency = max C / T = serialisation * transfer
 *   serialisation = max C / T_ideal          transfer = T_ideal / T
 *
 * Without threads this is the parallel efficiency. Where threads are recorded, U is the useful time
 * of all threads together (outside MPI, and not waiting for other threads):
 *
 *   parallel efficiency = U / (T * threads) = MPI parallel efficiency * thread efficiency
 *   thread efficiency = thread load balance * thread communication efficiency
 *
 * where the last two are those of all threads (mean U / max U, max U / T) divided by those of the
 * ranks. The additive form takes losses apart instead:
 *
 *   parallel efficiency = MPI parallel efficiency + additive thread efficiency - 1
 *   additive thread efficiency = serial regions + parallel regions - 1
 *   serial regions = 1 - (time of workers while their masters compute outside of parallel
 *                    regions) / (T * threads) */
#ifndef REPORT_POP_H
#define REPORT_POP_H

#include "severity/severity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fractions; 1 is ideal. NAN: unknown (a part without time, or a trace that the model cannot
 * compute). The products above hold to 1e-9. */
struct pop_factors {
    double parallel, load_balance, communication, serialisation, transfer;
    double mpi_parallel;    /* `parallel` if no threads are recorded */
    double threads;         /* thread efficiency; NAN: no threads are recorded */
    double time_s, ideal_s; /* T, T_ideal */
    double computation_mean_s, computation_max_s;
    /* NAN where `threads` is, serial and parallel regions also if no parallel region is recorded */
    double thread_load_balance, thread_communication;
    double thread_additive, serial_regions, parallel_regions;
};

/* The part of the run that a row describes. */
enum pop_part { POP_RUN, POP_REGION, POP_ITERATION, POP_WINDOW };

struct pop_row {
    enum pop_part part;
    const char *name;      /* of a region, or of the loop that the iterations belong to; else "" */
    uint64_t first, count; /* iterations or windows: the first, and their number */
    double begin_s,
        end_s; /* since the trace's first event; of a region: begin and end of the run */
    struct pop_factors factors;
};

/* Efficiencies of one run. The first row is the whole run; regions follow, with the most time
 * first, then iterations and windows in order of time. */
struct pop {
    struct pop_row *rows;
    size_t row_count;
    uint32_t rank_count, thread_count; /* threads: of all ranks; rank_count if none are recorded */
    const char *why_not_ideal;         /* why T_ideal is unknown; NULL if it is not */
};

/* The efficiencies of a whole run from its times per call path alone. T excludes the shortest time
 * that any rank spends in MPI_Init and MPI_Finalize. Serialisation and transfer are NAN; all
 * factors are NAN for a run without time. */
struct pop_factors pop_factors_of(const struct severity *severity);

/* "run", "region", "iteration", "window". */
const char *pop_part_name(enum pop_part part);

#endif
