/* The trend of many runs as a page: each figure is static SVG and stands in the table again, so
 * that nothing depends on colours, pointing or a script. */
#include "results/trend.h"

#include "base/utf8.h"
#include "base/plural.h"
#include "report/page_parts.h"

#include <math.h>
#include <string.h>

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\" data-ready=\"\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Trend</title>\n<style>\n";

static const char page_style[] = ""
#include "results/trend_style.inc"
    ;

static void write_value(const struct gate_measure *measure, double value, FILE *stream)
{
    gate_write_value(measure->unit, false, value, stream);
}

/* "7.31 % (6.90 % to 7.80 %)"; the extremes of few runs are said to be such. */
static void write_measure(const struct gate_measure *measure, size_t runs, FILE *stream)
{
    const struct estimate *value = &measure->value;
    if (!measure->found) {
        fputs("not there", stream);
        return;
    }
    write_value(measure, value->median, stream);
    if (runs < 2)
        return;
    fputs(" (", stream);
    write_value(measure, value->low, stream);
    fputs(" to ", stream);
    write_value(measure, value->high, stream);
    fprintf(stream, "%s, %zu runs)", value->level > 0 ? "" : ": extremes", runs);
}

static bool is_beyond(const struct trend_figure *figure, size_t point)
{
    return figure->tested[point] && figure->findings[point].beyond;
}

static size_t count_beyond(const struct trend *trend, size_t point)
{
    size_t count = 0;
    for (size_t i = 0; i < trend->figure_count; i++)
        count += is_beyond(&trend->figures[i], point);
    return count;
}

static size_t count_conditions(const struct trend *trend)
{
    size_t count = 0;
    for (size_t i = 0; i < trend->figure_count; i++)
        count += trend->figures[i].condition.text != NULL;
    return count;
}

/* T of the points, which a condition's figure may show, too; NULL if it is not there. */
static const struct trend_figure *figure_of_time(const struct trend *trend)
{
    for (size_t i = 0; i < trend->figure_count; i++)
        if (strcmp(trend->figures[i].condition.metric, "T") == 0 &&
            trend->figures[i].measures[0].unit == GATE_SECONDS)
            return &trend->figures[i];
    return NULL;
}

static void write_verdict(const struct trend *trend, FILE *stream)
{
    const size_t last = trend->point_count - 1, beyond = count_beyond(trend, last),
                 conditions = count_conditions(trend);
    const struct trend_figure *time = figure_of_time(trend);
    fputs("<p class=\"verdict\">", stream);
    if (time) {
        const double now = time->measures[last].value.median,
                     first = time->measures[0].value.median;
        fputs("T is ", stream);
        write_value(&time->measures[last], now, stream);
        fputs(" at ", stream);
        html_text(trend->points[last].label, stream);
        if (last > 0 && first > 0) {
            fputs(", ", stream);
            gate_write_value(GATE_PERCENT, true, now / first - 1, stream);
            fputs(" against ", stream);
            html_text(trend->points[0].label, stream);
        }
        fputs(". ", stream);
    }
    if (conditions > 0 && beyond > 0)
        fprintf(stream, "<span class=\"beyond\">%zu of %zu condition%s met there.</span>", beyond,
                conditions,
                conditions == 1 ? " is"
                : beyond == 1   ? "s is"
                                : "s are");
    else if (conditions > 0)
        fputs("No condition is met there.", stream);
    fputs("</p>\n", stream);
}

enum {
    HEIGHT = 230,
    LEFT = 76,
    TOP = 22,
    BOTTOM = 192,
    TICKS = 6,
    NARROW = 560,
    WIDE = 1150,
    MANY = 40, /* points, for which a figure is wide */
    LABEL_LETTERS = 14,
    LETTER = 7, /* width */
};

struct drawing {
    const struct trend *trend;
    const struct trend_figure *figure;
    struct html_axis x, y;
    FILE *stream;
};

/* The limit is drawn if it is a value and not a growth. */
static bool has_limit(const struct trend_figure *figure)
{
    return figure->condition.text && !figure->condition.growth;
}

/* Waits and counts begin at 0; T, which changes little, does not. */
static struct html_axis value_axis(const struct trend *trend, const struct trend_figure *figure)
{
    struct html_axis axis = {INFINITY, -INFINITY, BOTTOM, TOP, false};
    for (size_t i = 0; i < trend->point_count; i++)
        if (figure->measures[i].found && isfinite(figure->measures[i].value.median)) {
            axis.low = fmin(axis.low, figure->measures[i].value.low);
            axis.high = fmax(axis.high, figure->measures[i].value.high);
        }
    if (has_limit(figure)) {
        axis.low = fmin(axis.low, figure->condition.limit);
        axis.high = fmax(axis.high, figure->condition.limit);
    }
    if (strcmp(figure->condition.metric, "T") != 0)
        axis.low = fmin(axis.low, 0);
    const double room = fmax(0.06 * (axis.high - axis.low), 0.005 * fabs(axis.high));
    axis.low -= axis.low != 0 ? room : 0;
    axis.high += room > 0 ? room : 1;
    return axis;
}

static double x_of(const struct drawing *drawing, size_t point)
{
    return html_place(&drawing->x, (double)point + 0.5);
}

static double y_of(const struct drawing *drawing, double value)
{
    return html_place(&drawing->y, value);
}

static void write_scale(const struct drawing *drawing)
{
    double ticks[TICKS];
    const size_t count = html_ticks(&drawing->y, TICKS, ticks);
    for (size_t i = 0; i < count; i++) {
        const double y = y_of(drawing, ticks[i]);
        fprintf(drawing->stream,
                "<path class=\"%s\" d=\"M%d %.1fH%.0f\"/><text class=\"end\" x=\"%d\" y=\"%.1f\">",
                ticks[i] == 0 ? "zero" : "grid", LEFT, y, drawing->x.to, LEFT - 6, y + 4);
        write_value(&drawing->figure->measures[0], ticks[i], drawing->stream);
        fputs("</text>", drawing->stream);
    }
}

static size_t count_letters(const char *label)
{
    size_t letters = 0;
    for (; *label; label += utf8_character_length(label))
        letters++;
    return letters;
}

/* At most LABEL_LETTERS characters; the end of a longer label says more than its beginning. */
static void write_label(const char *label, FILE *stream)
{
    size_t letters = count_letters(label);
    if (letters > LABEL_LETTERS)
        fputs("\u2026", stream);
    for (; letters > LABEL_LETTERS; letters--)
        label += utf8_character_length(label);
    html_text(label, stream);
}

/* As many labels as there is room for, counted from the last one. */
static void write_labels(const struct drawing *drawing)
{
    const size_t count = drawing->trend->point_count;
    const double place = (drawing->x.to - drawing->x.from) / (double)count;
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t letters = count_letters(drawing->trend->points[i].label);
        longest = letters > longest ? letters : longest;
    }
    longest = longest < LABEL_LETTERS ? longest : LABEL_LETTERS;
    const size_t step = (size_t)ceil((double)((longest + 2) * LETTER) / place);
    for (size_t i = (count - 1) % step; i < count; i += step) {
        const bool at_end = i + 1 == count && place < (double)(longest * LETTER);
        fprintf(drawing->stream, "<text class=\"%s\" x=\"%.1f\" y=\"%d\">",
                at_end ? "end" : "middle", at_end ? drawing->x.to : x_of(drawing, i), BOTTOM + 20);
        write_label(drawing->trend->points[i].label, drawing->stream);
        fputs("</text>", drawing->stream);
    }
}

static void write_line(const struct drawing *drawing)
{
    bool drawn = false; /* the point before */
    fputs("<path class=\"line\" d=\"", drawing->stream);
    for (size_t i = 0; i < drawing->trend->point_count; i++) {
        const struct gate_measure *measure = &drawing->figure->measures[i];
        const bool draw = measure->found && isfinite(measure->value.median);
        if (draw)
            fprintf(drawing->stream, "%c%.1f %.1f", drawn ? 'L' : 'M', x_of(drawing, i),
                    y_of(drawing, measure->value.median));
        drawn = draw;
    }
    fputs("\"/>", drawing->stream);
}

static void write_limit(const struct drawing *drawing)
{
    const struct gate_condition *condition = &drawing->figure->condition;
    if (!has_limit(drawing->figure))
        return;
    const double y = y_of(drawing, condition->limit);
    fprintf(drawing->stream,
            "<path class=\"limit\" d=\"M%d %.1fH%.0f\"/><text class=\"limit end\" x=\"%.0f\" "
            "y=\"%.1f\">limit ",
            LEFT, y, drawing->x.to, drawing->x.to, y - 5);
    gate_write_value(condition->unit, false, condition->limit, drawing->stream);
    fputs("</text>", drawing->stream);
}

static void write_point(const struct drawing *drawing, size_t i)
{
    const struct gate_measure *measure = &drawing->figure->measures[i];
    const struct trend_point *point = &drawing->trend->points[i];
    const double x = x_of(drawing, i), y = y_of(drawing, measure->value.median);
    if (!measure->found || !isfinite(measure->value.median))
        return;
    fputs("<g><title>", drawing->stream);
    html_text(point->label, drawing->stream);
    fputs(": ", drawing->stream);
    write_measure(measure, point->runs.count, drawing->stream);
    fputs(is_beyond(drawing->figure, i) ? ", beyond</title>" : "</title>", drawing->stream);
    if (measure->value.low < measure->value.high)
        fprintf(drawing->stream, "<path class=\"interval%s\" d=\"M%.1f %.1fV%.1f\"/>",
                measure->value.level > 0 ? "" : " weak", x, y_of(drawing, measure->value.low),
                y_of(drawing, measure->value.high));
    if (is_beyond(drawing->figure, i))
        fprintf(drawing->stream, "<path class=\"beyond\" d=\"M%.1f %.1fl7 7l-7 7l-7 -7Z\"/>", x,
                y - 7);
    else
        fprintf(drawing->stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"/>", x, y,
                drawing->trend->point_count > MANY ? "2.5" : "3.5");
    fputs("</g>", drawing->stream);
}

static void write_figure(const struct trend *trend, const struct trend_figure *figure, FILE *stream)
{
    const int width = trend->point_count > MANY ? WIDE : NARROW;
    const struct drawing drawing = {trend,
                                    figure,
                                    {0, (double)trend->point_count, LEFT, width - 10, false},
                                    value_axis(trend, figure),
                                    stream};
    fprintf(stream, "<figure%s><figcaption>", width == WIDE ? " class=\"wide\"" : "");
    html_text(figure->title, stream);
    fprintf(stream, "</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", width,
            HEIGHT);
    html_text(figure->title, stream);
    fputs("\">", stream);
    write_scale(&drawing);
    write_labels(&drawing);
    write_line(&drawing);
    for (size_t i = 0; i < trend->point_count; i++)
        write_point(&drawing, i);
    write_limit(&drawing);
    fputs("</svg></figure>\n", stream);
}

static void write_figures(const struct trend *trend, FILE *stream)
{
    fputs("<section class=\"figures\">\n", stream);
    for (size_t i = 0; i < trend->figure_count; i++)
        write_figure(trend, &trend->figures[i], stream);
    fputs(
        "</section>\n<p class=\"note\">Medians, in the order of the command line. Vertical lines: "
        "the interval of repeated runs, or, dashed, the extremes of fewer than five. Diamonds: a "
        "condition is met; a growth (+) is against the point before. Waits are parts of the time "
        "of all ranks. T does not begin at 0.</p>\n",
        stream);
}

static void write_row(const struct trend *trend, size_t point, FILE *stream)
{
    fputs("<tr><th scope=\"row\">", stream);
    html_text(trend->points[point].label, stream);
    fprintf(stream, "</th><td>%zu</td>", trend->points[point].runs.count);
    for (size_t i = 0; i < trend->figure_count; i++) {
        const struct trend_figure *figure = &trend->figures[i];
        const struct gate_finding *finding = &figure->findings[point];
        fprintf(stream, "<td%s>", is_beyond(figure, point) ? " class=\"beyond\"" : "");
        write_measure(&figure->measures[point], trend->points[point].runs.count, stream);
        if (figure->condition.growth && figure->tested[point]) {
            fputs("<br>", stream);
            gate_write_value(figure->condition.unit, true, finding->value.median, stream);
        }
        fputs(is_beyond(figure, point) ? " beyond</td>" : "</td>", stream);
    }
    fputs("</tr>\n", stream);
}

static void write_table(const struct trend *trend, FILE *stream)
{
    fputs("<section><h2>All values, latest first</h2>\n<div class=\"scroll\"><table><thead><tr><th>"
          "point</th><th>runs</th>",
          stream);
    for (size_t i = 0; i < trend->figure_count; i++) {
        fputs("<th>", stream);
        html_text(trend->figures[i].title, stream);
        fputs("</th>", stream);
    }
    fputs("</tr></thead>\n<tbody>\n", stream);
    for (size_t i = trend->point_count; i-- > 0;)
        write_row(trend, i, stream);
    fputs("</tbody></table></div></section>\n", stream);
}

bool trend_write_page(const void *what, FILE *stream)
{
    const struct trend *trend = what;
    fprintf(stream, "%s%s</style>\n</head>\n<body>\n<header><h1>Trend of %zu point%s</h1>\n",
            page_head, page_style, trend->point_count, plural(trend->point_count));
    write_verdict(trend, stream);
    fputs("</header>\n<main>\n", stream);
    write_figures(trend, stream);
    write_table(trend, stream);
    fputs("</main>\n</body>\n</html>\n", stream);
    return !ferror(stream);
}
