/* The gain over each setting that varies. */
#include "base/sort.h"
#include "sweep/output/html_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 560,
    HEIGHT = 300,
    LEFT = 56,
    RIGHT = 540,
    TOP = 14,
    BOTTOM = 256,
    TICKS = 8,
    MOST_LINES = 400, /* rows, above which lines between them would only be a cloud */
    MOST_MARKS = 2000,
    MOST_STRIPS = 24,
    STRIP_HEIGHT = 24,
    NAME_WIDTH = 190,
    NAME_LENGTH = 26, /* characters that fit there */
};

struct mark {
    const struct table_row *row;
    const char *value; /* NULL: the run does not have the setting */
    double number;
};

struct figure {
    const struct table *table;
    const struct table_key *key;
    struct mark *marks; /* of rows with figures */
    size_t count;
    FILE *stream;
};

/* Reads "0.5", "64k", "20 us". False if the text is something else. */
static bool read_number(const char *text, double *number)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1},        {"k", 1024},  {"K", 1024},  {"M", 1048576},
                 {"G", 1 << 30}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3},
                 {"s", 1},       {"m", 60},    {"h", 3600}};
    char *end;
    *number = text ? strtod(text, &end) : NAN;
    if (!text || end == text || !isfinite(*number))
        return false;
    end += strspn(end, " ");
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        if (strcmp(end, units[u].unit) == 0) {
            *number *= units[u].factor;
            return true;
        }
    return false;
}

/* Collects the rows. True if there are different numbers, and nothing else; then runs without the
 * setting are left out. */
static bool collect(struct figure *figure)
{
    const size_t rows = html_count_figures(figure->table);
    size_t numbers = 0, words = 0;
    bool differ = false;
    for (size_t i = 0; i < rows && i < MOST_MARKS; i++) {
        struct mark *mark = &figure->marks[figure->count++];
        mark->row = &figure->table->rows[i];
        mark->value = run_setting(mark->row->run, figure->key->name);
        const bool number = read_number(mark->value, &mark->number);
        numbers += number;
        words += mark->value && !number;
        differ = differ || (number && mark->number != figure->marks[0].number);
    }
    if (numbers == 0 || words > 0 || !differ)
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < figure->count; i++)
        if (figure->marks[i].value)
            figure->marks[kept++] = figure->marks[i];
    figure->count = kept;
    return true;
}

static int order_numbers(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    return ORDER(x->number, y->number) ?: ORDER(x->row, y->row);
}

static void write_mark(const struct figure *figure, const struct mark *mark, double x, double y)
{
    const struct estimate *gain = &mark->row->objective;
    fprintf(figure->stream, "<circle class=\"mark %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>",
            html_class(mark->row, gain->median >= 0), x, y);
    html_text(mark->row->run->name, figure->stream);
    fprintf(figure->stream, ": %.2f %%", html_percent(gain->median));
    if (!mark->row->computed && gain->level > 0)
        fprintf(figure->stream, " (%.2f .. %.2f)", html_percent(gain->low),
                html_percent(gain->high));
    fputs("; ", figure->stream);
    html_settings(figure->table, mark->row->run, figure->stream);
    fputs("</title></circle>", figure->stream);
}

static void write_gain_name(const struct figure *figure)
{
    const struct objective *goal = &figure->table->goal;
    html_text(goal->is_time ? "saving, % of T" : "gain, % of ", figure->stream);
    if (!goal->is_time)
        html_text(goal->name, figure->stream);
}

static void begin(const struct figure *figure, int height)
{
    fputs("<figure><figcaption>", figure->stream);
    html_text(figure->key->name, figure->stream);
    fprintf(figure->stream,
            "</figcaption><svg class=\"figure\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
            WIDTH, height);
    write_gain_name(figure);
    fputs(" over ", figure->stream);
    html_text(figure->key->name, figure->stream);
    fputs("\">", figure->stream);
}

static void end(const struct figure *figure)
{
    fputs("</svg></figure>\n", figure->stream);
}

static bool same_setting(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_others(const struct figure *figure, const struct mark *a, const struct mark *b)
{
    for (size_t k = 0; k < figure->table->key_count; k++) {
        const struct table_key *key = &figure->table->keys[k];
        if (key != figure->key &&
            !same_setting(run_setting(a->row->run, key->name), run_setting(b->row->run, key->name)))
            return false;
    }
    return true;
}

static double gain_place(const struct html_axis *axis, const struct mark *mark)
{
    return html_place(axis, html_percent(mark->row->objective.median));
}

/* Joins the runs that differ in this setting only, neighbour by neighbour. */
static void write_lines(const struct figure *figure, const struct html_axis *x,
                        const struct html_axis *y)
{
    for (size_t i = 0; i < figure->count && figure->count <= MOST_LINES; i++)
        for (size_t j = i + 1; j < figure->count; j++) {
            const struct mark *a = &figure->marks[i], *b = &figure->marks[j];
            if (!same_others(figure, a, b))
                continue;
            fprintf(figure->stream, "<path class=\"line\" d=\"M%.1f %.1fL%.1f %.1f\"/>",
                    html_place(x, a->number), gain_place(y, a), html_place(x, b->number),
                    gain_place(y, b));
            break;
        }
}

static void write_intervals(const struct figure *figure, const struct html_axis *x,
                            const struct html_axis *y)
{
    for (size_t i = 0; i < figure->count; i++) {
        const struct table_row *row = figure->marks[i].row;
        if (!row->computed)
            fprintf(figure->stream, "<path class=\"interval%s\" d=\"M%.1f %.1fV%.1f\"/>",
                    row->objective.level > 0 ? "" : " weak", html_place(x, figure->marks[i].number),
                    html_place(y, html_percent(row->objective.low)),
                    html_place(y, html_percent(row->objective.high)));
    }
}

static void write_x_tick(const struct figure *figure, double x)
{
    fprintf(figure->stream, "<text class=\"tick middle\" x=\"%.1f\" y=\"%d\">", x, BOTTOM + 18);
}

/* The values as they were written, as far as there is room for them. */
static void write_x_ticks(const struct figure *figure, const struct html_axis *x)
{
    double last = -INFINITY;
    for (size_t i = 0; i < figure->count; i++) {
        const double place = html_place(x, figure->marks[i].number);
        const double half = 4 * (double)strlen(figure->marks[i].value) + 4;
        if (place - half < last)
            continue;
        last = place + half;
        write_x_tick(figure, place);
        html_text(figure->marks[i].value, figure->stream);
        fputs("</text>", figure->stream);
    }
}

static void write_y_ticks(const struct figure *figure, const struct html_axis *y)
{
    double ticks[TICKS];
    const size_t count = html_ticks(y, TICKS, ticks);
    for (size_t i = 0; i < count; i++) {
        const double place = html_place(y, ticks[i]);
        fprintf(figure->stream,
                "<path class=\"%s\" d=\"M%d %.1fH%d\"/><text class=\"tick end\" x=\"%d\" "
                "y=\"%.1f\">%g</text>",
                ticks[i] == 0 ? "zero" : "grid", LEFT, place, RIGHT, LEFT - 6, place + 4, ticks[i]);
    }
}

/* True for values such as 1k, 8k, 64k: far apart at the upper end. */
static bool is_geometric(const struct figure *figure)
{
    const double low = figure->marks[0].number, high = figure->marks[figure->count - 1].number;
    size_t second = figure->count;
    while (second > 0 && figure->marks[second - 1].number == high)
        second--;
    return low > 0 && high >= 32 * low && second > 0 &&
           figure->marks[second - 1].number < 0.7 * high;
}

static void write_number_figure(struct figure *figure)
{
    qsort(figure->marks, figure->count, sizeof *figure->marks, order_numbers);
    const double low = figure->marks[0].number, high = figure->marks[figure->count - 1].number;
    const struct html_axis x = {low, high, LEFT + 14, RIGHT - 14, is_geometric(figure)};
    const struct html_axis y = html_gain_axis(figure->table, BOTTOM, TOP);
    begin(figure, HEIGHT);
    write_y_ticks(figure, &y);
    write_x_ticks(figure, &x);
    write_lines(figure, &x, &y);
    write_intervals(figure, &x, &y);
    for (size_t i = 0; i < figure->count; i++)
        write_mark(figure, &figure->marks[i], html_place(&x, figure->marks[i].number),
                   gain_place(&y, &figure->marks[i]));
    fprintf(figure->stream, "<text class=\"name middle\" x=\"%d\" y=\"%d\">", (LEFT + RIGHT) / 2,
            HEIGHT - 6);
    html_text(figure->key->label, figure->stream);
    fprintf(figure->stream,
            "%s</text><text class=\"name middle\" transform=\"translate(14 %d) rotate(-90)\">",
            x.logarithmic ? " (logarithmic)" : "", (TOP + BOTTOM) / 2);
    write_gain_name(figure);
    fputs("</text>", figure->stream);
    end(figure);
}

/* The distinct values, that with the best run first, as rows are ordered. */
static size_t list_values(const struct figure *figure, const char **values)
{
    size_t count = 0;
    for (size_t i = 0; i < figure->count; i++) {
        size_t v = 0;
        while (v < count && !same_setting(values[v], figure->marks[i].value))
            v++;
        if (v == count)
            values[count++] = figure->marks[i].value;
        if (count > MOST_STRIPS)
            break;
    }
    return count;
}

/* A name that is too long is cut at its end; a character of UTF-8 stays whole. */
static void write_strip_name(const struct figure *figure, const char *value, double y)
{
    const char *name = value ? value : "none";
    char text[4 * NAME_LENGTH + 8];
    size_t used = 0, letters = 0;
    for (; used < sizeof text - 5 && name[used]; used++) {
        letters += ((unsigned char)name[used] & 0xc0) != 0x80;
        if (letters > NAME_LENGTH)
            break;
        text[used] = name[used];
    }
    strcpy(text + used, name[used] ? "…" : "");
    fprintf(figure->stream, "<text class=\"tick end\" x=\"%d\" y=\"%.1f\">", NAME_WIDTH - 8, y + 4);
    html_text(text, figure->stream);
    fputs("<title>", figure->stream);
    html_text(name, figure->stream);
    fputs("</title></text>", figure->stream);
}

static void write_strips(struct figure *figure)
{
    const char *values[MOST_STRIPS + 1];
    size_t found = list_values(figure, values);
    const size_t count = found > MOST_STRIPS ? MOST_STRIPS : found;
    const int bottom = TOP + (int)count * STRIP_HEIGHT;
    const struct html_axis x = html_gain_axis(figure->table, NAME_WIDTH + 8, RIGHT);
    double ticks[TICKS];
    const size_t tick_count = html_ticks(&x, TICKS - 2, ticks);
    begin(figure, bottom + 44);
    for (size_t i = 0; i < tick_count; i++)
        fprintf(figure->stream,
                "<path class=\"%s\" d=\"M%.1f %dV%d\"/><text class=\"tick middle\" x=\"%.1f\" "
                "y=\"%d\">%g</text>",
                ticks[i] == 0 ? "zero" : "grid", html_place(&x, ticks[i]), TOP, bottom,
                html_place(&x, ticks[i]), bottom + 16, ticks[i]);
    for (size_t v = 0; v < count; v++) {
        const double y = TOP + ((double)v + 0.5) * STRIP_HEIGHT;
        fprintf(figure->stream, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", NAME_WIDTH, y, RIGHT);
        write_strip_name(figure, values[v], y);
        for (size_t i = figure->count; i-- > 0;)
            if (same_setting(values[v], figure->marks[i].value))
                write_mark(figure, &figure->marks[i], gain_place(&x, &figure->marks[i]), y);
    }
    fprintf(figure->stream, "<text class=\"name middle\" x=\"%d\" y=\"%d\">",
            (NAME_WIDTH + RIGHT) / 2, bottom + 36);
    write_gain_name(figure);
    if (found > MOST_STRIPS)
        fprintf(figure->stream, "; the best %d values", MOST_STRIPS);
    fputs("</text>", figure->stream);
    end(figure);
}

bool html_setting_figures(const struct table *table, FILE *stream)
{
    const size_t rows = html_count_figures(table);
    struct mark *marks = calloc(rows + 1, sizeof *marks);
    if (!marks)
        return false;
    for (size_t k = 0; k < table->key_count && rows > 1; k++) {
        struct figure figure = {table, &table->keys[k], marks, 0, stream};
        if (!table->keys[k].varies)
            continue;
        if (collect(&figure))
            write_number_figure(&figure);
        else
            write_strips(&figure);
    }
    free(marks);
    return true;
}
