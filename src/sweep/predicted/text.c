#include "sweep/predicted/predicted.h"

#include "base/units.h"
#include "report/text/output.h"

#include <math.h>
#include <string.h>

enum { AXIS_WIDTH_LEAST = 8, AXIS_WIDTH_MOST = 40, TIME_WIDTH = 12 };

static bool axis_varies(const struct predicted_axis *axis)
{
    return axis->count > 1;
}

static int axis_width(const struct predicted_axis *axis)
{
    size_t width = strlen(axis->name);
    for (size_t i = 0; i < axis->count; i++)
        width = strlen(axis->texts[i]) > width ? strlen(axis->texts[i]) : width;
    return width < AXIS_WIDTH_LEAST  ? AXIS_WIDTH_LEAST
           : width > AXIS_WIDTH_MOST ? AXIS_WIDTH_MOST
                                     : (int)width;
}

static void write_fixed_values(const struct predicted_sweep *sweep, FILE *file)
{
    for (size_t a = 0; a < sweep->axis_count; a++)
        if (!axis_varies(&sweep->axes[a]))
            fprintf(file, "  %-10s %s\n", sweep->axes[a].name, sweep->axes[a].texts[0]);
}

/* The cells of the axes that vary, without `left_out`. */
static void write_names(const struct predicted_sweep *sweep, size_t left_out, FILE *file)
{
    for (size_t a = 0; a < sweep->axis_count; a++)
        if (axis_varies(&sweep->axes[a]) && a != left_out)
            fprintf(file, "  %*s", axis_width(&sweep->axes[a]), sweep->axes[a].name);
}

static void write_axis_values(const struct predicted_sweep *sweep, const size_t *values,
                              size_t left_out, FILE *file)
{
    for (size_t a = 0; a < sweep->axis_count; a++)
        if (axis_varies(&sweep->axes[a]) && a != left_out)
            fprintf(file, "  %*s", axis_width(&sweep->axes[a]), sweep->axes[a].texts[values[a]]);
}

static void write_point_values(const struct predicted_sweep *sweep, size_t point, FILE *file)
{
    for (size_t a = 0; a < sweep->axis_count; a++)
        if (axis_varies(&sweep->axes[a]))
            fprintf(file, "  %*s", axis_width(&sweep->axes[a]),
                    sweep->axes[a].texts[predicted_index(sweep, point, a)]);
}

static void write_point(const struct predicted_sweep *sweep, size_t number, bool scales, FILE *file)
{
    const struct predicted_point *point = &sweep->points[number];
    write_point_values(sweep, number, file);
    if (point->failure) {
        fprintf(file, "  %*s  %.*s\n", TIME_WIDTH, "failed", (int)strcspn(point->failure, "\n"),
                point->failure); /* of several lines the first */
        return;
    }
    fprintf(file, "  %*s", TIME_WIDTH, time_text_alone(point->time_s, 5).text);
    if (scales && isfinite(point->speedup))
        fprintf(file, " %9.2f %9.1f %%", point->speedup, 100 * point->efficiency);
    fputc('\n', file);
}

static void write_points(const struct text_output *out, const struct predicted_sweep *sweep)
{
    const bool scales = axis_varies(&sweep->axes[sweep->axis_count - 1]);
    fputc('\n', out->file);
    write_names(sweep, SIZE_MAX, out->file);
    fprintf(out->file, "  %*s", TIME_WIDTH, "T");
    fprintf(out->file, scales ? " %9s %11s\n" : "\n", "speedup", "efficiency");
    for (size_t p = 0; p < sweep->point_count; p++)
        write_point(sweep, p, scales, out->file);
}

static void write_answer(const struct predicted_sweep *sweep, const struct sizing_answer *answer,
                         FILE *file)
{
    const struct sizing_question *question = &sweep->questions[answer->question];
    write_axis_values(sweep, answer->values, question->axis, file);
    if (isfinite(answer->value))
        fprintf(file, "  %12.10g  %*s", answer->value, TIME_WIDTH,
                time_text_alone(answer->time_s, 5).text);
    else
        fprintf(file, "  %12s  %*s", "none", TIME_WIDTH, "");
    if (isfinite(answer->next))
        fprintf(file, "    %.10g: %s", answer->next,
                isfinite(answer->next_time_s) ? time_text_alone(answer->next_time_s, 5).text
                                              : "failed");
    fputc('\n', file);
}

static void write_answers(const struct text_output *out, const struct predicted_sweep *sweep)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < sweep->answer_count; i++) {
        const struct sizing_answer *answer = &sweep->answers[i];
        const struct sizing_question *question = &sweep->questions[answer->question];
        const char *name = sweep->axes[question->axis].name;
        if (answer->question != last) {
            text_heading(out, "%s%sThe %s %s within %s", question->label,
                         *question->label ? ": " : "", question->fewest ? "fewest" : "largest",
                         name, time_text_alone(question->within_s, 5).text);
            write_names(sweep, question->axis, out->file);
            fprintf(out->file, "  %12s  %*s    %s\n", name, TIME_WIDTH, "T", "nearest that is not");
        }
        last = answer->question;
        write_answer(sweep, answer, out->file);
    }
}

bool predicted_write_text(const void *what, FILE *stream)
{
    const struct predicted_sweep *sweep = what;
    const struct text_output out = text_output_of(stream);
    fprintf(stream, "%sPredictions: %zu%s\n", out.bold, sweep->point_count, out.plain);
    write_fixed_values(sweep, stream);
    write_points(&out, sweep);
    write_answers(&out, sweep);
    return !ferror(stream);
}
