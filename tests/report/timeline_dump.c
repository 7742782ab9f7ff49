/* timeline_dump FILE.html: checks the data of a time line's page and prints what tests look at:
 *   rows, pieces, messages N ...      how much there is
 *   the path's waits                  as silas-model --domino prints them
 *   band LEVEL: ...                   the bands above the rows, with the regions that begin them
 *   region NAME                       the names
 * Fails if the data are no JSON, if pieces of a row overlap or name a call path that is not there,
 * if a wait of the path is not a piece of its own, if bands of a level overlap or are not inside of
 * the representative iteration above them, or if their iterations do not fill them. */
#include "report/units.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("wrong: ");
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    exit(1);
}

/* The JSON between the tags of the page's data. */
static json_t *read_data(const char *path)
{
    static const char tag[] = "id=\"data\">";
    char *text = NULL;
    size_t size = 0;
    json_error_t error;
    FILE *file = fopen(path, "r");
    if (!file || getdelim(&text, &size, '\0', file) < 0)
        die("cannot read %s", path);
    fclose(file);
    const char *begin = strstr(text, tag);
    const char *end = begin ? strstr(begin, "</script>") : NULL;
    if (!end || !strstr(end, "</html>"))
        die("the page has no data, or no end");
    begin += strlen(tag);
    json_t *data = json_loadb(begin, (size_t)(end - begin), 0, &error);
    if (!data)
        die("no JSON: %s at %d", error.text, error.position);
    free(text);
    return data;
}

static json_int_t get(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value))
        die("no number \"%s\"", key);
    return json_integer_value(value);
}

static json_int_t at(const json_t *array, size_t index)
{
    return json_integer_value(json_array_get(array, index));
}

static bool has_callpath(const json_t *callpaths, json_int_t path)
{
    for (size_t i = 0; i < json_array_size(callpaths); i += 3)
        if (at(callpaths, i) == path)
            return true;
    return false;
}

/* The row of a rank. */
static const json_t *find_row(const json_t *data, json_int_t rank)
{
    const json_t *rows = json_object_get(data, "rows");
    for (size_t r = 0; r < json_array_size(rows); r++)
        if (at(json_array_get(rows, r), 0) == rank)
            return json_array_get(json_array_get(rows, r), 1);
    die("rank %lld has no row", (long long)rank);
    return NULL;
}

static size_t check_rows(const json_t *data)
{
    const json_t *rows = json_object_get(data, "rows");
    size_t count = 0, known_count = json_array_size(json_object_get(data, "callpaths"));
    json_int_t known = -1; /* found last time */
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *pieces = json_array_get(json_array_get(rows, r), 1);
        json_int_t time = 0;
        for (size_t i = 0; i + 2 < json_array_size(pieces); i += 3) {
            json_int_t gap = at(pieces, i), length = at(pieces, i + 1),
                       path = at(pieces, i + 2) / 4;
            if (gap < 0 || length <= 0)
                die("piece %zu of row %zu: gap %lld, length %lld", i / 3, r, (long long)gap,
                    (long long)length);
            if (path != known && known_count < 3000 &&
                !has_callpath(json_object_get(data, "callpaths"), path))
                die("no call path %lld", (long long)path);
            known = path;
            time += gap + length;
            count++;
        }
        if (time > get(data, "length"))
            die("row %zu ends after the trace", r);
    }
    return count;
}

/* From `enter` to `until` there is one piece, a waiting one. */
static void check_wait(const json_t *data, const json_t *wait)
{
    const json_t *pieces = find_row(data, get(wait, "rank"));
    json_int_t time = 0;
    for (size_t i = 0; i + 2 < json_array_size(pieces); i += 3) {
        json_int_t begin = time + at(pieces, i);
        time = begin + at(pieces, i + 1);
        if (begin == get(wait, "enter") && time == get(wait, "until") && at(pieces, i + 2) % 4 == 1)
            return;
    }
    die("wait %lld is no piece of its own", (long long)get(wait, "number"));
}

static void print_waits(const json_t *data)
{
    const json_t *path = json_object_get(data, "path"), *waits = json_object_get(path, "waits");
    double before = (double)get(path, "last_time"), ticks = (double)get(data, "ticks_per_second");
    printf("without %.2f %% longest %.2f %%\n",
           100 * (before - (double)get(path, "without_path")) / before,
           100 * (before - (double)get(path, "without_longest")) / before);
    for (size_t i = 0; i < json_array_size(waits); i++) {
        const json_t *wait = json_array_get(waits, i);
        check_wait(data, wait);
        if (get(wait, "departure") > get(wait, "until") || get(wait, "from") < get(wait, "until"))
            die("wait %zu: the path goes backwards", i);
        printf("%6lld  %8.2f %%%14s  rank %lld, event %lld\n", (long long)get(wait, "number"),
               100 * (before - (double)get(wait, "alone")) / before,
               time_text_alone((double)get(wait, "wait") / ticks, 4).text,
               (long long)get(wait, "rank"), (long long)get(wait, "event"));
    }
}

/* --- bands ------------------------------------------------------------------------------------ */

/* Whether some stretch of the level above has its representative iteration around this one. */
static bool is_inside(const json_t *bands, const json_t *inner)
{
    for (size_t b = 0; b < json_array_size(bands); b++) {
        const json_t *band = json_array_get(bands, b), *bounds = json_object_get(band, "bounds");
        if (get(band, "level") != get(inner, "level") - 1 || !bounds || get(band, "stride") != 1)
            continue;
        json_int_t begin = get(band, "begin"), number = get(band, "representative");
        for (json_int_t i = 0; i < number; i++)
            begin += at(bounds, (size_t)i);
        if (get(inner, "begin") >= begin && get(inner, "end") <= begin + at(bounds, (size_t)number))
            return true;
    }
    return false;
}

static const char *callpath_region(const json_t *data, json_int_t path)
{
    const json_t *callpaths = json_object_get(data, "callpaths");
    for (size_t i = 0; i < json_array_size(callpaths); i += 3)
        if (at(callpaths, i) == path)
            return json_string_value(json_array_get(
                json_array_get(json_object_get(data, "regions"), (size_t)at(callpaths, i + 2)), 0));
    die("a band has no call path %lld", (long long)path);
    return NULL;
}

static void print_iterations(const json_t *data, const json_t *band)
{
    const json_t *bounds = json_object_get(band, "bounds");
    json_int_t end = get(band, "begin"), n = get(band, "iterations"), stride = get(band, "stride");
    for (size_t i = 0; i < json_array_size(bounds); i++)
        end += at(bounds, i);
    if (end != get(band, "end") || (json_int_t)json_array_size(bounds) != (n + stride - 1) / stride)
        die("%lld iterations do not fill their band", (long long)n);
    if (get(band, "representative") >= n || get(band, "cut") + get(band, "cut_count") > n)
        die("iterations that are not there");
    printf(" %lld iterations, %s, number %lld, cut %lld from %lld", (long long)n,
           callpath_region(data, get(band, "callpath")), (long long)get(band, "representative"),
           (long long)get(band, "cut_count"), (long long)get(band, "cut"));
}

static void print_bands(const json_t *data)
{
    const json_t *bands = json_object_get(data, "bands");
    json_int_t level = 1, end = 0;
    for (size_t b = 0; b < json_array_size(bands); b++) {
        const json_t *band = json_array_get(bands, b);
        if (get(band, "level") != level)
            end = 0;
        level = get(band, "level");
        if (get(band, "begin") < end || get(band, "end") > get(data, "length"))
            die("band %zu overlaps, or ends after the trace", b);
        if (level > 1 && !is_inside(bands, band))
            die("band %zu is not inside of an iteration", b);
        end = get(band, "end");
        printf("band %lld:%s", (long long)level, get(band, "flushing") ? " flushing" : "");
        if (json_object_get(band, "iterations"))
            print_iterations(data, band);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    json_t *data = read_data(argv[1]);
    const json_t *regions = json_object_get(data, "regions");
    printf("rows %zu pieces %zu messages %zu of %lld threshold %lld predicted %d T %lld\n",
           json_array_size(json_object_get(data, "rows")), check_rows(data),
           json_array_size(json_object_get(data, "messages")) / 5,
           (long long)get(data, "message_total"), (long long)get(data, "threshold"),
           json_is_true(json_object_get(data, "predicted")), (long long)get(data, "length"));
    print_waits(data);
    print_bands(data);
    for (size_t i = 0; i < json_array_size(regions); i++)
        printf("region %s\n", json_string_value(json_array_get(json_array_get(regions, i), 0)));
    json_decref(data);
    return 0;
}
