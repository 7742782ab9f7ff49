/* Axes, and the figures with one mark per run that all parts of the page share. */
#include "base/plural.h"
#include "sweep/output/html_parts.h"

#include <math.h>

struct html_axis html_gain_axis(const struct table *table, double from, double to)
{
    struct html_axis axis = {0, 0, from, to, false};
    for (size_t i = 0; i < html_count_figures(table); i++) {
        const struct estimate *gain = &table->rows[i].objective;
        axis.low = fmin(axis.low, html_percent(fmin(gain->low, gain->median)));
        axis.high = fmax(axis.high, html_percent(fmax(gain->high, gain->median)));
    }
    if (axis.high - axis.low < 0.01)
        axis.high = axis.low + 0.01;
    const double room = 0.04 * (axis.high - axis.low);
    axis.low -= axis.low < 0 ? room : 0;
    axis.high += room;
    return axis;
}

void html_row_figure(const struct table *table, const struct table_row *row, FILE *stream)
{
    enum { WIDTH = 190, MIDDLE = 9 };
    const struct html_axis axis = html_gain_axis(table, 3, WIDTH - 3);
    const double zero = html_place(&axis, 0);
    const double median = html_place(&axis, html_percent(row->objective.median));
    const double low = html_place(&axis, html_percent(row->objective.low));
    const double high = html_place(&axis, html_percent(row->objective.high));
    fprintf(stream, "<svg class=\"row\" viewBox=\"0 0 %d 18\" aria-hidden=\"true\">", WIDTH);
    fprintf(stream,
            "<rect class=\"bar %s\" x=\"%.1f\" y=\"3\" width=\"%.1f\" height=\"12\"/>"
            "<path class=\"zero\" d=\"M%.1f 0V18\"/>",
            html_class(row, row->objective.median >= 0), fmin(zero, median), fabs(median - zero),
            zero);
    if (!row->computed && high > low)
        fprintf(stream, "<path class=\"interval%s\" d=\"M%.1f %dH%.1fM%.1f 5V13M%.1f 5V13\"/>",
                row->objective.level > 0 ? "" : " weak", low, MIDDLE, high, low, high);
    fprintf(stream, "<circle class=\"middle\" cx=\"%.1f\" cy=\"%d\" r=\"2.5\"/></svg>", median,
            MIDDLE);
}

enum { WIDTH = 560, HEIGHT = 300, LEFT = 56, RIGHT = 540, TOP = 14, BOTTOM = 256, TICKS = 8 };

struct front {
    const struct table *table;
    struct html_axis x, y;
    FILE *stream;
};

static void write_front_axes(const struct front *front)
{
    double ticks[TICKS];
    size_t count = html_ticks(&front->y, TICKS, ticks);
    for (size_t i = 0; i < count; i++) {
        const double y = html_place(&front->y, ticks[i]);
        fprintf(front->stream,
                "<path class=\"%s\" d=\"M%d %.1fH%d\"/><text class=\"tick end\" x=\"%d\" "
                "y=\"%.1f\">%g</text>",
                ticks[i] == 0 ? "zero" : "grid", LEFT, y, RIGHT, LEFT - 6, y + 4, ticks[i]);
    }
    count = html_ticks(&front->x, TICKS, ticks);
    for (size_t i = 0; i < count; i++)
        if (ticks[i] == floor(ticks[i]))
            fprintf(front->stream, "<text class=\"tick middle\" x=\"%.1f\" y=\"%d\">%g</text>",
                    html_place(&front->x, ticks[i]), BOTTOM + 18, ticks[i]);
    fprintf(front->stream,
            "<text class=\"name middle\" x=\"%d\" y=\"%d\">changed regions</text>"
            "<text class=\"name middle\" transform=\"translate(14 %d) rotate(-90)\">saving, %% of "
            "T</text>",
            (LEFT + RIGHT) / 2, HEIGHT - 6, (TOP + BOTTOM) / 2);
}

/* The best rows of the front by number of regions, joined by steps. */
static void write_front_line(const struct front *front)
{
    const size_t rows = html_count_figures(front->table);
    size_t regions = 0, most = 0;
    bool first = true;
    for (size_t i = 0; i < rows; i++)
        if (front->table->rows[i].on_front && front->table->rows[i].result->regions > most)
            most = front->table->rows[i].result->regions;
    fputs("<path class=\"front\" d=\"", front->stream);
    for (; regions <= most; regions++)
        for (size_t i = 0; i < rows; i++) {
            const struct table_row *row = &front->table->rows[i];
            if (!row->on_front || row->result->regions != regions)
                continue;
            const double x = html_place(&front->x, (double)regions);
            const double y = html_place(&front->y, html_percent(row->saving.median));
            fprintf(front->stream, first ? "M%.1f %.1f" : "H%.1fV%.1f", x, y);
            first = false;
            break;
        }
    fprintf(front->stream, first ? "\"/>" : "H%d\"/>", RIGHT);
}

static void write_front_mark(const struct front *front, const struct table_row *row)
{
    const double x = html_place(&front->x, (double)row->result->regions);
    const double y = html_place(&front->y, html_percent(row->saving.median));
    fprintf(front->stream, "<circle class=\"mark %s%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"><title>",
            html_class(row, row->saving.median >= 0), row->on_front ? " best" : "", x, y,
            row->on_front ? "5" : "3.5");
    html_text(row->run->name, front->stream);
    fprintf(front->stream, ": %.2f %%, %zu region%s; ", html_percent(row->saving.median),
            row->result->regions, plural(row->result->regions));
    html_settings(front->table, row->run, front->stream);
    fputs("</title></circle>", front->stream);
    if (!row->on_front)
        return;
    const bool right = x > RIGHT - 60;
    fprintf(front->stream, "<text class=\"label%s\" x=\"%.1f\" y=\"%.1f\">", right ? " end" : "",
            right ? x - 8 : x + 8, y - 7 < TOP ? y + 14 : y - 7);
    html_text(row->run->name, front->stream);
    fputs("</text>", front->stream);
}

void html_front_figure(const struct table *table, FILE *stream)
{
    const size_t rows = html_count_figures(table);
    struct front front = {
        .table = table, .x = {0, 1, LEFT, RIGHT, false}, .y = {0, 0.01, BOTTOM, TOP, false}};
    front.stream = stream;
    for (size_t i = 0; i < rows; i++) {
        const double saving = html_percent(table->rows[i].saving.median);
        front.x.high = fmax(front.x.high, (double)table->rows[i].result->regions);
        front.y.low = fmin(front.y.low, saving);
        front.y.high = fmax(front.y.high, saving);
    }
    front.x.high += 0.5;
    front.y.high += 0.06 * (front.y.high - front.y.low);
    fprintf(stream,
            "<svg class=\"figure\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Saving against "
            "the number of changed regions\">",
            WIDTH, HEIGHT);
    write_front_axes(&front);
    write_front_line(&front);
    for (size_t i = rows; i-- > 0;)
        write_front_mark(&front, &table->rows[i]);
    fputs("</svg>\n", stream);
}
