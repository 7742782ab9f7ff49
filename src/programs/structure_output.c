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

static void write_cuts(const struct structure_cuts *cuts, FILE *stream)
{
    fprintf(stream, "\n  cuts in %s\n\n  %-8s %9s %9s %11s %9s %9s %12s %9s\n", cuts->directory,
            "cut", "events", "of all", "length", "messages", "dropped", "collectives", "dropped");
    for (size_t i = 0; i < cuts->made.count; i++) {
        const struct structure_cut_made *made = &cuts->made.items[i];
        fprintf(stream, "  %-8s %9lld %7.2f %% %11s %9lld %9lld %12lld %9lld\n", made->name,
                (long long)made->events, 100 * (double)made->events / (double)cuts->events,
                time_text_alone(made->length_s, 4).text, (long long)made->losses.kept_messages,
                (long long)made->losses.messages, (long long)made->losses.kept_collectives,
                (long long)made->losses.collectives);
    }
}

bool structure_write_text(const void *result, FILE *stream)
{
    const struct structure_result *given = result;
    const struct trace *trace = given->trace;
    const struct stretch *whole = given->whole;
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
    if (given->cuts)
        write_cuts(given->cuts, stream);
    return !ferror(stream);
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

static json_t *cut_json(const struct structure_cuts *cuts, const struct stretch *stretch)
{
    const struct structure_cut_made *made = structure_cut_of(cuts, stretch);
    if (!made)
        return json_null();
    char *directory = utf8_clean(cuts->directory);
    json_t *path = directory ? json_sprintf("%s/%s/traces.otf2", directory, made->name) : NULL;
    free(directory);
    return json_pack(
        "{s:o, s:I, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I}", "path", path, "events",
        (json_int_t)made->events, "events_part", (double)made->events / (double)cuts->events,
        "length_s", made->length_s, "messages", (json_int_t)made->losses.kept_messages,
        "dropped_messages", (json_int_t)made->losses.messages, "collectives",
        (json_int_t)made->losses.kept_collectives, "dropped_collectives",
        (json_int_t)made->losses.collectives, "open_requests", (json_int_t)made->losses.requests,
        "dropped_one_sided", (json_int_t)made->losses.one_sided);
}

static json_t *stretches_json(const struct trace *trace, const struct stretch *parent,
                              const struct structure_cuts *cuts)
{
    double tick_s = trace_seconds(trace, 1);
    json_t *list = json_array();
    for (size_t i = 0; i < parent->child_count && list; i++) {
        const struct stretch *s = &parent->children[i];
        bool repeats = s->iterations > 1;
        json_t *item = json_pack(
            "{s:f, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:s?, s:b, s:f, s:f, s:f, s:o, s:o}",
            "begin_s", tick_s * (double)(s->begin - trace->begin), "end_s",
            tick_s * (double)(s->end - trace->begin), "iterations", (json_int_t)s->iterations,
            "period_s", repeats ? json_real(tick_s * s->period) : json_null(), "shortest_period_s",
            repeats ? json_real(tick_s * s->shortest) : json_null(), "longest_period_s",
            repeats ? json_real(tick_s * s->longest) : json_null(), "representative",
            repeats ? json_integer((json_int_t)s->representative) : json_null(), "callpath",
            name_json(trace, s->path), "signal", s->signal, "flushing", s->flushing, "mpi", s->mpi,
            "point_to_point", s->point_to_point, "collective", s->collective, "children",
            stretches_json(trace, s, cuts), "cut", cut_json(cuts, s));
        if (!item || json_array_append_new(list, item) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

bool structure_write_json(const void *result, FILE *stream)
{
    const struct structure_result *given = result;
    const struct trace *trace = given->trace;
    double length_s = trace_seconds(trace, (double)(trace->end - trace->begin));
    char *path = utf8_clean(trace->path);
    json_t *root = path ? json_pack("{s:s, s:i, s:f, s:o}", "trace", path, "ranks",
                                    (int)trace->rank_count, "length_s", length_s, "stretches",
                                    stretches_json(trace, given->whole, given->cuts))
                        : NULL;
    bool written = root && json_dumpf(root, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0;
    json_decref(root);
    free(path);
    return written && fputc('\n', stream) != EOF;
}
