/* The result of silas-replay or silas-model as plain data: everything that report formats need.
 * Complete on process 0 only. Times are in seconds; fractions are of the baseline's time. */
#ifndef REPORT_REPLAY_REPORT_H
#define REPORT_REPLAY_REPORT_H

#include "base/estimate.h"
#include "report/comparison.h"
#include "report/pop.h"
#include "structure/projection.h"

#include <stdbool.h>
#include <stddef.h>

/* One recording of the program and its replays, `repeat` of the unchanged and of the changed trace.
 * All figures are NULL where there were no such replays. */
struct report_recording {
    const char *path;
    double time_s; /* T of the recording */
    struct repeat_figures unchanged, changed;
    struct repeat_figures measured_unchanged, measured_changed; /* the same before the correction */
};

/* The errors of predictions of such changes, in programs that were really changed. */
struct report_outcomes {
    const char *changes; /* "computation" */
    int programs;        /* 0: unknown */
    double within;       /* 95 % of the savings were predicted within this fraction of T; with fewer
                            than 19 programs, all of them */
};

/* What variation of the computation costs ([output] variation). */
struct report_variation {
    const char *what;     /* "differences between ranks" */
    double before, after; /* the fraction of T that would be saved without it, before and after the
                             change; NAN: unknown */
};

struct replay_report {
    const char *program;      /* the recorded program */
    const char *config;       /* the configuration file */
    const char *engine;       /* name of the engine */
    const char *machine;      /* host of process 0, where the replay ran */
    const char *mpi_library;  /* of the replay; NULL: the engine computes */
    const char *trace_writer; /* the tool that wrote the recording */
    uint32_t rank_count;
    uint64_t event_count; /* of all ranks in the shown recording */
    int repeat;
    bool computed;          /* the engine computes: every run has the same result */
    bool identity;          /* no hypotheses: replayed unchanged */
    bool baseline_is_trace; /* the saving is relative to the recording, not to its replay */
    const char **hypotheses;
    size_t hypothesis_count;

    struct report_recording *recordings;
    size_t recording_count;
    size_t shown; /* shown in the tables: the recording with the median prediction */

    /* Over all recordings: medians of their medians, and intervals that contain all of theirs. */
    double trace_time_s;
    struct estimate baseline;  /* replays without change; median 0 if there were none */
    struct estimate predicted; /* = baseline for an identity replay */
    struct estimate saving;    /* a fraction; all 0 for an identity replay */
    struct estimate saving_s;
    struct estimate saving_for_real; /* the fraction that two real runs would show (repeat.h) */
    struct estimate saving_typical;  /* ... and that between typical runs */
    struct report_outcomes outcomes; /* of such changes */
    bool significant; /* the interval of the saving is claimed and does not contain zero */
    bool has_accuracy;
    double total_error, aggregate_error; /* of the replays without change: medians */

    bool
        fits; /* trial replays gave calls their recorded length, which changed the ranks' time by */
    double fitted; /* this fraction (sum of absolute values) */
    double error_unfitted,
        error_fitted; /* of calls in trials, without it and with it; a fraction */

    bool corrected; /* all figures above are corrected for lost cores; without the correction: */
    struct estimate measured;        /* of the changed replays, or of an identity replay */
    struct estimate measured_saving; /* a fraction */
    double measured_total_error, measured_aggregate_error;

    bool trustworthy;
    const char *untrustworthy_reason;
    double lost_fraction;   /* of all ranks' time in all replays: time without a core */
    double event_cost_s;    /* of the tracer, from the trace; 0: not compensated */
    double function_cost_s; /* the same for an enter or leave of a region of the program */
    double compensated_s;   /* compensation of a rank, on average */
    bool free_wildcards;
    uint64_t wildcards; /* receives from any source or with any tag in one replay, all ranks */
    double reordered_before, reordered_after; /* fractions of them that got another message than in
                                                 the recording: unchanged, changed replays */
    const char **bandwidth; /* lines about the memory bandwidth that ranks share */
    size_t bandwidth_count;
    double shared_s, unshared_s; /* T after the change by the model, with shared bandwidth and
                                    without; 0: not computed */
    struct report_variation *variations; /* most expensive first; none if they are not wanted */
    size_t variation_count;
    const char **approximations; /* what the replay approximated */
    size_t approximation_count;
    const char *const *warnings;
    size_t warning_count;

    /* The recording (identity replay, or baseline = trace) or its median unchanged replay, compared
     * with the median replay. */
    struct comparison comparison;
    struct pop_factors efficiency_before, efficiency_after; /* by times alone (pop_factors_of) */
    const struct projection
        *projection; /* NULL: the recordings are complete. Else times and savings are those of the
                        whole trace, and everything else is that of a cut */
    const char *output_directory; /* NULL: nothing is written */
    const char *predicted_trace;  /* path in the output directory; NULL: not wanted */
};

#endif
