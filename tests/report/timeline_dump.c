/* timeline_dump FILE.html: checks the data of time lines, in a page or as JSON alone, and prints
 * what tests look at, run by run: run NAME                          which one rows, pieces,
 * messages N ...      how much there is sums C MPI WAITS                  ticks of all ranks,
 * merged pieces by their shares waits KIND: N                     pieces that wait, by kind the
 * path's waits                  as silas-model --domino prints them band LEVEL: ... the bands above
 * the rows, with the regions that begin them region NAME                       the names Fails if
 * the data are no JSON, if pieces of a row overlap or name a call path that is not there, if shares
 * are more than the whole, if a piece keeps more calls than are open, if a wait of the path is not
 * a piece of its own, if bands of a level overlap or are not inside of the representative iteration
 * above them, or if their iterations do not fill them. */
#include "base/json.h"
#include "base/units.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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

/* The JSON between the tags of the page's data, or of a whole file. */
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
    const bool alone = text[0] == '{';
    const char *begin = alone ? text : strstr(text, tag);
    const char *end = alone ? text + strlen(text) : begin ? strstr(begin, "</script>") : NULL;
    if (!end || (!alone && !strstr(end, "</html>")))
        die("the page has no data, or no end");
    begin += alone ? 0 : strlen(tag);
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

static unsigned base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    if (!at)
        die("no base64: %c", c);
    return (unsigned)(at - digits);
}

/* The bytes of a base64 text, and their number. */
static unsigned char *decode(const char *text, size_t *size)
{
    const size_t length = strlen(text);
    unsigned char *bytes = malloc(length + 1);
    *size = 0;
    for (size_t i = 0; bytes && i + 3 < length; i += 4) {
        const unsigned pads = text[i + 2] == '=' ? 2 : text[i + 3] == '=' ? 1 : 0;
        const unsigned three = base64_digit(text[i]) << 18 | base64_digit(text[i + 1]) << 12 |
                               (pads < 2 ? base64_digit(text[i + 2]) : 0) << 6 |
                               (pads < 1 ? base64_digit(text[i + 3]) : 0);
        for (unsigned k = 0; k < 3 - pads; k++)
            bytes[(*size)++] = (unsigned char)(three >> (16 - 8 * k));
    }
    return bytes;
}

/* The column `name` of `object`, which has `count` numbers; free it. */
static int64_t *unpack(const json_t *object, const char *name, size_t count)
{
    const char *text = json_string_value(json_object_get(object, name));
    int64_t *numbers = malloc((count + 1) * sizeof *numbers);
    size_t packed_size = 0;
    unsigned char *packed = text ? decode(text, &packed_size) : NULL;
    if (!numbers || !packed)
        die("no column %s", name);
    unsigned char *bytes = malloc(10 * count + 1);
    z_stream zip = {.next_in = packed, .avail_in = (uInt)packed_size};
    zip.next_out = bytes;
    zip.avail_out = (uInt)(10 * count + 1);
    if (inflateInit(&zip) != Z_OK || inflate(&zip, Z_FINISH) != Z_STREAM_END)
        die("column %s cannot be unpacked", name);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = 0;
        for (int shift = 0;; shift += 7) {
            if (at == zip.total_out)
                die("column %s ends early", name);
            number |= (uint64_t)(bytes[at] & 127) << shift;
            if (bytes[at++] < 128)
                break;
        }
        numbers[i] = (int64_t)number;
    }
    if (at != zip.total_out)
        die("column %s is too long", name);
    inflateEnd(&zip);
    free(bytes);
    free(packed);
    return numbers;
}

/* The pieces of a run, unpacked. */
struct pieces {
    size_t count;
    int64_t *gap, *length, *callpath, *what, *kept, *kind, *other, *computes, *mpi, *waits;
};

enum { WAITS = 1, MIXED = 2 };

static size_t count_what(const struct pieces *pieces, int64_t bit)
{
    size_t count = 0;
    for (size_t i = 0; i < pieces->count; i++)
        count += (pieces->what[i] & bit) != 0;
    return count;
}

static void unpack_pieces(const json_t *run, struct pieces *pieces)
{
    const json_t *packed = json_object_get(run, "pieces");
    pieces->count = (size_t)get(packed, "count");
    pieces->gap = unpack(packed, "gap", pieces->count);
    pieces->length = unpack(packed, "length", pieces->count);
    pieces->callpath = unpack(packed, "callpath", pieces->count);
    pieces->what = unpack(packed, "what", pieces->count);
    pieces->kept = unpack(packed, "kept", pieces->count);
    const size_t waiting = count_what(pieces, WAITS), mixed = count_what(pieces, MIXED);
    pieces->kind = unpack(packed, "kind", waiting);
    pieces->other = unpack(packed, "other", waiting);
    pieces->computes = unpack(packed, "computes", mixed);
    pieces->mpi = unpack(packed, "mpi", mixed);
    pieces->waits = unpack(packed, "waits", mixed);
    free(unpack(packed, "calls", pieces->count));
}

static void clear_pieces(const struct pieces *pieces)
{
    int64_t *const columns[] = {pieces->gap,  pieces->length, pieces->callpath, pieces->what,
                                pieces->kept, pieces->kind,   pieces->other,    pieces->computes,
                                pieces->mpi,  pieces->waits};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        free(columns[i]);
}

/* The place of a call path in "callpaths". */
static size_t find_callpath(const json_t *run, int64_t path)
{
    const json_t *callpaths = json_object_get(run, "callpaths");
    for (size_t i = 0; i < json_array_size(callpaths); i += 3)
        if (at(callpaths, i) == path)
            return i;
    die("no call path %lld", (long long)path);
    return 0;
}

static int64_t depth_of(const json_t *run, int64_t path)
{
    int64_t depth = 0;
    for (; path >= 0; depth++)
        path = at(json_object_get(run, "callpaths"), find_callpath(run, path) + 1);
    return depth;
}

static bool is_mpi(const json_t *run, int64_t path)
{
    const json_int_t region = at(json_object_get(run, "callpaths"), find_callpath(run, path) + 2);
    return at(json_array_get(json_object_get(run, "regions"), (size_t)region), 1) == 1;
}

/* Checks the pieces and prints the sums of the ranks' activities. */
static void check_rows(const json_t *run, const struct pieces *pieces)
{
    const json_t *rows = json_object_get(run, "rows");
    const bool few = json_array_size(json_object_get(run, "callpaths")) < 3000;
    double sums[3] = {0, 0, 0};
    size_t piece = 0, mixed = 0, waiting = 0;
    int64_t known = -1, depth = 0;
    bool mpi = false;
    for (size_t r = 0; r + 2 < json_array_size(rows); r += 3) {
        const double counts = at(rows, r + 1) == 0 ? 1 : 0;
        json_int_t time = 0;
        for (json_int_t i = 0; i < at(rows, r + 2); i++, piece++) {
            const double length = (double)pieces->length[piece];
            if (piece >= pieces->count || pieces->gap[piece] < 0 || length <= 0)
                die("piece %zu of rank %lld", piece, (long long)at(rows, r));
            if (pieces->callpath[piece] != known && few) {
                known = pieces->callpath[piece];
                depth = depth_of(run, known);
                mpi = is_mpi(run, known);
            }
            if (few && !(pieces->what[piece] & MIXED) && pieces->kept[piece] > depth)
                die("piece %zu keeps %lld of %lld calls", piece, (long long)pieces->kept[piece],
                    (long long)depth);
            time += pieces->gap[piece] + pieces->length[piece];
            if (pieces->what[piece] & MIXED) {
                const int64_t shares[] = {pieces->computes[mixed], pieces->mpi[mixed],
                                          pieces->waits[mixed]};
                mixed++;
                if (shares[0] + shares[1] + shares[2] > 255)
                    die("shares of piece %zu are more than the whole", piece);
                for (int k = 0; k < 3; k++)
                    sums[k] += counts * length * (double)shares[k] / 255;
            } else {
                sums[pieces->what[piece] & WAITS ? 2 : mpi ? 1 : 0] += counts * length;
            }
            if (pieces->what[piece] & WAITS && pieces->other[waiting++] > get(run, "ranks"))
                die("piece %zu waits for a rank that is not there", piece);
        }
        if (time > get(run, "length"))
            die("rank %lld ends after the trace", (long long)at(rows, r));
    }
    if (piece != pieces->count)
        die("%zu pieces in rows, of %zu", piece, pieces->count);
    printf("sums %.0f %.0f %.0f\n", sums[0], sums[1], sums[2]);
}

static void print_kinds(const json_t *run, const struct pieces *pieces)
{
    const json_t *names = json_object_get(run, "wait_kinds");
    const size_t waiting = count_what(pieces, WAITS);
    for (size_t k = 0; k < json_array_size(names); k++) {
        size_t count = 0;
        for (size_t i = 0; i < waiting; i++)
            count += pieces->kind[i] == (int64_t)k;
        if (count > 0)
            printf("waits %s: %zu\n", json_string_value(json_array_get(names, k)), count);
    }
}

static void check_messages(const json_t *messages)
{
    static const char *const names[] = {"from", "sent", "to", "takes", "bytes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        free(unpack(messages, names[i], (size_t)get(messages, "count")));
}

/* A waiting piece begins at `enter`. It ends at `until`, when the message arrives in the model, or
 * before, when the other rank begins to send. */
static void check_wait(const json_t *run, const struct pieces *pieces, const json_t *wait)
{
    const json_t *rows = json_object_get(run, "rows");
    size_t piece = 0;
    for (size_t r = 0; r + 2 < json_array_size(rows); r += 3) {
        json_int_t time = 0;
        for (json_int_t i = 0; i < at(rows, r + 2); i++, piece++) {
            const json_int_t begin = time + pieces->gap[piece];
            time = begin + pieces->length[piece];
            if (at(rows, r) == get(wait, "rank") && at(rows, r + 1) == 0 &&
                begin == get(wait, "enter") && time <= get(wait, "until") &&
                pieces->what[piece] == WAITS)
                return;
        }
    }
    die("wait %lld is no piece of its own", (long long)get(wait, "number"));
}

static void print_waits(const json_t *data, const struct pieces *pieces)
{
    const json_t *path = json_object_get(data, "path"), *waits = json_object_get(path, "waits");
    double before = (double)get(path, "last_time"), ticks = (double)get(data, "ticks_per_second");
    printf("without %.2f %% longest %.2f %%\n",
           100 * (before - (double)get(path, "without_path")) / before,
           100 * (before - (double)get(path, "without_longest")) / before);
    for (size_t i = 0; i < json_array_size(waits); i++) {
        const json_t *wait = json_array_get(waits, i);
        check_wait(data, pieces, wait);
        if (get(wait, "departure") > get(wait, "until") || get(wait, "from") < get(wait, "until"))
            die("wait %zu: the path goes backwards", i);
        printf("%6lld  %8.2f %%%14s  rank %lld, event %lld\n", (long long)get(wait, "number"),
               100 * (before - (double)get(wait, "alone")) / before,
               time_text_alone((double)get(wait, "wait") / ticks, 4).text,
               (long long)get(wait, "rank"), (long long)get(wait, "event"));
    }
}

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

static void print_run(const json_t *run)
{
    const json_t *regions = json_object_get(run, "regions");
    const json_t *messages = json_object_get(run, "messages");
    struct pieces pieces = {0};
    unpack_pieces(run, &pieces);
    printf("run %s\n", json_string_value(json_object_get(run, "name")));
    printf("rows %zu pieces %zu messages %lld of %lld threshold %lld predicted %d T %lld\n",
           json_array_size(json_object_get(run, "rows")) / 3, pieces.count,
           (long long)get(messages, "count"), (long long)get(messages, "total"),
           (long long)get(run, "threshold"), json_is_true(json_object_get(run, "predicted")),
           (long long)get(run, "length"));
    check_rows(run, &pieces);
    check_messages(messages);
    print_kinds(run, &pieces);
    if (json_object_get(run, "path"))
        print_waits(run, &pieces);
    print_bands(run);
    for (size_t i = 0; i < json_array_size(regions); i++)
        printf("region %s\n", json_string_value(json_array_get(json_array_get(regions, i), 0)));
    clear_pieces(&pieces);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    json_t *data = read_data(argv[1]);
    const json_t *runs = json_object_get(data, "runs");
    if (get(data, "format") != 3 || json_array_size(runs) == 0)
        die("no runs");
    for (size_t i = 0; i < json_array_size(runs); i++)
        print_run(json_array_get(runs, i));
    json_decref(data);
    return 0;
}
