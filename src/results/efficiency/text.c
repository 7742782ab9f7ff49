/* Efficiencies of recordings in tables like those of POP's reports. */
#include "results/efficiency/recording.h"

#include "base/units.h"
#include "report/text/output.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { LABEL = 32, COLUMN = 12, PART_COLUMN = 10 };

/* POP's rule of thumb: lower factors deserve attention. */
static const double low = 0.8;

struct tables {
    struct text_output out;
    const struct pop_recordings *recordings;
    bool threads; /* some recording has them */
    bool marked;  /* a factor was low */
};

/* " 78.3 %!" in `columns` columns. */
static void write_factor(struct tables *tables, double value, int columns)
{
    const struct text_output *out = &tables->out;
    if (!isfinite(value)) {
        fprintf(out->file, "%*s ", columns - 1, "-");
        return;
    }
    const bool mark = value < low;
    fprintf(out->file, "%s%*.1f %%%s%s", mark ? out->alarm : "", columns - 3, 100 * value,
            mark ? "!" : " ", mark ? out->plain : "");
    tables->marked |= mark;
}

/* A row of the tree: a fraction of the run (its offset in struct pop_factors) or of its scaling. */
struct tree_row {
    const char *name;
    int depth; /* one less without scaling */
    bool threads, scaling;
    size_t factor, scaled; /* offset, or SIZE_MAX if the other is used */
};

/* The cost of variation, where it was computed. */
static void write_variation(struct tables *tables, const char *name, size_t offset, size_t from,
                            size_t to)
{
    bool known = false;
    double values[to - from];
    for (size_t i = from; i < to; i++) {
        memcpy(&values[i - from], (const char *)&tables->recordings->items[i].variation + offset,
               sizeof *values);
        known |= isfinite(values[i - from]);
    }
    if (!known)
        return;
    fprintf(tables->out.file, "  %-*s", LABEL - 2, name);
    for (size_t i = from; i < to; i++)
        write_factor(tables, values[i - from], COLUMN);
    fputc('\n', tables->out.file);
}

static const double COSTS_NOTHING = 0.9995; /* this factor is written as 100.0 % */

/* NAN if the slow parts do not contain this one. */
static double factor_without(const struct pop_variation *variation, const char *name)
{
    for (size_t i = 0; i < variation->slow_count; i++)
        if (strcmp(variation->slow[i].name, name) == 0)
            return variation->slow[i].factor;
    return NAN;
}

/* T if a rank or a host were as fast as the others. */
static void write_slow_part(struct tables *tables, const char *name, size_t from, size_t to)
{
    fprintf(tables->out.file, "  ... slowness of %-*s", LABEL - 18, name);
    for (size_t i = from; i < to; i++)
        write_factor(tables, factor_without(&tables->recordings->items[i].variation, name), COLUMN);
    fputc('\n', tables->out.file);
}

#define FACTOR(member) offsetof(struct pop_factors, member), SIZE_MAX
#define SCALED(member) SIZE_MAX, offsetof(struct pop_scaling, member)
static const struct tree_row tree[] = {
    {"Global efficiency", 0, false, true, SCALED(global)},
    {"Parallel efficiency", 1, false, false, FACTOR(parallel)},
    {"MPI parallel efficiency", 2, true, false, FACTOR(mpi_parallel)},
    {"Load balance", 3, false, false, FACTOR(load_balance)},
    {"Communication efficiency", 3, false, false, FACTOR(communication)},
    {"Serialisation", 4, false, false, FACTOR(serialisation)},
    {"Transfer", 4, false, false, FACTOR(transfer)},
    {"Thread efficiency", 2, true, false, FACTOR(threads)},
    {"Thread load balance", 3, true, false, FACTOR(thread_load_balance)},
    {"Thread communication", 3, true, false, FACTOR(thread_communication)},
    {"or, added: threads - 1", 2, true, false, FACTOR(thread_additive)},
    {"Serial regions", 3, true, false, FACTOR(serial_regions)},
    {"Parallel regions - 1", 3, true, false, FACTOR(parallel_regions)},
    {"Computation scaling", 1, false, true, SCALED(computation)},
};

static double factor_at(const struct tree_row *row, const struct pop_recording *recording)
{
    double value;
    if (row->factor != SIZE_MAX)
        memcpy(&value, (const char *)&recording->pop->rows[0].factors + row->factor, sizeof value);
    else
        memcpy(&value, (const char *)&recording->scaled + row->scaled, sizeof value);
    return value;
}

static void write_tree_row(struct tables *tables, const struct tree_row *row, size_t from,
                           size_t to)
{
    const bool scales = tables->recordings->scaling != SCALING_NONE;
    if ((row->threads && !tables->threads) || (row->scaling && !scales))
        return;
    /* one level less without threads or scaling */
    int depth = row->depth - !scales - (!tables->threads && row->depth > 2);
    fprintf(tables->out.file, "  %*s%-*s", 2 * depth, "", LABEL - 2 - 2 * depth, row->name);
    for (size_t i = from; i < to; i++)
        write_factor(tables, factor_at(row, &tables->recordings->items[i]), COLUMN);
    fputc('\n', tables->out.file);
}

static void write_label(const struct tables *tables, const char *name)
{
    fprintf(tables->out.file, "  %-*s", LABEL - 2, name);
}

static void write_time_row(const struct tables *tables, const char *name, size_t offset,
                           size_t from, size_t to)
{
    write_label(tables, name);
    for (size_t i = from; i < to; i++) {
        double value;
        memcpy(&value, (const char *)&tables->recordings->items[i].pop->rows[0].factors + offset,
               sizeof value);
        fprintf(tables->out.file, "%*s ", COLUMN - 1,
                isfinite(value) ? time_text_alone(value, 4).text : "-");
    }
    fputc('\n', tables->out.file);
}

static void write_rank_counts(const struct tables *tables, size_t from, size_t to)
{
    const struct pop_recordings *recordings = tables->recordings;
    FILE *file = tables->out.file;
    write_label(tables, "ranks");
    for (size_t i = from; i < to; i++)
        fprintf(file, "%*u ", COLUMN - 1, recordings->items[i].pop->rank_count);
    fputc('\n', file);
    if (tables->threads) {
        write_label(tables, "threads of all ranks");
        for (size_t i = from; i < to; i++)
            fprintf(file, "%*u ", COLUMN - 1, recordings->items[i].pop->thread_count);
        fputc('\n', file);
    }
    write_time_row(tables, "T", offsetof(struct pop_factors, time_s), from, to);
    write_time_row(tables, "T on an ideal network", offsetof(struct pop_factors, ideal_s), from,
                   to);
    write_time_row(tables, "computation, mean of ranks",
                   offsetof(struct pop_factors, computation_mean_s), from, to);
    if (recordings->scaling == SCALING_NONE)
        return;
    write_label(tables, "speedup");
    for (size_t i = from; i < to; i++)
        fprintf(file, "%*.2f ", COLUMN - 1, recordings->items[i].scaled.speedup);
    fputc('\n', file);
}

/* Recordings `from` to `to` in columns. */
static void write_block(struct tables *tables, size_t from, size_t to)
{
    FILE *file = tables->out.file;
    const struct pop_recording *items = tables->recordings->items;
    fputc('\n', file);
    if (tables->recordings->count > 1) {
        write_label(tables, "recording");
        for (size_t i = from; i < to; i++) {
            char number[32];
            snprintf(number, sizeof number, "[%zu]", i + 1);
            fprintf(file, "%*s ", COLUMN - 1, number);
        }
        fputc('\n', file);
    }
    write_rank_counts(tables, from, to);
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++)
        write_tree_row(tables, &tree[i], from, to);
    write_variation(tables, "T without rank variation", offsetof(struct pop_variation, ranks), from,
                    to);
    write_variation(tables, "... iteration variation", offsetof(struct pop_variation, iterations),
                    from, to);
    write_variation(tables, "... noise", offsetof(struct pop_variation, noise), from, to);
    for (size_t i = from; i < to; i++)
        for (size_t j = 0; j < items[i].variation.slow_count; j++) {
            const char *name = items[i].variation.slow[j].name;
            bool written = items[i].variation.slow[j].factor >= COSTS_NOTHING;
            for (size_t before = from; before < i && !written; before++)
                written = factor_without(&items[before].variation, name) < COSTS_NOTHING;
            if (!written)
                write_slow_part(tables, name, from, to);
        }
}

static void write_runs(struct tables *tables)
{
    const struct pop_recordings *recordings = tables->recordings;
    const int width = tables->out.width;
    size_t columns = width > LABEL + COLUMN ? (size_t)((width - LABEL) / COLUMN) : 1;
    if (width == 0)
        columns = recordings->count;
    for (size_t from = 0; from < recordings->count; from += columns)
        write_block(tables, from,
                    from + columns < recordings->count ? from + columns : recordings->count);
    for (size_t i = 0; i < recordings->count; i++)
        if (recordings->items[i].pop->why_not_ideal)
            fprintf(tables->out.file, "\n  [%zu] T on an ideal network is not known: %s\n", i + 1,
                    recordings->items[i].pop->why_not_ideal);
}

static void write_title(const struct tables *tables)
{
    const struct text_output *out = &tables->out;
    const struct pop_recordings *recordings = tables->recordings;
    fprintf(out->file, "%sPOP efficiencies%s%s, from MPI_Init to MPI_Finalize\n", out->bold,
            recordings->scaling == SCALING_STRONG ? ", strong scaling"
            : recordings->scaling == SCALING_WEAK ? ", weak scaling"
                                                  : "",
            out->plain);
    for (size_t i = 0; i < recordings->count; i++) {
        int used = recordings->count > 1 ? fprintf(out->file, "  [%zu] ", i + 1)
                                         : fprintf(out->file, "  ");
        text_end_line(out, used, recordings->items[i].path);
    }
}

/* "3: 0.120 .. 0.160 s" */
static void write_part_name(const struct tables *tables, const struct pop_row *row, int used)
{
    char text[128];
    const struct time_format format = time_format_for(row->end_s, 4);
    if (row->part == POP_REGION) {
        text_end_line(&tables->out, used, row->name);
        return;
    }
    snprintf(text, sizeof text, "%llu: %s .. %s %s", (unsigned long long)row->first + 1,
             time_text(&format, row->begin_s).text, time_text(&format, row->end_s).text,
             format.unit);
    text_end_line(&tables->out, used, text);
}

static void write_part_row(struct tables *tables, const struct pop_row *row)
{
    const struct pop_factors *f = &row->factors;
    const double values[] = {f->parallel,      f->load_balance, f->communication,
                             f->serialisation, f->transfer,     f->threads};
    const size_t count = tables->threads ? 6 : 5;
    fprintf(tables->out.file, "%*s ", PART_COLUMN, time_text_alone(f->time_s, 4).text);
    for (size_t i = 0; i < count; i++)
        write_factor(tables, values[i], PART_COLUMN);
    fputs("  ", tables->out.file);
    write_part_name(tables, row, PART_COLUMN * ((int)count + 1) + 3);
}

static void write_part_head(const struct tables *tables, enum pop_part part, const char *name)
{
    static const char *const heads[] = {
        [POP_REGION] = "region", [POP_ITERATION] = "iteration", [POP_WINDOW] = "window of time"};
    FILE *file = tables->out.file;
    text_heading(&tables->out, part == POP_REGION      ? "Regions with the most time"
                               : part == POP_ITERATION ? "Iterations"
                                                       : "Over time");
    if (part == POP_ITERATION && *name) {
        int used = fprintf(file, "  of the loop at ");
        text_end_line(&tables->out, used, name);
    }
    fprintf(file, "%*s %*s%*s%*s%*s%*s%s  %s\n", PART_COLUMN, "T", PART_COLUMN - 1, "parallel",
            PART_COLUMN, "balance", PART_COLUMN, "commun.", PART_COLUMN, "serial.", PART_COLUMN,
            "transfer", tables->threads ? "    threads " : " ", heads[part]);
}

static void write_part_table(struct tables *tables, const struct pop_recording *recording)
{
    const struct pop *pop = recording->pop;
    enum pop_part last = POP_RUN;
    size_t regions = 0;
    for (size_t i = 1; i < pop->row_count; i++) {
        const struct pop_row *row = &pop->rows[i];
        if (row->part == POP_REGION && regions++ >= tables->recordings->regions)
            continue;
        if (row->part == POP_WINDOW && !tables->recordings->windows)
            continue;
        if (row->part != last)
            write_part_head(tables, row->part, row->name);
        last = row->part;
        write_part_row(tables, row);
    }
}

bool recordings_write_text(const void *what, FILE *stream)
{
    struct tables tables = {.out = text_output_of(stream), .recordings = what};
    const struct pop_recordings *recordings = what;
    assert(recordings->count >= 1);
    for (size_t i = 0; i < recordings->count; i++)
        tables.threads |=
            recordings->items[i].pop->thread_count > recordings->items[i].pop->rank_count;
    write_title(&tables);
    write_runs(&tables);
    for (size_t i = 0; i < recordings->count && recordings->parts; i++) {
        if (recordings->count > 1)
            text_heading(&tables.out, "[%zu]", i + 1);
        write_part_table(&tables, &recordings->items[i]);
    }
    if (tables.marked)
        fprintf(stream, "\n! below %.0f %%: worth a look\n", 100 * low);
    return !ferror(stream);
}
