#include "programs/structure_output.h"

#include "report/units.h"
#include "report/utf8.h"

#include <jansson.h>
#include <stdlib.h>

/* --- the name of a period --------------------------------------------------------------------- */

static const char *path_text(const struct trace *trace, uint32_t path, char *text, size_t size)
{
    callpath_format(&trace->calltree, trace->definitions, path, text, size);
    return text;
}

/* --- text ------------------------------------------------------------------------------------- */

struct columns {
    const struct trace *trace;
    struct time_format time;
    FILE *stream;
};

static void write_name(const struct columns *columns, const struct stretch *stretch)
{
    char text[1024];
    if (stretch->flushing)
        fputs("  perturbed: buffers were flushed", columns->stream);
    if (stretch->path != CALLPATH_NONE)
        fprintf(columns->stream, "  %s",
                path_text(columns->trace, stretch->path, text, sizeof text));
    if (stretch->calls > 1)
        fputs(" ...", columns->stream);
}

static void write_rows(const struct columns *columns, const struct stretch *stretch, int level)
{
    const struct trace *trace = columns->trace;
    double begin_s = trace_seconds(trace, (double)(stretch->begin - trace->begin));
    double span_s = trace_seconds(trace, (double)(stretch->end - stretch->begin));
    struct time_text period = {"-"};
    char spread[64] = "";
    if (stretch->iterations > 1) {
        period = time_text_alone(trace_seconds(trace, stretch->period), 4);
        snprintf(spread, sizeof spread, "%+.1f .. %+.1f %%",
                 100 * (stretch->shortest / stretch->period - 1),
                 100 * (stretch->longest / stretch->period - 1));
    }
    fprintf(columns->stream, "  %*s%-*s %12s %10zu  %11s %20s %6.1f %%", 2 * level, "",
            16 - 2 * level, time_text(&columns->time, begin_s).text,
            time_text(&columns->time, span_s).text, stretch->iterations, period.text, spread,
            100 * stretch->mpi);
    write_name(columns, stretch);
    fputc('\n', columns->stream);
    for (size_t i = 0; i < stretch->child_count; i++)
        write_rows(columns, &stretch->children[i], level + 1);
}

void structure_write_text(const struct trace *trace, const struct stretch *whole, FILE *stream)
{
    double length_s = trace_seconds(trace, (double)(whole->end - whole->begin));
    struct columns columns = {
        .trace = trace, .time = time_format_for(length_s, 5), .stream = stream};
    char begin[32], span[32];
    snprintf(begin, sizeof begin, "begin %s", columns.time.unit);
    snprintf(span, sizeof span, "span %s", columns.time.unit);
    fprintf(stream, "%s: %u rank%s, %s\n\n", trace->path, trace->rank_count,
            trace->rank_count == 1 ? "" : "s", time_text_alone(length_s, 5).text);
    fprintf(stream, "  %-16s %12s %10s  %11s %20s %8s  %s\n", begin, span, "iterations", "period",
            "shortest, longest", "in MPI", "each begins with");
    bool periodic = false;
    for (size_t i = 0; i < whole->child_count; i++) {
        write_rows(&columns, &whole->children[i], 0);
        periodic |= whole->children[i].iterations > 1;
    }
    if (!periodic)
        fputs("\n  no period: nothing in this trace repeats regularly on all ranks\n", stream);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *name_json(const struct trace *trace, uint32_t path)
{
    char text[4096];
    if (path == CALLPATH_NONE)
        return json_null();
    char *clean = utf8_clean(path_text(trace, path, text, sizeof text));
    json_t *name = clean ? json_string(clean) : NULL;
    free(clean);
    return name;
}

static json_t *stretches_json(const struct trace *trace, const struct stretch *parent)
{
    double tick_s = trace_seconds(trace, 1);
    json_t *list = json_array();
    for (size_t i = 0; i < parent->child_count && list; i++) {
        const struct stretch *s = &parent->children[i];
        bool repeats = s->iterations > 1;
        json_t *item = json_pack(
            "{s:f, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:s?, s:b, s:f, s:f, s:f, s:o, s:n}",
            "begin_s", tick_s * (double)(s->begin - trace->begin), "end_s",
            tick_s * (double)(s->end - trace->begin), "iterations", (json_int_t)s->iterations,
            "period_s", repeats ? json_real(tick_s * s->period) : json_null(), "shortest_period_s",
            repeats ? json_real(tick_s * s->shortest) : json_null(), "longest_period_s",
            repeats ? json_real(tick_s * s->longest) : json_null(), "representative",
            repeats ? json_integer((json_int_t)s->representative) : json_null(), "callpath",
            name_json(trace, s->path), "signal", s->signal, "flushing", s->flushing, "mpi", s->mpi,
            "point_to_point", s->point_to_point, "collective", s->collective, "children",
            stretches_json(trace, s), "cut");
        if (!item || json_array_append_new(list, item) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

enum status structure_write_json(const struct trace *trace, const struct stretch *whole,
                                 FILE *stream, struct error *error)
{
    json_t *root =
        json_pack("{s:s, s:i, s:f, s:o}", "trace", trace->path, "ranks", (int)trace->rank_count,
                  "length_s", trace_seconds(trace, (double)(whole->end - whole->begin)),
                  "stretches", stretches_json(trace, whole));
    bool written = root && json_dumpf(root, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0;
    if (written)
        fputc('\n', stream);
    json_decref(root);
    return written ? STATUS_OK : error_memory(error, "the structure of a trace");
}
