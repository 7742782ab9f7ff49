#include "programs/structure_output.h"

#include "base/plural.h"
#include "base/units.h"
#include "report/utf8.h"

#include <jansson.h>
#include <stdlib.h>

static const char *path_text(const struct trace *trace, uint32_t path, char *text, size_t size)
{
    callpath_format(&trace->calltree, trace->definitions, path, text, size);
    return text;
}

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

/* POP's efficiencies, bytes, and how the periods differ: one row for each row above. */
static void write_metric_rows(const struct columns *columns, const struct stretch *stretch,
                              int level)
{
    const struct part_metrics *metrics = &stretch->metrics;
    double begin_s =
        trace_seconds(columns->trace, (double)(stretch->begin - columns->trace->begin));
    fprintf(columns->stream, "  %*s%-*s %7.1f %% %7.1f %% %7.1f %% %14lld", 2 * level, "",
            16 - 2 * level, time_text(&columns->time, begin_s).text, 100 * metrics->parallel,
            100 * metrics->load_balance, 100 * metrics->communication,
            (long long)metrics->bytes_sent);
    if (stretch->iterations > 1) {
        const uint64_t *own = stretch->bounds + stretch->representative;
        fprintf(columns->stream, "  %+6.1f .. %+.1f %%  %zu (%+.1f %%)",
                100 * (stretch->lower_quartile / stretch->period - 1),
                100 * (stretch->upper_quartile / stretch->period - 1), stretch->representative,
                100 * ((double)(own[1] - own[0]) / stretch->period - 1));
    }
    fputc('\n', columns->stream);
    for (size_t i = 0; i < stretch->child_count; i++)
        write_metric_rows(columns, &stretch->children[i], level + 1);
}

static void write_metrics(const struct columns *columns, const struct stretch *whole)
{
    char begin[32];
    snprintf(begin, sizeof begin, "begin %s", columns->time.unit);
    fprintf(columns->stream, "\n  %-16s %9s %9s %9s %14s  %18s  %s\n", begin, "parallel",
            "= balance", "x commun.", "bytes sent", "middle half", "representative");
    for (size_t i = 0; i < whole->child_count; i++)
        write_metric_rows(columns, &whole->children[i], 0);
}

static void write_crossings(const struct columns *columns, const struct structure_cut_made *made)
{
    for (size_t i = 0; i < made->crossings.count; i++) {
        const struct cut_crossing *crossing = &made->crossings.items[i];
        char text[1024] = "outside of all regions";
        if (crossing->path != CALLPATH_NONE)
            path_text(columns->trace, crossing->path, text, sizeof text);
        fprintf(columns->stream, "  %-8s %9lld  %-10s  %s\n", made->name,
                (long long)crossing->count, cut_crossing_names[crossing->kind], text);
    }
}

static void write_cuts(const struct columns *columns, const struct structure_cuts *cuts)
{
    bool crosses = false;
    fprintf(columns->stream, "\n  cuts in %s\n\n  %-8s %9s %9s %11s %9s %9s %12s %9s %9s %9s\n",
            cuts->directory, "cut", "events", "of all", "length", "messages", "dropped",
            "collectives", "dropped", "parallel", "= balance");
    for (size_t i = 0; i < cuts->made.count; i++) {
        const struct structure_cut_made *made = &cuts->made.items[i];
        fprintf(columns->stream,
                "  %-8s %9lld %7.2f %% %11s %9lld %9lld %12lld %9lld %7.1f %% %7.1f %%\n",
                made->name, (long long)made->events,
                100 * (double)made->events / (double)cuts->events,
                time_text_alone(made->length_s, 4).text, (long long)made->losses.kept_messages,
                (long long)made->losses.messages, (long long)made->losses.kept_collectives,
                (long long)made->losses.collectives, 100 * made->metrics.parallel,
                100 * made->metrics.load_balance);
        crosses |= made->crossings.count > 0;
    }
    if (crosses)
        fputs("\n  What crosses the edges of the cuts and is not in them:\n", columns->stream);
    for (size_t i = 0; i < cuts->made.count; i++)
        write_crossings(columns, &cuts->made.items[i]);
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
            plural(trace->rank_count), time_text_alone(length_s, 5).text);
    fprintf(stream, "  %-16s %12s %10s  %11s %20s %8s  %s\n", begin, span, "iterations", "period",
            "shortest, longest", "in MPI", "each begins with");
    bool periodic = false;
    for (size_t i = 0; i < whole->child_count; i++) {
        write_rows(&columns, &whole->children[i], 0);
        periodic |= whole->children[i].iterations > 1;
    }
    if (!periodic)
        fputs("\n  no period: nothing in this trace repeats regularly on all ranks\n", stream);
    write_metrics(&columns, whole);
    if (given->cuts)
        write_cuts(&columns, given->cuts);
    return !ferror(stream);
}

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

/* Adds the members of `more` to an object; takes both over. NULL if one of them is. */
static json_t *joined(json_t *object, json_t *more)
{
    if (object && more && json_object_update(object, more) == 0) {
        json_decref(more);
        return object;
    }
    json_decref(object);
    json_decref(more);
    return NULL;
}

static json_t *metrics_json(const struct part_metrics *metrics)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:I}", "parallel_efficiency", metrics->parallel,
                     "load_balance", metrics->load_balance, "communication_efficiency",
                     metrics->communication, "mpi_s", metrics->mpi_s, "bytes_sent",
                     (json_int_t)metrics->bytes_sent);
}

static json_t *crossings_json(const struct trace *trace, const struct structure_cut_made *made)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < made->crossings.count; i++) {
        const struct cut_crossing *crossing = &made->crossings.items[i];
        json_t *item =
            json_pack("{s:s, s:o, s:I}", "kind", cut_crossing_names[crossing->kind], "callpath",
                      name_json(trace, crossing->path), "count", (json_int_t)crossing->count);
        if (!item || json_array_append_new(list, item) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* The cut of a stretch, or with NULL that of the named range. */
static json_t *cut_json(const struct trace *trace, const struct structure_cuts *cuts,
                        const struct stretch *stretch)
{
    const struct structure_cut_made *made = structure_cut_of(cuts, stretch);
    if (!made)
        return json_null();
    char *directory = utf8_clean(cuts->directory);
    json_t *path = directory ? json_sprintf("%s/%s/traces.otf2", directory, made->name) : NULL;
    free(directory);
    json_t *object = json_pack(
        "{s:o, s:I, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "path", path, "events",
        (json_int_t)made->events, "events_part", (double)made->events / (double)cuts->events,
        "length_s", made->length_s, "messages", (json_int_t)made->losses.kept_messages,
        "dropped_messages", (json_int_t)made->losses.messages, "collectives",
        (json_int_t)made->losses.kept_collectives, "dropped_collectives",
        (json_int_t)made->losses.collectives, "open_requests", (json_int_t)made->losses.requests,
        "dropped_one_sided", (json_int_t)made->losses.one_sided, "crossings",
        crossings_json(trace, made));
    return joined(object, metrics_json(&made->metrics));
}

/* How the periods differ; null for what does not repeat. */
static json_t *spread_json(const struct stretch *s, double tick_s)
{
    if (s->iterations < 2)
        return json_pack("{s:n, s:n, s:n}", "lower_quartile_s", "upper_quartile_s",
                         "representative_deviation");
    const uint64_t *own = s->bounds + s->representative;
    return json_pack("{s:f, s:f, s:f}", "lower_quartile_s", tick_s * s->lower_quartile,
                     "upper_quartile_s", tick_s * s->upper_quartile, "representative_deviation",
                     (double)(own[1] - own[0]) / s->period - 1);
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
            stretches_json(trace, s, cuts), "cut", cut_json(trace, cuts, s));
        item = joined(joined(item, metrics_json(&s->metrics)), spread_json(s, tick_s));
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
    json_t *root = path ? json_pack("{s:s, s:i, s:f, s:o, s:o}", "trace", path, "ranks",
                                    (int)trace->rank_count, "length_s", length_s, "stretches",
                                    stretches_json(trace, given->whole, given->cuts), "range",
                                    cut_json(trace, given->cuts, NULL))
                        : NULL;
    bool written = root && json_dumpf(root, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0;
    json_decref(root);
    free(path);
    return written && fputc('\n', stream) != EOF;
}
