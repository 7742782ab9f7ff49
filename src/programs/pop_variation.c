#include "programs/pop_variation.h"

#include "programs/asked_trace.h"

#include <math.h>
#include <stdio.h>

/* Collective. Sets `*saved_s` to T minus T without some variation. */
static enum status try_without(const struct asked_trace *asked, double time_s, const char *what,
                               double *saved_s, struct error *error)
{
    char sections[64];
    bool can;
    double without_s = 0;
    snprintf(sections, sizeof sections, "[variation]\nremove = %s\n", what);
    enum status status = question_predict(asked, sections, &can, &without_s, error);
    *saved_s = can ? time_s - without_s : NAN;
    return status;
}

enum status pop_variation_save(const struct trace *trace, struct pop_variation *saved_s,
                               struct error *error)
{
    struct asked_trace asked = {.session = NULL};
    asked.setup.options = &asked.options;
    *saved_s = (struct pop_variation){NAN, NAN, NAN};
    enum status status =
        modelled_trace_open(&asked.modelled, trace, engine_find("model"), &asked.setup, error);
    if (status != STATUS_OK)
        return status == STATUS_INPUT ? STATUS_OK : status;
    const double time_s = question_time_s(&asked);
    status = try_without(&asked, time_s, "ranks", &saved_s->ranks, error)
                 ?: try_without(&asked, time_s, "iterations", &saved_s->iterations, error)
                 ?: try_without(&asked, time_s, "noise", &saved_s->noise, error);
    modelled_trace_close(&asked.modelled);
    return status;
}

struct pop_variation pop_variation_factors(const struct pop_variation *saved_s, double time_s)
{
    return (struct pop_variation){1 - saved_s->ranks / time_s, 1 - saved_s->iterations / time_s,
                                  1 - saved_s->noise / time_s};
}
