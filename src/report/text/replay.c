/* Times of call paths are means over the ranks, so that they can be compared with T. Percentages
 * are of T before the change. */
#include "report/text/text_private.h"

#include "base/files.h"
#include "base/plural.h"
#include "base/units.h"
#include "report/verdict.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void write_replay_head(const struct text_output *out, const struct replay_report *report)
{
    fprintf(out->file, "%s%s%s, %u rank%s: %s\n", out->bold, files_base_name(report->program),
            out->plain, report->rank_count, plural(report->rank_count),
            report->identity ? "replayed unchanged" : "what if ...");
    for (size_t i = 0; i < report->hypothesis_count; i++)
        fprintf(out->file, "  %s\n", report->hypotheses[i]);
}

static void write_untrustworthy(const struct text_output *out, const struct replay_report *report)
{
    if (!report->trustworthy)
        fprintf(out->file, "\n%sNOT TRUSTWORTHY%s: %s\n", *out->alarm ? out->alarm : "*** ",
                *out->alarm ? out->plain : " ***", report->untrustworthy_reason);
}

/* "  predicted      0.9042 s   0.9039 .. 0.9051"; without the interval if none is claimed. */
static void write_estimated_time(const struct text_output *out, const char *name,
                                 const struct time_format *format, const struct estimate *time,
                                 bool bold)
{
    fprintf(out->file, "  %-20s %s%10s %s%s", name, bold ? out->bold : "",
            time_text(format, time->median).text, format->unit, bold ? out->plain : "");
    if (time->level > 0)
        fprintf(out->file, "%*s%s .. %s", (int)(5 - strlen(format->unit)), "",
                time_text(format, time->low).text, time_text(format, time->high).text);
    fputc('\n', out->file);
}

static void write_saving(const struct text_output *out, const struct replay_report *report)
{
    const struct estimate *saving = &report->saving;
    const double percent = fabs(saving->median) < 0.00005 ? 0 : 100 * saving->median;
    fprintf(out->file, "  %-20s %s%10.2f %% %s", percent < 0 ? "saving (a loss)" : "saving",
            out->bold, percent, out->plain);
    if (saving->level > 0)
        fprintf(out->file, "   %.2f .. %.2f", 100 * saving->low, 100 * saving->high);
    fprintf(out->file, "   (%s%s)\n", time_text_alone(report->saving_s.median, 4).text,
            report->computed       ? "; computed"
            : saving->level == 0   ? ""
            : !report->trustworthy ? "; not trustworthy"
            : report->significant  ? "; significant"
                                   : "; not significant: the interval contains zero");
}

/* The saving to expect in real runs. */
static void write_for_real(const struct text_output *out, const struct replay_report *report)
{
    const struct estimate *typical = &report->saving_typical, *real = &report->saving_for_real;
    if (report->computed || !report->corrected || real->level == 0)
        return;
    fprintf(out->file, "  %-36s%.2f .. %.2f   (median of many pairs: error of such predictions)\n",
            "between typical runs", 100 * typical->low, 100 * typical->high);
    fprintf(out->file, "  %-36s%.2f .. %.2f   (error and noise of the replays, spread of runs)\n",
            "between two single runs", 100 * real->low, 100 * real->high);
}

static void write_outcomes(const struct text_output *out, const struct replay_report *report)
{
    enum { ENOUGH_FOR_95_PERCENT = 19 };
    const struct report_outcomes *of = &report->outcomes;
    if (of->programs == 0)
        return;
    fprintf(out->file,
            "  %-36s%.2f .. %.2f   (%s changed in %d programs: %s of the errors within %.1f "
            "points)\n",
            "by errors of earlier predictions", 100 * (report->saving.median - of->within),
            100 * (report->saving.median + of->within), of->changes, of->programs,
            of->programs < ENOUGH_FOR_95_PERCENT ? "all" : "95 %", 100 * of->within);
}

/* How the figures above were obtained. */
static void write_replays(const struct text_output *out, const struct replay_report *report)
{
    if (report->computed) {
        fprintf(out->file,
                "  computed by the %s engine, not replayed: every run has the same result\n",
                report->engine);
        return;
    }
    fprintf(out->file, "  %d replay%s%s%s", report->repeat, plural(report->repeat),
            report->identity ? ""
            : report->baseline_is_trace
                ? " of the changed trace"
                : " each of the changed and the unchanged trace, interleaved",
            report->recording_count > 1 ? ", of each recording" : "");
    if (report->predicted.level > 0)
        fprintf(out->file, "; intervals contain the median with %.1f %% confidence\n",
                100 * report->predicted.level);
    else
        fprintf(out->file, "; fewer than 5 replays give no interval\n");
    if (report->recording_count > 1)
        fprintf(out->file,
                "  %zu recordings: each figure is the median of their medians, and its interval "
                "contains all "
                "of their\n  intervals; the tables show %s\n",
                report->recording_count, report->recordings[report->shown].path);
}

/* The measured figures, before the correction for lost cores. */
static void write_measured(const struct text_output *out, const struct replay_report *report,
                           const struct time_format *format)
{
    if (!report->corrected)
        return;
    fprintf(out->file, "  corrected for lost cores (%.1f %% of the time); measured: %s %s",
            100 * report->lost_fraction, time_text(format, report->measured.median).text,
            format->unit);
    if (!report->identity)
        fprintf(out->file, ", saving %.2f %%", 100 * report->measured_saving.median);
    else if (report->has_accuracy)
        fprintf(out->file, ", total error %.2f %%, aggregate %.2f %%",
                100 * report->measured_total_error, 100 * report->measured_aggregate_error);
    fputc('\n', out->file);
}

static void write_accuracy(const struct text_output *out, const struct replay_report *report)
{
    if (!report->has_accuracy)
        return;
    if (report->identity)
        fprintf(out->file,
                "  %-20s %10.2f %%    |T replayed - T recorded| / T recorded\n"
                "  %-20s %10.2f %%    over call paths and ranks: |exclusive time - recorded| / "
                "(ranks x T)\n",
                "total error", 100 * report->total_error, "aggregate error",
                100 * report->aggregate_error);
    else
        fprintf(
            out->file,
            "  accuracy: the unchanged replay differs from the recording by %.2f %% in T, %.2f %% "
            "over call paths\n",
            100 * report->total_error, 100 * report->aggregate_error);
}

static void write_fitted(const struct text_output *out, const struct replay_report *report)
{
    char text[VERDICT_FITTED_SIZE];
    if (!report->fits)
        return;
    verdict_fitted(report, text);
    fprintf(out->file, "  fitted: %s\n", text);
}

/* The number of wildcard receives that got another message than in the recording. */
static void write_wildcards(const struct text_output *out, const struct replay_report *report)
{
    if (!report->free_wildcards)
        return;
    if (report->wildcards == 0) {
        fprintf(out->file, "  wildcards: there are no receives from any source or with any tag\n");
        return;
    }
    fprintf(out->file, "  wildcards: %.2f %%", 100 * report->reordered_after);
    if (!report->identity && report->baseline.median > 0)
        fprintf(out->file, " (unchanged: %.2f %%)", 100 * report->reordered_before);
    fprintf(out->file, " of %llu wildcard receives got another message than recorded\n",
            (unsigned long long)report->wildcards);
}

static void write_compensation(const struct text_output *out, const struct replay_report *report)
{
    if (report->event_cost_s == 0)
        return;
    fprintf(out->file,
            "  compensated: the tracer's own work, %.1f ns per event (%.1f ns per enter or leave "
            "in the\n"
            "  program's own code), %s of a rank's computation, is not in the replayed times\n",
            1e9 * report->event_cost_s, 1e9 * report->function_cost_s,
            time_text_alone(report->compensated_s, 4).text);
}

/* How the times of the whole trace were projected. */
static void write_projection(const struct text_output *out, const struct replay_report *report)
{
    const struct projection *projection = report->projection;
    if (!projection)
        return;
    fprintf(out->file,
            "  projected from %zu cut%s to the whole trace; the %s of T that no cut represents are "
            "assumed unchanged\n",
            projection->cut_count, plural(projection->cut_count),
            time_text_alone(projection->rest_s, 4).text);
    for (size_t i = 0; i < projection->cut_count; i++) {
        const struct projected_cut *cut = &projection->cuts[i];
        fprintf(out->file, "    %zu iteration%s: %s each before, %s after, from %zu of them (%s)\n",
                cut->weight.iterations, plural(cut->weight.iterations),
                time_text_alone(cut->before_s, 4).text, time_text_alone(cut->after_s, 4).text,
                cut->weight.count, cut->path);
    }
}

static void write_replay_times(const struct text_output *out, const struct replay_report *report)
{
    double largest =
        fmax(report->trace_time_s, fmax(report->baseline.median, report->predicted.median));
    struct time_format format = time_format_for(largest, 5);
    struct estimate recorded = {.median = report->trace_time_s};
    fputc('\n', out->file);
    write_estimated_time(out, "recorded", &format, &recorded, false);
    if (report->identity) {
        write_estimated_time(out, "replayed", &format, &report->predicted, true);
    } else {
        if (report->baseline.median > 0)
            write_estimated_time(out, "replayed unchanged", &format, &report->baseline, false);
        write_estimated_time(out, "predicted", &format, &report->predicted, true);
        write_saving(out, report);
        write_for_real(out, report);
        write_outcomes(out, report);
    }
    if (report->identity)
        write_accuracy(out, report);
    write_projection(out, report);
    write_replays(out, report);
    write_measured(out, report, &format);
    if (!report->identity)
        write_accuracy(out, report);
    write_fitted(out, report);
    write_wildcards(out, report);
    write_compensation(out, report);
}

static const struct pop_factors *known_factors(const struct pop *pop,
                                               const struct pop_factors *by_times)
{
    return pop && pop->row_count > 0 ? &pop->rows[0].factors : by_times;
}

static void write_efficiency(const struct text_output *out, const struct report *report)
{
    const struct replay_report *replay = report->replay;
    const struct report_details *details = report->details;
    text_efficiency_write(
        out, known_factors(details ? details->pop_before : NULL, &replay->efficiency_before),
        known_factors(details ? details->pop_after : NULL, &replay->efficiency_after),
        replay->identity ? (const char *const[]){"recorded", "replayed"}
                         : (const char *const[]){"before", "after"});
}

/* A fraction as a percentage, or nothing if it is unknown. */
static void write_share(const struct text_output *out, double share)
{
    if (isnan(share))
        fprintf(out->file, "%11s", "");
    else
        fprintf(out->file, "%9.2f %%", 100 * share);
}

static void write_variations(const struct text_output *out, const struct replay_report *report)
{
    if (report->variation_count == 0)
        return;
    text_heading(out, "Variation of the computation: how much shorter T would be without it, by "
                      "the model");
    if (!report->identity)
        fprintf(out->file, "  %9s  %9s\n", "before", "after");
    for (size_t i = 0; i < report->variation_count; i++) {
        const struct report_variation *row = &report->variations[i];
        write_share(out, row->before);
        if (!report->identity)
            write_share(out, row->after);
        fprintf(out->file, "  %s\n", row->what);
    }
}

/* "  - text"; further lines of the text are indented like the first. */
static void write_bullet(const struct text_output *out, const char *text)
{
    const char *lead = "  - ";
    while (*text) {
        int length = (int)strcspn(text, "\n");
        fprintf(out->file, "%s%.*s\n", lead, length, text);
        text += length + (text[length] == '\n');
        lead = "    ";
    }
}

static void write_list(const struct text_output *out, const char *heading, const char *const *lines,
                       size_t count)
{
    if (count == 0)
        return;
    text_heading(out, "%s", heading);
    for (size_t i = 0; i < count; i++)
        write_bullet(out, lines[i]);
}

static void write_notes(const struct text_output *out, const struct replay_report *report)
{
    write_list(out, "Bandwidth that ranks and threads share", report->bandwidth,
               report->bandwidth_count);
    write_list(out, report->computed ? "How it was computed" : "Not replayed for real",
               report->approximations, report->approximation_count);
    write_list(out, "Warnings", report->warnings, report->warning_count);
    if (report->output_directory)
        fprintf(out->file, "\nWritten to %s%s\n", report->output_directory,
                report->predicted_trace ? " (with the predicted trace)" : "");
}

bool text_replay_write(const struct report *whole, FILE *stream)
{
    assert(whole->replay);
    const struct replay_report *report = whole->replay;
    const struct text_output out = text_output_of(stream);
    write_replay_head(&out, report);
    write_untrustworthy(&out, report);
    write_replay_times(&out, report);
    write_efficiency(&out, whole);
    write_variations(&out, report);
    if (report->identity) {
        text_table_metrics(&out, report);
        text_table_deviations(&out, report);
    } else {
        text_table_metrics(&out, report);
        text_table_savings(&out, report);
        text_table_waits(&out, report);
        text_table_losses(&out, report);
    }
    write_notes(&out, report);
    write_untrustworthy(&out, report); /* again: users read the last lines on the screen */
    return !ferror(stream);
}
