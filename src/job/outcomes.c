#include "job/outcomes.h"

#include <assert.h>

/* From `bench/truth/truth --outcomes` and `bench/threads/threads --outcomes`: the programs, and the
 * errors of replays and of the model, in points of T, that 95 % of them did not exceed (of fewer
 * than 19 programs: that none exceeded). */
static const struct {
    const char *changes;
    int programs;
    double replay_points, model_points;
    double usual_points;   /* of replays: 90 % of the errors */
    double typical_points; /* outcomes_method_error; known for other changes, too */
} measured[] = {
    [SUBJECT_OTHER] = {.typical_points = 4.8},
    [SUBJECT_COMPUTATION] = {"computation", 25, 2.7, 3.1, 2.3, 1.4},
    [SUBJECT_TRAFFIC] = {"messages and collective operations", 7, 3.7, 2.2, 3.7, 0.9},
    [SUBJECT_THREADS] = {"threads", 23, 7.9, 7.9, 3.2, 7.8},
};

/* The same for more threads than were recorded, which slow each other down where they share caches
 * and memory: 16 of 17 cases of bench/threads. */
static const double added_threads_points = 8.4;

double outcomes_usual_error(enum hypothesis_subject subject, bool adds_threads)
{
    return (adds_threads ? added_threads_points : measured[subject].usual_points) / 100;
}

static enum hypothesis_subject common_subject(const struct hypothesis *hypotheses, size_t count)
{
    const enum hypothesis_subject subject = count > 0 ? hypotheses[0].kind->subject : SUBJECT_OTHER;
    for (size_t i = 0; i < count; i++)
        if (hypotheses[i].kind->subject != subject)
            return SUBJECT_OTHER;
    return subject;
}

double outcomes_method_error(const struct hypothesis *hypotheses, size_t count)
{
    assert(count > 0);
    return measured[common_subject(hypotheses, count)].typical_points / 100;
}

struct report_outcomes outcomes_of_changes(const struct hypothesis *hypotheses, size_t count,
                                           bool computed)
{
    const enum hypothesis_subject subject = common_subject(hypotheses, count);
    return (struct report_outcomes){
        measured[subject].changes, measured[subject].programs,
        (computed ? measured[subject].model_points : measured[subject].replay_points) / 100};
}
