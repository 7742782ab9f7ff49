/* POP's efficiencies as JSON. */
#include "report/json/parts.h"

static json_t *factor_object(const struct pop_factors *factors)
{
    const struct json_member members[] = {
        {"parallel_efficiency", json_number(factors->parallel)},
        {"load_balance", json_number(factors->load_balance)},
        {"communication_efficiency", json_number(factors->communication)},
        {"serialisation", json_number(factors->serialisation)},
        {"transfer", json_number(factors->transfer)},
        {"time_s", json_number(factors->time_s)},
        {"ideal_s", json_number(factors->ideal_s)},
        {"computation_mean_s", json_number(factors->computation_mean_s)},
        {"computation_max_s", json_number(factors->computation_max_s)},
    };
    return json_members(members, sizeof members / sizeof *members);
}

static json_t *row_object(const struct pop_row *row)
{
    static const char *const parts[] = {[POP_RUN] = "run",
                                        [POP_REGION] = "region",
                                        [POP_ITERATION] = "iteration",
                                        [POP_WINDOW] = "window"};
    json_t *object = factor_object(&row->factors);
    json_t *place = json_pack("{s:s, s:o, s:I, s:I, s:o, s:o}", "part", parts[row->part], "name",
                              json_text(row->name), "first", (json_int_t)row->first, "count",
                              (json_int_t)row->count, "begin_s", json_number(row->begin_s), "end_s",
                              json_number(row->end_s));
    if (object && place && json_object_update(object, place) == 0) {
        json_decref(place);
        return object;
    }
    json_decref(place);
    json_decref(object);
    return NULL;
}

json_t *json_pop(const struct pop *pop)
{
    if (!pop || pop->row_count == 0)
        return json_null();
    json_t *object = factor_object(&pop->rows[0].factors), *parts = json_array();
    for (size_t i = 1; i < pop->row_count; i++)
        json_append(&parts, row_object(&pop->rows[i]));
    json_t *more =
        json_pack("{s:o, s:o}", "why_not_ideal", json_text(pop->why_not_ideal), "parts", parts);
    if (object && more && json_object_update(object, more) == 0) {
        json_decref(more);
        return object;
    }
    json_decref(more);
    json_decref(object);
    return NULL;
}
