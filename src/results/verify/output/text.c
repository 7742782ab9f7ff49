/* Text that people read. Times of call paths are means over the ranks, comparable with T;
 * percentages are of the measured T. */
#include "base/plural.h"
#include "base/units.h"
#include "results/verify/verification.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PATHS = 10, DIGITS = 5 };

/* Differences below this part of T are not shown. */
static const double visible = 0.0005;

static const char *const titles[TIME_COUNT] = {"T", "  without MPI_Init, MPI_Finalize",
                                               "  within the region"};

static void write_sides(const struct verification *verification, FILE *stream)
{
    const struct verification_input *input = &verification->input;
    static const char untraced[] = " (without the cost of tracing, as the prediction)";
    fprintf(stream, "predicted: %s (%u rank%s)\n", input->prediction->path,
            input->prediction->ranks, plural(input->prediction->ranks));
    for (size_t i = 0; i < input->truth_count; i++)
        fprintf(stream, "measured:  %s%s\n", input->truths[i].path,
                input->truths[i].untraced ? untraced : "");
    if (input->original)
        fprintf(stream, "original:  %s%s\n", input->original->path,
                input->original->untraced ? untraced : "");
    if (input->region)
        fprintf(stream, "region:    %s\n", input->region);
    if (!verification->same_ranks)
        fputs("\n*** the numbers of ranks differ: means over the ranks are compared\n", stream);
    if (!verification->trustworthy)
        fprintf(stream, "\n*** the prediction is NOT TRUSTWORTHY: %s\n",
                input->prediction->report->reason ? input->prediction->report->reason : "");
    fputc('\n', stream);
}

/* "  0.9039 .. 0.9051", or blanks. */
static void write_interval(const struct time_format *format, const struct estimate *estimate,
                           FILE *stream)
{
    char text[128] = "";
    if (estimate->level > 0)
        snprintf(text, sizeof text, "%s .. %s", time_text(format, estimate->low).text,
                 time_text(format, estimate->high).text);
    fprintf(stream, "  %-22s", text);
}

static void write_verified_times(const struct verification *verification, FILE *stream)
{
    const struct verified_time *times = verification->times;
    const struct time_format format = time_format_for(
        fmax(times[TIME_WHOLE].predicted.median, times[TIME_WHOLE].measured.median), DIGITS);
    fprintf(stream, "  %-32s %12s %12s   %-22s %8s\n", "", "predicted", "measured", "interval",
            "error");
    for (int i = 0; i < TIME_COUNT; i++) {
        if (i == TIME_REGION && !verification->input.region)
            continue;
        fprintf(stream, "  %-32s %10s %-2s %9s %-2s", titles[i],
                time_text(&format, times[i].predicted.median).text, format.unit,
                time_text(&format, times[i].measured.median).text, format.unit);
        write_interval(&format, &times[i].measured, stream);
        fprintf(stream, " %+7.2f %%\n", 100 * times[i].error);
    }
}

/* Whether prediction and measurement lie in each other's intervals. */
static void write_verdict(const struct verification *verification, FILE *stream)
{
    const struct verified_time *time = &verification->times[verification->main_time];
    fprintf(stream, "\n  The prediction is off by %.2f %% of the time.\n", 100 * fabs(time->error));
    if (time->measured.level > 0)
        fprintf(stream, "  It lies %s the interval of the measured runs (%.1f %%).\n",
                prediction_is_inside(time) ? "in" : "outside", 100 * time->measured.level);
    const size_t truths = verification->input.truth_count;
    const struct estimate *expected = expected_interval(time, truths);
    if (expected->level > 0)
        fprintf(stream, "  The measured time lies %s the interval predicted for %s.\n",
                truth_is_inside(time, truths) ? "in" : "outside",
                expected == &time->typical ? "typical runs" : "single runs");
    if (isfinite(verification->saving_achieved))
        fprintf(stream,
                "  saving:   %.2f %% estimated / %.2f %% achieved (%+.2f points)\n"
                "  speed-up: %.3f estimated / %.3f achieved\n",
                100 * verification->saving_estimated, 100 * verification->saving_achieved,
                100 * (verification->saving_estimated - verification->saving_achieved),
                verification->speed_up_estimated, verification->speed_up_achieved);
    else if (isfinite(verification->saving_estimated))
        fprintf(stream,
                "  saving:   %.2f %% estimated (name the original recording by --original to see "
                "the achieved saving)\n",
                100 * verification->saving_estimated);
}

static double value_of_all_ranks(const struct verification *verification)
{
    return verification->times[TIME_WHOLE].measured.median;
}

static void write_verified_row(const struct verification *verification,
                               const struct time_format *format, const struct verified_row *row,
                               FILE *stream)
{
    fprintf(stream, "  %10s %10s", time_text(format, row->predicted).text,
            time_text(format, row->measured.median).text);
    write_interval(format, &row->measured, stream);
    fprintf(stream, " %10s %7.2f  ", time_text(format, row->difference).text,
            100 * row->difference / value_of_all_ranks(verification));
}

static void write_verified_titles(const char *heading, const struct time_format *format,
                                  const char *last, FILE *stream)
{
    fprintf(stream, "\n%s (%s, mean of the ranks)\n  %10s %10s  %-22s %10s %7s  %s\n", heading,
            format->unit, "predicted", "measured", "interval", "difference", "% of T", last);
}

/* Time and the kinds of waiting. */
static bool is_shown_row(const struct severity *severity, const struct verified_row *row)
{
    return row->metric == METRIC_TIME || severity->metrics[row->metric].parent == METRIC_TIME;
}

static void write_verified_metrics(const struct verification *verification,
                                   const struct time_format *format, FILE *stream)
{
    const struct severity *first = verification->stores[0];
    write_verified_titles("Time and waiting", format, "metric", stream);
    for (size_t i = 0; i < verification->total_count; i++) {
        const struct verified_row *row = &verification->rows[i];
        if (!is_shown_row(first, row))
            continue;
        write_verified_row(verification, format, row, stream);
        fprintf(stream, "%s%s\n", row->metric == METRIC_TIME ? "" : "  ",
                first->metrics[row->metric].title);
    }
}

static bool write_verified_paths(const struct verification *verification,
                                 const struct time_format *format, FILE *stream)
{
    const struct severity *first = verification->stores[0];
    size_t shown = 0;
    for (size_t i = verification->total_count; i < verification->row_count; i++) {
        const struct verified_row *row = &verification->rows[i];
        if (!is_shown_row(first, row) || shown == MOST_PATHS ||
            fabs(row->difference) < visible * value_of_all_ranks(verification))
            continue;
        if (shown++ == 0)
            write_verified_titles("Call paths that differ most", format, "metric, call path",
                                  stream);
        char *path = severity_path_text(first, row->path);
        if (!path)
            return false;
        write_verified_row(verification, format, row, stream);
        fprintf(stream, "%s  %s\n", first->metrics[row->metric].name, path);
        free(path);
    }
    if (shown == 0)
        fprintf(stream, "\nNo call path differs by %.2f %% of T.\n", 100 * visible);
    return true;
}

static bool write_verification_text(const struct verification *verification, FILE *stream)
{
    const struct time_format format = time_format_for(value_of_all_ranks(verification), DIGITS);
    write_sides(verification, stream);
    write_verified_times(verification, stream);
    write_verdict(verification, stream);
    write_verified_metrics(verification, &format, stream);
    return write_verified_paths(verification, &format, stream) && !ferror(stream);
}

const struct verify_format verify_text = {"text", write_verification_text};
