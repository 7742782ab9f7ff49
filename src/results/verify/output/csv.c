/* CSV: one row per time, metric, and metric in a call path. */
#include "report/csv.h"
#include "results/verify/verification.h"

#include <math.h>
#include <stdlib.h>

static void write_verified_csv_row(const char *kind, const char *metric, const char *unit,
                                   const char *path, double predicted,
                                   const struct estimate *measured, FILE *stream)
{
    const bool claimed = measured->level > 0;
    csv_text(kind, stream);
    csv_next(stream);
    csv_text(metric, stream);
    csv_next(stream);
    csv_text(unit, stream);
    csv_next(stream);
    csv_text(path, stream);
    csv_next(stream);
    csv_number(predicted, stream);
    csv_next(stream);
    csv_number(measured->median, stream);
    csv_next(stream);
    csv_number(claimed ? measured->low : NAN, stream);
    csv_next(stream);
    csv_number(claimed ? measured->high : NAN, stream);
    csv_next(stream);
    csv_number(predicted - measured->median, stream);
    csv_end(stream);
}

static bool write_verification_csv(const struct verification *verification, FILE *stream)
{
    const struct severity *first = verification->stores[0];
    fputs("kind,metric,unit,call_path,predicted,measured,measured_low,measured_high,difference\r\n",
          stream);
    for (int i = 0; i < TIME_COUNT; i++)
        if (i != TIME_REGION || verification->input.region)
            write_verified_csv_row("time", compared_time_names[i], "sec", NULL,
                                   verification->times[i].predicted.median,
                                   &verification->times[i].measured, stream);
    for (size_t i = 0; i < verification->row_count; i++) {
        const struct verified_row *row = &verification->rows[i];
        const struct metric_info *info = &first->metrics[row->metric];
        const bool total = row->path == SEVERITY_NONE;
        char *path = total ? NULL : severity_path_text(first, row->path);
        if (!total && !path)
            return false;
        write_verified_csv_row(total ? "metric" : "call path", info->name, metric_info_unit(info),
                               path, row->predicted, &row->measured, stream);
        free(path);
    }
    return !ferror(stream);
}

const struct verify_format verify_csv = {"csv", write_verification_csv};
