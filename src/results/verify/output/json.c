/* JSON, for scripts, and a page that shows it; silas-verify(1) lists the members. If memory is out,
 * a value is NULL, which makes the whole document NULL (base/json.h). */
#include "base/json.h"
#include "report/page/page.h"
#include "results/verify/verification.h"

#include "config.h"

#include <math.h>
#include <stdlib.h>

extern const struct page_kind verify_page;

enum { FORMAT_VERSION = 1 };

static json_t *boolean_if(bool known, bool value)
{
    return known ? json_boolean(value) : json_null();
}

static json_t *interval_if_known(const struct estimate *interval)
{
    return interval->level > 0 ? json_interval(interval) : json_null();
}

static json_t *time_object(const struct verification *verification, enum compared_time which)
{
    const struct verified_time *time = &verification->times[which];
    const size_t truths = verification->input.truth_count;
    return JSON_MEMBERS(
        {"predicted_s", json_interval(&time->predicted)},
        {"typical_s", interval_if_known(&time->typical)},
        {"for_real_s", interval_if_known(&time->for_real)},
        {"measured_s", json_interval(&time->measured)}, {"error", json_number(time->error)},
        {"prediction_inside", boolean_if(time->measured.level > 0, prediction_is_inside(time))},
        {"truth_inside",
         boolean_if(expected_interval(time, truths)->level > 0, truth_is_inside(time, truths))});
}

static json_t *verified_row_object(const struct verification *verification,
                                   const struct verified_row *row)
{
    const struct severity *first = verification->stores[0];
    const struct metric_info *info = &first->metrics[row->metric];
    char *path = row->path == SEVERITY_NONE ? NULL : severity_path_text(first, row->path);
    json_t *object = JSON_MEMBERS(
        {"metric", json_text(info->name)}, {"title", json_text(info->title)},
        {"unit", json_text(metric_info_unit(info))},
        {"call_path", path || row->path == SEVERITY_NONE ? json_text(path) : NULL},
        {"predicted", json_number(row->predicted)}, {"measured", json_interval(&row->measured)},
        {"difference", json_number(row->difference)});
    free(path);
    return object;
}

static json_t *rows_array(const struct verification *verification, size_t begin, size_t end)
{
    json_t *rows = json_array();
    for (size_t i = begin; i < end; i++)
        json_append(&rows, verified_row_object(verification, &verification->rows[i]));
    return rows;
}

static json_t *both(double estimated, double achieved)
{
    return JSON_MEMBERS({"estimated", json_number(estimated)}, {"achieved", json_number(achieved)});
}

static json_t *truths_array(const struct verification_input *input)
{
    json_t *truths = json_array();
    for (size_t i = 0; i < input->truth_count; i++)
        json_append(&truths, json_text(input->truths[i].path));
    return truths;
}

static json_t *verification_object(const struct verification *verification)
{
    const struct verification_input *input = &verification->input;
    const struct verified_time *times = verification->times;
    return JSON_MEMBERS(
        {"format", json_integer(FORMAT_VERSION)}, {"version", json_text(PACKAGE_VERSION)},
        {"prediction", json_text(input->prediction->path)}, {"truths", truths_array(input)},
        {"original", json_text(input->original ? input->original->path : NULL)},
        {"ranks", json_integer(input->prediction->ranks)}, {"region", json_text(input->region)},
        {"trustworthy", json_boolean(verification->trustworthy)},
        {"untraced", json_boolean(verification->input.prediction->untraced)},
        {"error", json_number(times[verification->main_time].error)},
        {"time",
         JSON_MEMBERS({"whole", time_object(verification, TIME_WHOLE)},
                      {compared_time_names[TIME_INNER], time_object(verification, TIME_INNER)},
                      {compared_time_names[TIME_REGION],
                       input->region ? time_object(verification, TIME_REGION) : json_null()})},
        {"saving", both(verification->saving_estimated, verification->saving_achieved)},
        {"speed_up", both(verification->speed_up_estimated, verification->speed_up_achieved)},
        {"metrics", rows_array(verification, 0, verification->total_count)},
        {"call_paths",
         rows_array(verification, verification->total_count, verification->row_count)});
}

static bool write_verification_json(const struct verification *verification, FILE *stream)
{
    return json_write(verification_object(verification), stream);
}

static bool write_verification_page(const struct verification *verification, FILE *stream)
{
    return page_write(&verify_page, "Verification", verification_object(verification), stream);
}

const struct verify_format verify_json = {"json", write_verification_json},
                           verify_html = {"html", write_verification_page};
