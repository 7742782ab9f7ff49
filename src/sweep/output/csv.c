/* CSV (RFC 4180): a header, one row per run in the order of the table, and a column for each key of
 * the settings. Unknown figures are empty. */
#include "sweep/output/formats.h"

#include "report/csv.h"

#include <stdlib.h>

static void write_csv_number(double value, FILE *stream)
{
    csv_number(value, stream);
    csv_next(stream);
}

static void write_estimate(const struct estimate *estimate, FILE *stream)
{
    write_csv_number(estimate->low, stream);
    write_csv_number(estimate->median, stream);
    write_csv_number(estimate->high, stream);
}

static void write_csv_head(const struct sweep_table *table, FILE *stream)
{
    fputs("rank,name,state,engine,saving_low,saving_median,saving_high,typical_low,typical_high,"
          "objective_low,"
          "objective_median,objective_high,p,significant,unchanged_s,changed_s,model_saving,"
          "rounds,trustworthy,changes,regions,on_front,config,report,message",
          stream);
    for (size_t i = 0; i < table->key_count; i++) {
        csv_next(stream);
        csv_text(table->keys[i].name, stream);
    }
    csv_end(stream);
}

static bool write_csv_path(char *path, bool wanted, FILE *stream)
{
    csv_text(path, stream);
    csv_next(stream);
    const bool room = path != NULL || !wanted;
    free(path);
    return room;
}

static bool write_csv_row(const struct sweep_table *table, size_t index, FILE *stream)
{
    const struct table_row *row = &table->rows[index];
    const struct run_result *result = row->result;
    const bool done = result->state == RUN_DONE;
    if (done)
        fprintf(stream, "%zu", index + 1);
    csv_next(stream);
    csv_text(row->run->name, stream);
    fprintf(stream, ",%s,%s,", run_state_names[result->state],
            result->engine ? result->engine : "");
    write_estimate(&row->saving, stream);
    write_csv_number(row->typical.low, stream);
    write_csv_number(row->typical.high, stream);
    write_estimate(&row->objective, stream);
    write_csv_number(row->p, stream);
    fprintf(stream, "%s,", !done ? "" : row->significant ? "yes" : "no");
    write_csv_number(row->unchanged_s, stream);
    write_csv_number(row->changed_s, stream);
    write_csv_number(result->model_saving, stream);
    fprintf(stream, "%zu,%s,%zu,%zu,%s,", result->pair_count,
            !done                 ? ""
            : result->trustworthy ? "yes"
                                  : "no",
            result->changes, result->regions, row->on_front ? "yes" : "no");
    const bool config = write_csv_path(table_config(table, row), true, stream),
               report = write_csv_path(table_path(table, result->report), result->report != NULL,
                                       stream);
    csv_text(result->message, stream);
    for (size_t i = 0; i < table->key_count; i++) {
        csv_next(stream);
        csv_text(run_setting(row->run, table->keys[i].name), stream);
    }
    csv_end(stream);
    return config && report;
}

static bool write_csv_table(const struct sweep_table *table, FILE *stream)
{
    bool room = true;
    write_csv_head(table, stream);
    for (size_t i = 0; i < table->row_count; i++)
        room = write_csv_row(table, i, stream) && room;
    return room && !ferror(stream);
}

const struct table_format csv_table = {"csv", "one row per run, for spreadsheets", write_csv_table};
