#include "base/json.h"
#include "base/units.h"
#include "results/gate.h"

#include <assert.h>

const char *gate_unit_name(enum gate_unit unit)
{
    static const char *const names[] = {
        [GATE_PERCENT] = "fraction", [GATE_SECONDS] = "sec", [GATE_NUMBER] = ""};
    assert(unit <= GATE_NUMBER);
    return names[unit];
}

/* "7.31 %", "1.204 s". A change is written with its sign. */
static void write_condition_value(const struct gate_condition *condition, double value,
                                  FILE *stream)
{
    fputs(condition->growth && value > 0 ? "+" : "", stream);
    if (condition->unit == GATE_PERCENT)
        fprintf(stream, "%.2f %%", 100 * value);
    else if (condition->unit == GATE_SECONDS)
        fputs(time_text_alone(value, 4).text, stream);
    else
        fprintf(stream, "%.6g", value);
}

void gate_write(const struct gate_condition *condition, const struct gate_finding *finding,
                FILE *stream)
{
    assert(finding->runs >= 1);
    fprintf(stream, "%s: ", condition->text);
    write_condition_value(condition, finding->value.median, stream);
    fputs(" (", stream);
    if (finding->value.level > 0) {
        write_condition_value(condition, finding->value.low, stream);
        fputs(" to ", stream);
        write_condition_value(condition, finding->value.high, stream);
        fputs(", ", stream);
    } else {
        fputs("no interval from ", stream);
    }
    if (finding->before > 0)
        fprintf(stream, "%zu and ", finding->before);
    fprintf(stream, "%zu run%s): %s\n", finding->runs,
            finding->runs == 1 && finding->before <= 1 ? "" : "s",
            finding->beyond ? "beyond" : "within");
}

json_t *gate_json(const struct gate_condition *condition, const struct gate_finding *finding)
{
    return JSON_MEMBERS(
        {"condition", json_string(condition->text)}, {"metric", json_string(condition->metric)},
        {"call_path", condition->path ? json_string(condition->path) : json_null()},
        {"unit", json_text(gate_unit_name(condition->unit))},
        {"growth", json_boolean(condition->growth)}, {"limit", json_number(condition->limit)},
        {"value", json_number(finding->value.median)}, {"low", json_number(finding->value.low)},
        {"high", json_number(finding->value.high)}, {"level", json_number(finding->value.level)},
        {"runs", json_count(finding->runs)}, {"runs_before", json_count(finding->before)},
        {"beyond", json_boolean(finding->beyond)});
}
