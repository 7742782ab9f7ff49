#include "programs/pop_variation.h"

#include "job/variation_costs.h"
#include "programs/asked_trace.h"

#include <math.h>

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
    struct variation_costs costs;
    struct model_options options;
    const struct engine_setup setup = question_setup(&asked, &options);
    status = variation_costs_of_all(asked.modelled.engine, &setup, trace, question_time_s(&asked),
                                    &costs, error);
    if (status == STATUS_OK)
        *saved_s = (struct pop_variation){costs.ranks_s, costs.iterations_s, costs.noise_s};
    modelled_trace_close(&asked.modelled);
    return status;
}

struct pop_variation pop_variation_factors(const struct pop_variation *saved_s, double time_s)
{
    return (struct pop_variation){1 - saved_s->ranks / time_s, 1 - saved_s->iterations / time_s,
                                  1 - saved_s->noise / time_s};
}
