/* Efficiencies of recordings as JSON, as a page, and as CSV. */
#include "results/efficiency/recording.h"
#include "report/csv.h"
#include "report/json/pop.h"
#include "report/page/page.h"

extern const struct page_kind pop_page;

enum { FORMAT_VERSION = 1 };

static json_t *variation_object(const struct pop_variation *variation)
{
    json_t *slow = json_array();
    for (size_t i = 0; i < variation->slow_count; i++)
        json_append(&slow, JSON_MEMBERS({"name", json_text(variation->slow[i].name)},
                                        {"factor", json_number(variation->slow[i].factor)}));
    return JSON_MEMBERS({"ranks", json_number(variation->ranks)},
                        {"iterations", json_number(variation->iterations)},
                        {"noise", json_number(variation->noise)}, {"slow", slow});
}

static json_t *recording_object(const struct pop_recording *recording)
{
    return JSON_MEMBERS(
        {"path", json_text(recording->path)}, {"speedup", json_number(recording->scaled.speedup)},
        {"computation_scaling", json_number(recording->scaled.computation)},
        {"global_efficiency", json_number(recording->scaled.global)},
        {"variation", variation_object(&recording->variation)}, {"pop", json_pop(recording->pop)});
}

static json_t *recordings_object(const struct pop_recordings *recordings)
{
    json_t *list = json_array();
    for (size_t i = 0; i < recordings->count; i++)
        json_append(&list, recording_object(&recordings->items[i]));
    return JSON_MEMBERS({"format", json_string("silas-pop")},
                        {"version", json_integer(FORMAT_VERSION)},
                        {"scaling", json_text(recordings->scaling == SCALING_STRONG ? "strong"
                                              : recordings->scaling == SCALING_WEAK ? "weak"
                                                                                    : NULL)},
                        {"reference", json_integer(0)}, {"recordings", list});
}

bool recordings_write_json(const void *what, FILE *stream)
{
    return json_write(recordings_object(what), stream);
}

bool recordings_write_page(const void *what, FILE *stream)
{
    return page_write(&pop_page, "POP efficiencies", recordings_object(what), stream);
}

static const char *const columns[] = {"recording",
                                      "ranks",
                                      "threads",
                                      "part",
                                      "name",
                                      "first",
                                      "begin_s",
                                      "end_s",
                                      "time_s",
                                      "ideal_s",
                                      "computation_mean_s",
                                      "computation_max_s",
                                      "parallel_efficiency",
                                      "mpi_parallel_efficiency",
                                      "load_balance",
                                      "communication_efficiency",
                                      "serialisation",
                                      "transfer",
                                      "thread_efficiency",
                                      "thread_load_balance",
                                      "thread_communication_efficiency",
                                      "thread_efficiency_additive",
                                      "serial_regions",
                                      "parallel_regions",
                                      "speedup",
                                      "computation_scaling",
                                      "global_efficiency",
                                      "without_rank_variation",
                                      "without_iteration_variation",
                                      "without_noise"};
enum { COLUMNS = sizeof columns / sizeof *columns, OF_RUN = 6 };

static void write_pop_csv_row(const struct pop_recording *recording, const struct pop_row *row,
                              FILE *stream)
{
    const struct pop_factors *f = &row->factors;
    const struct pop_scaling *scaled = &recording->scaled;
    const double values[] = {(double)row->first,
                             row->begin_s,
                             row->end_s,
                             f->time_s,
                             f->ideal_s,
                             f->computation_mean_s,
                             f->computation_max_s,
                             f->parallel,
                             f->mpi_parallel,
                             f->load_balance,
                             f->communication,
                             f->serialisation,
                             f->transfer,
                             f->threads,
                             f->thread_load_balance,
                             f->thread_communication,
                             f->thread_additive,
                             f->serial_regions,
                             f->parallel_regions,
                             scaled->speedup,
                             scaled->computation,
                             scaled->global,
                             recording->variation.ranks,
                             recording->variation.iterations,
                             recording->variation.noise};
    const size_t count = sizeof values / sizeof *values;
    csv_text(recording->path, stream);
    csv_next(stream);
    csv_number(recording->pop->rank_count, stream);
    csv_next(stream);
    csv_number(recording->pop->thread_count, stream);
    csv_next(stream);
    csv_text(pop_part_name(row->part), stream);
    csv_next(stream);
    csv_text(row->name, stream);
    for (size_t i = 0; i < count; i++) {
        csv_next(stream);
        if (i + OF_RUN < count || row->part == POP_RUN) /* the last ones are of the whole run */
            csv_number(values[i], stream);
    }
    csv_end(stream);
}

bool recordings_write_csv(const void *what, FILE *stream)
{
    const struct pop_recordings *recordings = what;
    for (size_t i = 0; i < COLUMNS; i++) {
        csv_text(columns[i], stream);
        if (i + 1 < COLUMNS)
            csv_next(stream);
    }
    csv_end(stream);
    for (size_t i = 0; i < recordings->count; i++)
        for (size_t row = 0; row < recordings->items[i].pop->row_count; row++)
            write_pop_csv_row(&recordings->items[i], &recordings->items[i].pop->rows[row], stream);
    return !ferror(stream);
}
