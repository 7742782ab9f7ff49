#include "advise/format.h"

#include <assert.h>

static json_t *text_or_null(const char *text)
{
    return json_text(text && *text ? text : NULL);
}

static json_t *callpath_json(const struct trace *trace, uint32_t path)
{
    char text[4096];
    if (path == CALLPATH_NONE)
        return json_null();
    callpath_format(&trace->calltree, trace->definitions, path, text, sizeof text);
    return json_text(text);
}

/* `page`: the section of doc/advice.md about this kind of change. */
static json_t *part_value(const struct trace *trace, const struct advice_candidate *part)
{
    const struct region *region =
        part->region == INDEX_NONE ? NULL : &trace->definitions->regions[part->region];
    const bool has_line = region && region->begin_line > 0;
    return JSON_MEMBERS(
        {"kind", json_text(part->kind)}, {"region", text_or_null(region ? region->name : NULL)},
        {"callpath", callpath_json(trace, part->path)},
        {"file", text_or_null(region ? region->file : NULL)},
        {"line", has_line ? json_count(region->begin_line) : json_null()},
        {"ranks", json_count(part->ranks)}, {"effort", json_text(effort_name(part->effort))},
        {"change", json_text(part->change)}, {"check", text_or_null(part->check)},
        {"page", json_sprintf("%s%s", ADVICE_PAGE, part->kind)},
        {"sections", json_text(part->sections)});
}

static json_t *moves_value(const struct advice_move *moves, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_append(&list, JSON_MEMBERS({"metric", json_text(metric_infos[moves[i].metric].name)},
                                        {"callpath", json_text(moves[i].path)},
                                        {"before", json_number(moves[i].before_s)},
                                        {"after", json_number(moves[i].after_s)}));
    return list;
}

static json_t *alternatives_value(const struct trace *trace, const struct advice_item *item)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < item->alternative_count; i++)
        json_append(&list, json_joined(part_value(trace, item->alternatives[i].candidate),
                                       JSON_MEMBERS(
                                           {"saving", json_number(item->alternatives[i].saving)})));
    return list;
}

static json_t *parts_value(const struct trace *trace, const struct advice_item *item)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < item->part_count; i++)
        json_append(&list, part_value(trace, item->parts[i]));
    return list;
}

/* The first part's values, and those of the whole. */
static json_t *item_value(const struct trace *trace, const struct advice_item *item)
{
    json_t *first = part_value(trace, item->parts[0]);
    json_object_del(first, "sections"); /* `config` has those of all parts */
    return json_joined(
        first,
        JSON_MEMBERS({"saving", JSON_MEMBERS({"low", json_number(item->saving.low)},
                                             {"median", json_number(item->saving.median)},
                                             {"high", json_number(item->saving.high)})},
                     {"level", json_number(item->saving.level)},
                     {"engine", json_text(item->engine)}, {"computed", json_number(item->computed)},
                     {"trustworthy", json_boolean(item->trustworthy)},
                     {"config", json_text(item->config)}, {"parts", parts_value(trace, item)},
                     {"less", moves_value(item->shrinks, item->shrink_count)},
                     {"more", moves_value(item->grows, item->grow_count)},
                     {"alternatives", alternatives_value(trace, item)}));
}

json_t *advice_json(const struct advice *advice)
{
    assert(advice->facts);
    const struct trace *trace = advice->facts->trace;
    json_t *list = json_array();
    for (size_t i = 0; i < advice->item_count; i++)
        json_append(&list, item_value(trace, &advice->items[i]));
    return JSON_MEMBERS({"format", json_text("silas-advice")}, {"version", json_integer(1)},
                        {"trace", json_text(trace->path)}, {"ranks", json_count(trace->rank_count)},
                        {"time", json_number(advice->time_s)},
                        {"resolution", json_number(advice->resolution)},
                        {"tried", json_count(advice->tried)},
                        {"nothing_to_do", json_boolean(advice->item_count == 0)}, {"advice", list});
}

bool advice_write_json(const struct advice *advice, FILE *stream)
{
    return json_write(advice_json(advice), stream);
}
