/* POP's efficiencies as plain data (https://pop-coe.eu: multiplicative hierarchy; doc/methods.md
 * has the equations). efficiency/measure.h finds them; report formats show them.
 *
 * With C(p) = the time rank p spends outside MPI calls in the part, T = the part's time, and
 * T_ideal = the same by the model on an ideal network (no latency, no overhead, no time per byte):
 *
 *   parallel efficiency = mean C / T = load balance * communication efficiency
 *   load balance = mean C / max C
 *   communication efficiency = max C / T = serialisation * transfer
 *   serialisation = max C / T_ideal          transfer = T_ideal / T
 *
 * Where threads are recorded, with U(p) = useful time of rank p's threads over their number:
 *
 *   parallel efficiency = MPI parallel efficiency * thread efficiency */
#ifndef REPORT_POP_H
#define REPORT_POP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fractions, 1 is ideal; NAN: not known (a part without time; a trace that the model cannot
 * compute). Products hold to 1e-9. */
struct pop_factors {
    double parallel, load_balance, communication, serialisation, transfer;
    double mpi_parallel, threads; /* NAN unless threads are recorded; then their product is
                                     `parallel` */
    double time_s, ideal_s;       /* T, T_ideal */
    double computation_mean_s, computation_max_s;
};

/* What a row is about. */
enum pop_part { POP_RUN, POP_REGION, POP_ITERATION, POP_WINDOW };

struct pop_row {
    enum pop_part part;
    const char *name;      /* of a region, or of the loop whose iterations these are; else "" */
    uint64_t first, count; /* iterations or windows: the first, and how many the row is about */
    double begin_s, end_s; /* since the trace's first event; a region: 0 and T of the run */
    struct pop_factors factors;
};

/* Efficiencies of one run. The first row is the whole run; regions follow, with the most time
 * first, then iterations and windows in order of time. */
struct pop {
    struct pop_row *rows;
    size_t row_count;
    uint32_t rank_count, thread_count; /* threads: of all ranks together; = ranks if none */
    const char *why_not_ideal;         /* why T_ideal is unknown; NULL: it is known */
};

#endif
