#include "advise/format.h"

#include "report/json/values.h"

#include <jansson.h>
#include <math.h>

static json_t *text_or_null(const char *text)
{
    return json_text(text && *text ? text : NULL);
}

static json_t *path_value(const struct trace *trace, uint32_t path)
{
    char text[4096];
    if (path == CALLPATH_NONE)
        return json_null();
    callpath_format(&trace->calltree, trace->definitions, path, text, sizeof text);
    return json_text(text);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *part_value(const struct trace *trace, const struct candidate *part)
{
    const struct region *region =
        part->region == INDEX_NONE ? NULL : &trace->definitions->regions[part->region];
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:I, s:s, s:o, s:o, s:s+, s:o}", "kind", part->kind, "region",
        text_or_null(region ? region->name : NULL), "callpath", path_value(trace, part->path),
        "file", text_or_null(region ? region->file : NULL), "line",
        region && region->begin_line > 0 ? json_integer(region->begin_line) : json_null(), "ranks",
        (json_int_t)part->ranks, "effort", effort_name(part->effort), "change",
        json_text(part->change), "check", text_or_null(part->check), "page", ADVICE_PAGE,
        part->kind, "sections", json_text(part->sections));
}

static json_t *moves_value(const struct advice_move *moves, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < count; i++) {
        json_t *move = json_pack(
            "{s:s, s:o, s:f, s:f}", "metric", metric_infos[moves[i].metric].name, "callpath",
            json_text(moves[i].path), "before", moves[i].before_s, "after", moves[i].after_s);
        if (json_array_append_new(list, move) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *alternatives_value(const struct trace *trace, const struct advice_item *item)
{
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < item->alternative_count; i++) {
        json_t *other = part_value(trace, item->alternatives[i].candidate);
        if (!other || json_object_set_new(other, "saving", number(item->alternatives[i].saving)) ||
            json_array_append(list, other) != 0) {
            json_decref(list);
            list = NULL;
        }
        json_decref(other);
    }
    return list;
}

static json_t *parts_value(const struct trace *trace, const struct advice_item *item)
{
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < item->part_count; i++)
        if (json_array_append_new(list, part_value(trace, item->parts[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* The first part's values, and those of the whole. */
static json_t *item_value(const struct trace *trace, const struct advice_item *item)
{
    json_t *value = part_value(trace, item->parts[0]);
    json_t *more = json_pack(
        "{s:{s:o, s:o, s:o}, s:f, s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "saving", "low",
        number(item->saving.low), "median", number(item->saving.median), "high",
        number(item->saving.high), "level", item->saving.level, "engine", item->engine, "computed",
        number(item->computed), "trustworthy", item->trustworthy, "config", json_text(item->config),
        "parts", parts_value(trace, item), "less", moves_value(item->shrinks, item->shrink_count),
        "more", moves_value(item->grows, item->grow_count), "alternatives",
        alternatives_value(trace, item));
    if (!value || !more || json_object_update(value, more) != 0 ||
        json_object_del(value, "sections") != 0) {
        json_decref(value);
        value = NULL;
    }
    json_decref(more);
    return value;
}

bool advice_write_json(const struct advice *advice, FILE *stream)
{
    const struct trace *trace = advice->facts->trace;
    json_t *list = json_array();
    bool complete = list != NULL;
    for (size_t i = 0; complete && i < advice->item_count; i++)
        complete = json_array_append_new(list, item_value(trace, &advice->items[i])) == 0;
    if (!complete) {
        json_decref(list);
        return false;
    }
    json_t *whole = json_pack(
        "{s:s, s:I, s:o, s:I, s:f, s:f, s:I, s:b, s:o}", "format", "silas-advice", "version",
        (json_int_t)1, "trace", json_text(trace->path), "ranks", (json_int_t)trace->rank_count,
        "time", advice->time_s, "resolution", advice->resolution, "tried",
        (json_int_t)advice->tried, "nothing_to_do", advice->item_count == 0, "advice", list);
    complete = whole && json_dumpf(whole, stream, JSON_INDENT(2)) == 0 && fputc('\n', stream) >= 0;
    json_decref(whole);
    return complete && !ferror(stream);
}
