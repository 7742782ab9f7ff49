#include "structure/bands.h"

#include <assert.h>
#include <inttypes.h>

static void mark(const struct stretch *stretch, int64_t *used)
{
    if (stretch->path != CALLPATH_NONE)
        used[stretch->path] = 1;
    for (size_t i = 0; i < stretch->child_count; i++)
        mark(&stretch->children[i], used);
}

void bands_mark(const void *bands, int64_t *used)
{
    mark(((const struct bands *)bands)->whole, used);
}

/* The lengths of `stride` iterations each; the last of the rest. */
static void write_bounds(const struct stretch *stretch, FILE *stream)
{
    const size_t stride = (stretch->iterations + BANDS_BOUNDS - 1) / BANDS_BOUNDS;
    fprintf(stream, ",\"stride\":%zu,\"bounds\":[", stride);
    for (size_t from = 0; from < stretch->iterations; from += stride) {
        const size_t to = from + stride < stretch->iterations ? from + stride : stretch->iterations;
        fprintf(stream, "%s%" PRIu64, from == 0 ? "" : ",",
                stretch->bounds[to] - stretch->bounds[from]);
    }
    putc(']', stream);
}

static void write_iterations(const struct bands *bands, const struct stretch *stretch, FILE *stream)
{
    assert(stretch->bounds && stretch->representative < stretch->iterations);
    const size_t n = stretch->iterations, cut = bands->cut < n ? bands->cut : n;
    const size_t first = stretch->representative;
    const bool named = stretch->path != CALLPATH_NONE;
    fprintf(stream,
            ",\"iterations\":%zu,\"period\":%.1f,\"callpath\":%" PRId64 ",\"calls\":%" PRIu32
            ",\"representative\":%zu,\"cut\":%zu,\"cut_count\":%zu",
            n, stretch->period, named ? (int64_t)stretch->path : -1, stretch->calls, first,
            first < n - cut ? first : n - cut, cut);
    write_bounds(stretch, stream);
}

/* Writes the stretches of one level, in order of time. */
static void write_level(const struct bands *bands, const struct stretch *parent, int above,
                        int level, const char **separator, FILE *stream)
{
    for (size_t i = 0; i < parent->child_count; i++) {
        const struct stretch *stretch = &parent->children[i];
        if (above > 1) {
            write_level(bands, stretch, above - 1, level, separator, stream);
            continue;
        }
        fprintf(stream, "%s{\"level\":%d,\"begin\":%" PRIu64 ",\"end\":%" PRIu64 ",\"flushing\":%d",
                *separator, level, stretch->begin - bands->trace->begin,
                stretch->end - bands->trace->begin, stretch->flushing);
        if (stretch->iterations > 1)
            write_iterations(bands, stretch, stream);
        fputs("}", stream);
        *separator = ",\n";
    }
}

static int levels_below(const struct stretch *stretch)
{
    int most = 0;
    for (size_t i = 0; i < stretch->child_count; i++) {
        const int levels = 1 + levels_below(&stretch->children[i]);
        most = levels > most ? levels : most;
    }
    return most;
}

bool bands_write(const void *what, FILE *stream)
{
    const struct bands *bands = what;
    const char *separator = "\n";
    putc('[', stream);
    for (int level = 1; level <= levels_below(bands->whole); level++)
        write_level(bands, bands->whole, level, level, &separator, stream);
    putc(']', stream);
    return !ferror(stream);
}
