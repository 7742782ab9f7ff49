#include "programs/structure_output.h"

#include "base/json.h"
#include "base/plural.h"
#include "base/units.h"
#include "report/page/page.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

extern const struct page_kind structure_page;

static const char *stretch_path_text(const struct trace *trace, uint32_t path, char *text,
                                     size_t size)
{
    callpath_format(&trace->calltree, trace->definitions, path, text, size);
    return text;
}

enum { KINDS_SHOWN = 8 }; /* of iterations in the text */

struct stretch_columns {
    const struct trace *trace;
    const struct structure_cuts *cuts; /* NULL: none */
    struct time_format time;
    FILE *stream;
};

/* Writes how many iterations there are of each kind. */
static void write_kinds(const struct stretch_columns *columns, const struct stretch *stretch)
{
    if (stretch->kind_count == stretch->iterations) {
        fputs("; all differ", columns->stream);
        return;
    }
    fprintf(columns->stream, "; %u kinds", stretch->kind_count);
    if (stretch->kind_count > KINDS_SHOWN)
        return;
    for (uint32_t kind = 0; kind < stretch->kind_count; kind++)
        fprintf(columns->stream, "%s%zu", kind == 0 ? ": " : " + ",
                stretch_kind_measure(stretch, kind, NULL));
}

/* Writes which cuts hold a part of the stretch: the first and the last one. */
static void write_cut_names(const struct stretch_columns *columns, const struct stretch *stretch)
{
    const struct structure_cut_made *first = structure_cut_of(columns->cuts, stretch);
    if (!first)
        return;
    const struct structure_cut_made *last = first;
    while (last + 1 < columns->cuts->made.items + columns->cuts->made.count &&
           last[1].stretch == stretch)
        last++;
    fprintf(columns->stream, "; in %s", first->name);
    if (last > first)
        fprintf(columns->stream, " to %s", last->name);
}

static void write_name(const struct stretch_columns *columns, const struct stretch *stretch)
{
    char text[1024];
    if (stretch->flushing)
        fputs("  perturbed: buffers were flushed", columns->stream);
    if (stretch->path != CALLPATH_NONE)
        fprintf(columns->stream, "  %s",
                stretch_path_text(columns->trace, stretch->path, text, sizeof text));
    if (stretch->calls > 1)
        fputs(" ...", columns->stream);
    if (stretch->iterations > 1 && stretch->path == CALLPATH_NONE)
        fprintf(columns->stream, "  no call: similarity %.2f in %s", stretch->quality,
                stretch->signal);
    if (stretch->perturbed_count > 0)
        fprintf(columns->stream, "; %zu perturbed", stretch->perturbed_count);
    if (stretch->kind_count > 1)
        write_kinds(columns, stretch);
    write_cut_names(columns, stretch);
}

/* A length as a deviation from the period, in percent. Ranks may begin iterations at once. */
static double deviation(const struct stretch *stretch, double length)
{
    return stretch->period > 0 ? 100 * (length / stretch->period - 1) : 0;
}

static void write_stretch_rows(const struct stretch_columns *columns, const struct stretch *stretch,
                               int level)
{
    const struct trace *trace = columns->trace;
    double begin_s = trace_seconds(trace, (double)(stretch->begin - trace->begin));
    double span_s = trace_seconds(trace, (double)(stretch->end - stretch->begin));
    struct time_text period = {"-"};
    char spread[64] = "";
    if (stretch->iterations > 1) {
        period = time_text_alone(trace_seconds(trace, stretch->period), 4);
        snprintf(spread, sizeof spread, "%+.1f .. %+.1f %%", deviation(stretch, stretch->shortest),
                 deviation(stretch, stretch->longest));
    }
    fprintf(columns->stream, "  %*s%-*s %12s %10zu  %11s %20s %6.1f %%", 2 * level, "",
            16 - 2 * level, time_text(&columns->time, begin_s).text,
            time_text(&columns->time, span_s).text, stretch->iterations, period.text, spread,
            100 * stretch->mpi);
    write_name(columns, stretch);
    fputc('\n', columns->stream);
    for (size_t i = 0; i < stretch->child_count; i++)
        write_stretch_rows(columns, &stretch->children[i], level + 1);
}

/* Writes POP's efficiencies, bytes, and how the periods differ: one row per row above. */
static void write_metric_rows(const struct stretch_columns *columns, const struct stretch *stretch,
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
                deviation(stretch, stretch->lower_quartile),
                deviation(stretch, stretch->upper_quartile), stretch->representative,
                deviation(stretch, (double)(own[1] - own[0])));
    }
    fputc('\n', columns->stream);
    for (size_t i = 0; i < stretch->child_count; i++)
        write_metric_rows(columns, &stretch->children[i], level + 1);
}

static void write_stretch_metrics(const struct stretch_columns *columns,
                                  const struct stretch *whole)
{
    char begin[32];
    snprintf(begin, sizeof begin, "begin %s", columns->time.unit);
    fprintf(columns->stream, "\n  %-16s %9s %9s %9s %14s  %18s  %s\n", begin, "parallel",
            "= balance", "x commun.", "bytes sent", "middle half", "representative");
    for (size_t i = 0; i < whole->child_count; i++)
        write_metric_rows(columns, &whole->children[i], 0);
}

static void write_crossings(const struct stretch_columns *columns, int width,
                            const struct structure_cut_made *made)
{
    for (size_t i = 0; i < made->crossings.count; i++) {
        const struct cut_crossing *crossing = &made->crossings.items[i];
        char text[1024] = "outside of all regions";
        if (crossing->path != CALLPATH_NONE)
            stretch_path_text(columns->trace, crossing->path, text, sizeof text);
        fprintf(columns->stream, "  %-*s %9lld  %-10s  %s\n", width, made->name,
                (long long)crossing->count, cut_crossing_names[crossing->kind], text);
    }
}

static void write_cuts(const struct stretch_columns *columns, const struct structure_cuts *cuts)
{
    bool crosses = false;
    int width = 8;
    for (size_t i = 0; i < cuts->made.count; i++) {
        const int length = (int)strlen(cuts->made.items[i].name);
        width = length > width ? length : width;
    }
    fprintf(columns->stream, "\n  cuts in %s\n\n  %-*s %9s %9s %11s %9s %9s %12s %9s %9s %9s\n",
            cuts->directory, width, "cut", "events", "of all", "length", "messages", "dropped",
            "collectives", "dropped", "parallel", "= balance");
    for (size_t i = 0; i < cuts->made.count; i++) {
        const struct structure_cut_made *made = &cuts->made.items[i];
        fprintf(columns->stream,
                "  %-*s %9lld %7.2f %% %11s %9lld %9lld %12lld %9lld %7.1f %% %7.1f %%\n", width,
                made->name, (long long)made->events,
                100 * (double)made->events / (double)cuts->events,
                time_text_alone(made->length_s, 4).text, (long long)made->losses.kept_messages,
                (long long)made->losses.messages, (long long)made->losses.kept_collectives,
                (long long)made->losses.collectives, 100 * made->metrics.parallel,
                100 * made->metrics.load_balance);
        crosses |= made->crossings.count > 0;
    }
    if (crosses)
        fputs(
            "\n  Messages and operations that cross the bounds of the cuts, and are not in them:\n",
            columns->stream);
    for (size_t i = 0; i < cuts->made.count; i++)
        write_crossings(columns, width, &cuts->made.items[i]);
}

bool structure_write_text(const void *result, FILE *stream)
{
    assert(result && stream);
    const struct structure_result *given = result;
    const struct trace *trace = given->trace;
    const struct stretch *whole = given->whole;
    double length_s = trace_seconds(trace, (double)(whole->end - whole->begin));
    struct stretch_columns columns = {.trace = trace,
                                      .cuts = given->cuts,
                                      .time = time_format_for(length_s, 5),
                                      .stream = stream};
    char begin[32], span[32];
    snprintf(begin, sizeof begin, "begin %s", columns.time.unit);
    snprintf(span, sizeof span, "span %s", columns.time.unit);
    fprintf(stream, "%s: %u rank%s, %s\n\n", trace->path, trace->rank_count,
            plural(trace->rank_count), time_text_alone(length_s, 5).text);
    fprintf(stream, "  %-16s %12s %10s  %11s %20s %8s  %s\n", begin, span, "iterations", "period",
            "shortest, longest", "in MPI", "each begins with");
    bool periodic = false;
    for (size_t i = 0; i < whole->child_count; i++) {
        write_stretch_rows(&columns, &whole->children[i], 0);
        periodic |= whole->children[i].iterations > 1;
    }
    if (!periodic)
        fputs("\n  no period was found: nothing repeats regularly on all ranks\n", stream);
    write_stretch_metrics(&columns, whole);
    if (given->cuts)
        write_cuts(&columns, given->cuts);
    return !ferror(stream);
}

static json_t *name_json(const struct trace *trace, uint32_t path)
{
    char text[4096];
    if (path == CALLPATH_NONE)
        return json_null();
    return json_text(stretch_path_text(trace, path, text, sizeof text));
}

static json_t *stretch_metrics_json(const struct part_metrics *metrics)
{
    return JSON_MEMBERS({"parallel_efficiency", json_number(metrics->parallel)},
                        {"load_balance", json_number(metrics->load_balance)},
                        {"communication_efficiency", json_number(metrics->communication)},
                        {"mpi_s", json_number(metrics->mpi_s)},
                        {"bytes_sent", json_count(metrics->bytes_sent)});
}

static json_t *crossings_json(const struct trace *trace, const struct structure_cut_made *made)
{
    json_t *list = json_array();
    for (size_t i = 0; i < made->crossings.count; i++) {
        const struct cut_crossing *crossing = &made->crossings.items[i];
        json_append(&list, JSON_MEMBERS({"kind", json_text(cut_crossing_names[crossing->kind])},
                                        {"callpath", name_json(trace, crossing->path)},
                                        {"count", json_count(crossing->count)}));
    }
    return list;
}

/* The cut of a stretch, or, if it is NULL, that of --range. */
static json_t *cut_json(const struct trace *trace, const struct structure_cuts *cuts,
                        const struct stretch *stretch)
{
    const struct structure_cut_made *made = structure_cut_of(cuts, stretch);
    if (!made)
        return json_null();
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/traces.otf2", cuts->directory, made->name);
    json_t *object =
        JSON_MEMBERS({"path", json_text(path)}, {"events", json_count(made->events)},
                     {"events_part", json_number((double)made->events / (double)cuts->events)},
                     {"length_s", json_number(made->length_s)},
                     {"messages", json_count(made->losses.kept_messages)},
                     {"dropped_messages", json_count(made->losses.messages)},
                     {"collectives", json_count(made->losses.kept_collectives)},
                     {"dropped_collectives", json_count(made->losses.collectives)},
                     {"open_requests", json_count(made->losses.requests)},
                     {"dropped_one_sided", json_count(made->losses.one_sided)},
                     {"crossings", crossings_json(trace, made)});
    return json_joined(object, stretch_metrics_json(&made->metrics));
}

/* How the periods differ; null for a stretch that does not repeat. */
static json_t *spread_json(const struct stretch *s, double tick_s)
{
    if (s->iterations < 2)
        return JSON_MEMBERS({"lower_quartile_s", json_null()}, {"upper_quartile_s", json_null()},
                            {"representative_deviation", json_null()});
    const uint64_t *own = s->bounds + s->representative;
    return JSON_MEMBERS(
        {"lower_quartile_s", json_number(tick_s * s->lower_quartile)},
        {"upper_quartile_s", json_number(tick_s * s->upper_quartile)},
        {"representative_deviation", json_number(deviation(s, (double)(own[1] - own[0])) / 100)});
}

/* The kinds of iterations; null for a stretch that does not repeat. */
static json_t *kinds_json(const struct stretch *s, double tick_s)
{
    if (s->iterations < 2)
        return json_null();
    json_t *list = json_array();
    for (uint32_t kind = 0; kind < s->kind_count; kind++) {
        double period;
        const size_t count = stretch_kind_measure(s, kind, &period);
        json_append(&list, JSON_MEMBERS({"iterations", json_count(count)},
                                        {"period_s", json_number(tick_s * period)}));
    }
    return list;
}

/* The numbers of the perturbed iterations. */
static json_t *perturbed_json(const struct stretch *s)
{
    if (s->iterations < 2)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < s->iterations; i++)
        if (s->perturbed[i])
            json_append(&list, json_count(i));
    return list;
}

static json_t *stretches_json(const struct trace *trace, const struct stretch *parent,
                              const struct structure_cuts *cuts)
{
    double tick_s = trace_seconds(trace, 1);
    json_t *list = json_array();
    for (size_t i = 0; i < parent->child_count && list; i++) {
        const struct stretch *s = &parent->children[i];
        bool repeats = s->iterations > 1;
        json_t *item = JSON_MEMBERS(
            {"begin_s", json_number(tick_s * (double)(s->begin - trace->begin))},
            {"end_s", json_number(tick_s * (double)(s->end - trace->begin))},
            {"iterations", json_count(s->iterations)},
            {"period_s", repeats ? json_real(tick_s * s->period) : json_null()},
            {"shortest_period_s", repeats ? json_real(tick_s * s->shortest) : json_null()},
            {"longest_period_s", repeats ? json_real(tick_s * s->longest) : json_null()},
            {"representative", repeats ? json_count(s->representative) : json_null()},
            {"kinds", kinds_json(s, tick_s)}, {"perturbed", perturbed_json(s)},
            {"callpath", name_json(trace, s->path)}, {"signal", json_text(s->signal)},
            {"quality", repeats ? json_real(s->quality) : json_null()},
            {"flushing", json_boolean(s->flushing)}, {"mpi", json_number(s->mpi)},
            {"point_to_point", json_number(s->point_to_point)},
            {"collective", json_number(s->collective)},
            {"children", stretches_json(trace, s, cuts)}, {"cut", cut_json(trace, cuts, s)});
        item = json_joined(json_joined(item, stretch_metrics_json(&s->metrics)),
                           spread_json(s, tick_s));
        json_append(&list, item);
    }
    return list;
}

static json_t *structure_object(const struct structure_result *given)
{
    const struct trace *trace = given->trace;
    double length_s = trace_seconds(trace, (double)(trace->end - trace->begin));
    return JSON_MEMBERS({"trace", json_text(trace->path)}, {"ranks", json_count(trace->rank_count)},
                        {"length_s", json_number(length_s)},
                        {"stretches", stretches_json(trace, given->whole, given->cuts)},
                        {"range", cut_json(trace, given->cuts, NULL)});
}

bool structure_write_json(const void *result, FILE *stream)
{
    assert(result && stream);
    return json_write(structure_object(result), stream);
}

bool structure_write_page(const void *result, FILE *stream)
{
    assert(result && stream);
    return page_write(&structure_page, "Structure", structure_object(result), stream);
}
