#include "report/verdict.h"

#include "base/plural.h"
#include "base/units.h"
#include "report/shares.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 4 };

/* Without an interval, changes of T below this fraction count as none. */
static const double least_change = 0.0005;

static void __attribute__((format(printf, 3, 4)))
append_sentence(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

#define SAY(member, ...) append_sentence(verdict->member, sizeof verdict->member, __VA_ARGS__)

static void say_identity(const struct replay_report *replay, struct verdict *verdict)
{
    verdict->kind = VERDICT_STATE;
    SAY(sentence, "Replayed unchanged, the program takes %s",
        time_text_alone(replay->predicted.median, DIGITS).text);
    if (replay->has_accuracy)
        SAY(sentence, ", %.2f %% from the recorded %s.", 100 * replay->total_error,
            time_text_alone(replay->trace_time_s, DIGITS).text);
    else
        SAY(sentence, "; recorded were %s.", time_text_alone(replay->trace_time_s, DIGITS).text);
}

static void judge(const struct replay_report *replay, struct verdict *verdict)
{
    const double saving = replay->saving.median;
    const bool sure = replay->computed || replay->saving.level == 0 ? fabs(saving) >= least_change
                                                                    : replay->significant;
    verdict->kind = !sure ? VERDICT_NOTHING : saving > 0 ? VERDICT_SAVING : VERDICT_LOSS;
}

static void say_saving(const struct replay_report *replay, struct verdict *verdict)
{
    const struct estimate *saving = &replay->saving;
    const double sign = saving->median < 0 ? -1 : 1;
    const double instead =
        replay->baseline.median > 0 ? replay->baseline.median : replay->trace_time_s;
    judge(replay, verdict);
    if (verdict->kind == VERDICT_NOTHING && saving->level > 0)
        SAY(sentence, "The change has no significant effect: the saving is %.2f %% of T",
            100 * saving->median);
    else if (verdict->kind == VERDICT_NOTHING)
        SAY(sentence, "The change makes no difference to T");
    else
        SAY(sentence, "The change %s %.2f %% of T", sign < 0 ? "costs" : "saves",
            100 * sign * saving->median);
    if (saving->level > 0 && !replay->computed) {
        const double low = verdict->kind == VERDICT_LOSS ? -saving->high : saving->low;
        const double high = verdict->kind == VERDICT_LOSS ? -saving->low : saving->high;
        SAY(sentence, " (%.2f to %.2f %%)", 100 * low, 100 * high);
    }
    SAY(sentence, ": %s instead of %s.", time_text_alone(replay->predicted.median, DIGITS).text,
        time_text_alone(instead, DIGITS).text);
}

static void say_trust(const struct replay_report *replay, struct verdict *verdict)
{
    verdict->trustworthy = replay->trustworthy;
    if (!replay->trustworthy)
        SAY(trust, "Not trustworthy: %s. ", replay->untrustworthy_reason);
    if (replay->computed) {
        SAY(trust, "Computed by the %s engine: every run has the same result.", replay->engine);
        return;
    }
    if (replay->trustworthy && replay->warning_count == 0)
        SAY(trust, "Trustworthy: each rank had its core. ");
    else if (replay->trustworthy)
        SAY(trust, "Each rank had its core, but read the warning%s first. ",
            plural((unsigned)replay->warning_count));
    SAY(trust, "%d replay%s%s", replay->repeat, plural(replay->repeat),
        replay->identity            ? ""
        : replay->baseline_is_trace ? " of the changed trace"
                                    : " each of the changed and of the unchanged trace");
    if (replay->predicted.level > 0)
        SAY(trust, "; the interval contains the median with %.1f %% confidence",
            100 * replay->predicted.level);
    else
        SAY(trust, "; fewer than 5 replays give no interval");
    if (replay->corrected)
        SAY(trust, "; corrected for lost cores (%.1f %% of the time)", 100 * replay->lost_fraction);
    if (replay->has_accuracy && !replay->identity)
        SAY(trust, "; unchanged replays differ from the recording by %.2f %%",
            100 * replay->total_error);
    SAY(trust, ".");
}

/* The kind of waiting with the largest sum; METRIC_NONE if there is none. */
static enum metric largest_wait_metric(const struct severity *run, double *seconds)
{
    enum metric longest = METRIC_NONE;
    *seconds = 0;
    for (uint32_t metric = 0; metric < run->metric_count; metric++) {
        const bool waits =
            metric_info_is_wait(&run->metrics[metric]) && severity_has(run, (enum metric)metric);
        const double sum = waits ? severity_total(run, (enum metric)metric) : 0;
        if (sum > *seconds) {
            *seconds = sum;
            longest = (enum metric)metric;
        }
    }
    return longest;
}

static bool has_threads(const struct severity *run)
{
    for (uint32_t i = 0; i < run->location_count; i++)
        if (run->locations[i].thread != 0)
            return true;
    return false;
}

static bool say_run(const struct severity *run, struct verdict *verdict)
{
    struct time_shares shares;
    double longest_s;
    if (!time_shares_find(run, &shares))
        return false;
    const struct time_share_sums sums = time_shares_sum(&shares);
    const double all = sums.computation + sums.mpi + sums.waiting;
    const enum metric longest = largest_wait_metric(run, &longest_s);
    time_shares_clear(&shares);
    verdict->kind = VERDICT_STATE;
    if (run->total_seconds > 0)
        SAY(sentence, "T is %s. ", time_text_alone(run->total_seconds, DIGITS).text);
    if (all > 0)
        SAY(sentence,
            "The ranks %sspend %.1f %% of their time in computation, %.1f %% in MPI and %.1f %% "
            "waiting",
            has_threads(run) ? "and their threads " : "", 100 * sums.computation / all,
            100 * sums.mpi / all, 100 * sums.waiting / all);
    if (all > 0 && longest != METRIC_NONE)
        SAY(sentence, ", most of it %s (%.1f %%)", run->metrics[longest].title,
            100 * longest_s / all);
    SAY(sentence, all > 0 ? "." : "The file has no times.");
    return true;
}

/* T of a run, or where that is unknown, the mean time of its locations. */
static double run_time(const struct severity *run)
{
    return run->total_seconds > 0    ? run->total_seconds
           : run->location_count > 0 ? severity_total(run, METRIC_TIME) / run->location_count
                                     : 0;
}

static void say_two(const struct comparison *comparison, struct verdict *verdict)
{
    const double before = run_time(comparison->before), after = run_time(comparison->after);
    const double saving = before > 0 ? (before - after) / before : 0;
    verdict->kind = fabs(saving) < least_change ? VERDICT_NOTHING
                    : saving > 0                ? VERDICT_SAVING
                                                : VERDICT_LOSS;
    if (verdict->kind == VERDICT_NOTHING)
        SAY(sentence, "Both runs take the same time");
    else
        SAY(sentence, "The second run takes %.2f %% %s time", 100 * fabs(saving),
            saving > 0 ? "less" : "more");
    SAY(sentence, ": %s after %s.", time_text_alone(after, DIGITS).text,
        time_text_alone(before, DIGITS).text);
    SAY(trust, "Two single runs: the variation of T from run to run is unknown.");
}

bool verdict_find(const struct report *report, const struct comparison *comparison,
                  struct verdict *verdict)
{
    assert(report->replay || report->run || comparison);
    *verdict = (struct verdict){.kind = VERDICT_STATE, .trustworthy = true};
    if (report->replay) {
        if (report->replay->identity)
            say_identity(report->replay, verdict);
        else
            say_saving(report->replay, verdict);
        say_trust(report->replay, verdict);
        return true;
    }
    if (report->run)
        return say_run(report->run, verdict);
    say_two(comparison, verdict);
    return true;
}

void verdict_fitted(const struct replay_report *report, char text[VERDICT_FITTED_SIZE])
{
    const double before = 100 * report->error_unfitted, after = 100 * report->error_fitted;
    assert(report->fits);
    if (after > before)
        snprintf(text, VERDICT_FITTED_SIZE,
                 "%.2f %% of T was adjusted: with an adjustment, MPI calls would differ more from "
                 "the recording (%.2f %% instead of %.2f %%)",
                 100 * report->fitted, after, before);
    else
        snprintf(text, VERDICT_FITTED_SIZE,
                 "%.2f %% of T was adjusted so that MPI calls cost as much as recorded (error of "
                 "the calls: %.2f %% before, %.2f %% after)",
                 100 * report->fitted, before, after);
}
