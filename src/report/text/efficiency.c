/* POP's efficiencies of a run, or before and after a change. */
#include "report/text/text_private.h"

#include <assert.h>
#include <math.h>

enum { NAME = 28 };

static void write_factor_value(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, " %8.1f %%", 100 * value);
    else
        fprintf(file, " %10s", "-");
}

/* `before` may be NULL. A factor that neither has is left out. */
static void write_factor_row(const struct text_output *out, int depth, const char *name,
                             const double *before, double after)
{
    if (!isfinite(after) && !(before && isfinite(*before)))
        return;
    fprintf(out->file, "  %*s%-*s", 2 * depth, "", NAME - 2 * depth, name);
    if (before)
        write_factor_value(out->file, *before);
    write_factor_value(out->file, after);
    fputc('\n', out->file);
}

/* Both forms: as a factor, and as a summand. */
static void write_thread_factors(const struct text_output *out, const struct pop_factors *before,
                                 const struct pop_factors *after)
{
    write_factor_row(out, 1, "x thread efficiency", before ? &before->threads : NULL,
                     after->threads);
    write_factor_row(out, 2, "= load balance", before ? &before->thread_load_balance : NULL,
                     after->thread_load_balance);
    write_factor_row(out, 2, "x communication", before ? &before->thread_communication : NULL,
                     after->thread_communication);
    write_factor_row(out, 1, "or + threads - 1", before ? &before->thread_additive : NULL,
                     after->thread_additive);
    write_factor_row(out, 2, "= serial regions", before ? &before->serial_regions : NULL,
                     after->serial_regions);
    write_factor_row(out, 2, "+ parallel regions - 1", before ? &before->parallel_regions : NULL,
                     after->parallel_regions);
}

void text_efficiency_write(const struct text_output *out, const struct pop_factors *before,
                           const struct pop_factors *after, const char *const *names)
{
    assert(after);
    const bool threads = isfinite(after->threads);
    const int depth = threads ? 2 : 1;
    if (!isfinite(after->parallel))
        return;
    text_heading(out, "POP efficiency");
    if (before)
        fprintf(out->file, "  %-*s %10s %10s\n", NAME, "", names[0], names[1]);
    write_factor_row(out, 0, "parallel efficiency", before ? &before->parallel : NULL,
                     after->parallel);
    if (threads) {
        write_factor_row(out, 1, "= MPI parallel efficiency", before ? &before->mpi_parallel : NULL,
                         after->mpi_parallel);
    }
    write_factor_row(out, depth, "= load balance", before ? &before->load_balance : NULL,
                     after->load_balance);
    write_factor_row(out, depth, "x communication", before ? &before->communication : NULL,
                     after->communication);
    write_factor_row(out, depth + 1, "= serialisation", before ? &before->serialisation : NULL,
                     after->serialisation);
    write_factor_row(out, depth + 1, "x transfer", before ? &before->transfer : NULL,
                     after->transfer);
    if (threads)
        write_thread_factors(out, before, after);
}
