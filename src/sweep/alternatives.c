#include "sweep/alternatives.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/names.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct set_parser {
    const struct ini_section *section;
    const struct ini_entry *entry;
    size_t most;
    ARRAY(struct alternative) found;
    struct error *error;
};

/* The brace that closes the one at the start of `text`; NULL if there is none. */
static const char *closing_brace(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '{') - (*text == '}');
        if (depth == 0)
            return text;
    }
    return NULL;
}

bool alternatives_are(const char *value)
{
    if (*value != '{')
        return false;
    const char *end = closing_brace(value);
    return !end || end[1] == '\0';
}

static enum status set_memory(const struct set_parser *parser)
{
    return error_memory(parser->error, "the configuration");
}

#define PARSE_ERROR(parser, ...) \
    section_error((parser)->error, (parser)->section, (parser)->entry->key, __VA_ARGS__)

static enum status add_alternative(struct set_parser *parser, const char *text, size_t length,
                                   bool list)
{
    char *value = arena_strndup(parser->section->ini->arena, text, length);
    struct alternative alternative = {value, list};
    if (!value)
        return set_memory(parser);
    if (length == 0)
        return PARSE_ERROR(parser, "%s: an alternative is empty", parser->entry->key);
    for (size_t i = 0; i < parser->found.count; i++)
        if (strcmp(parser->found.items[i].value, value) == 0)
            return PARSE_ERROR(parser, "%s: the alternative \"%s\" occurs twice",
                               parser->entry->key, value);
    if (parser->found.count == parser->most)
        return PARSE_ERROR(parser,
                           "%s: there are more than %zu alternatives, which is the limit of runs",
                           parser->entry->key, parser->most);
    return array_push(&parser->found, alternative) ? STATUS_OK : set_memory(parser);
}

struct quantity {
    double number;
    char unit[8];
};

struct step_range {
    struct quantity first, last, step;
    const char *unit;
};

/* Reads "0", "4k", "20 us" from the first `length` characters. */
static bool read_quantity(const char *text, size_t length, struct quantity *quantity)
{
    char copy[64], *end;
    if (length >= sizeof copy)
        return false;
    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    quantity->number = strtod(copy, &end);
    if (end == copy || !isfinite(quantity->number))
        return false;
    end += strspn(end, " \t");
    size_t unit = strspn(end, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (unit >= sizeof quantity->unit || end[unit + strspn(end + unit, " \t")] != '\0')
        return false;
    snprintf(quantity->unit, sizeof quantity->unit, "%.*s", (int)unit, end);
    return true;
}

/* False if the three quantities have different units; zero needs none. */
static bool find_unit(struct step_range *range)
{
    const struct quantity *three[] = {&range->step, &range->last, &range->first};
    range->unit = range->step.unit;
    for (size_t i = 0; i < 3; i++)
        if (three[i]->number != 0 && strcmp(three[i]->unit, range->unit) != 0)
            return false;
    return true;
}

/* Finds "A..B step S". False if the text is not of this form. */
static bool find_range(const char *text, const char **dots, const char **step)
{
    *dots = strstr(text, "..");
    *step = *dots ? strstr(*dots, "step") : NULL;
    return *step && ((*step)[-1] == ' ' || (*step)[-1] == '\t') &&
           ((*step)[4] == ' ' || (*step)[4] == '\t');
}

static enum status add_range(struct set_parser *parser, const char *text, const char *dots,
                             const char *step)
{
    struct step_range range = {.unit = ""};
    if (!read_quantity(text, (size_t)(dots - text), &range.first) ||
        !read_quantity(dots + 2, (size_t)(step - dots - 2), &range.last) ||
        !read_quantity(step + 4, strlen(step + 4), &range.step) || !find_unit(&range) ||
        range.step.number <= 0 || range.last.number < range.first.number)
        return PARSE_ERROR(parser,
                           "%s: \"%s\": expected FIRST..LAST step STEP, such as 0..4096 step 1024: "
                           "upwards, and in one unit",
                           parser->entry->key, text);
    double steps =
        floor((range.last.number - range.first.number) / range.step.number * (1 + 1e-12) + 1e-9);
    if (steps >= (double)parser->most)
        return PARSE_ERROR(parser,
                           "%s: \"%s\" has %.0f alternatives, which is more than the limit of "
                           "%zu runs",
                           parser->entry->key, text, steps + 1, parser->most);
    enum status status = STATUS_OK;
    for (size_t i = 0; i <= (size_t)steps && status == STATUS_OK; i++) {
        char value[64];
        /* 12 digits: 0.1 + 2 * 0.1 is 0.3 */
        double number = range.first.number + (double)i * range.step.number;
        bool whole = number == floor(number) && fabs(number) < 1e15;
        snprintf(value, sizeof value, whole ? "%.0f%s" : "%.12g%s", number, range.unit);
        status = add_alternative(parser, value, strlen(value), false);
    }
    return status;
}

static enum status add_set_item(struct set_parser *parser, const char *item)
{
    const char *dots, *step;
    size_t length = strlen(item);
    if (*item != '{' || !alternatives_are(item))
        return find_range(item, &dots, &step) ? add_range(parser, item, dots, step)
                                              : add_alternative(parser, item, length, false);
    const char *inside = item + 1 + strspn(item + 1, " \t"), *end = item + length - 1;
    while (end > inside && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return add_alternative(parser, inside, (size_t)(end - inside), true);
}

static enum status split_set(struct set_parser *parser)
{
    const char *value = parser->entry->value, *end = closing_brace(value);
    if (!end)
        return PARSE_ERROR(parser, "%s = %s: the brace is not closed", parser->entry->key, value);
    char *inside = strndup(value + 1, (size_t)(end - value - 1));
    const char *list = inside;
    enum status status = inside ? STATUS_OK : set_memory(parser);
    bool out_of_memory = false;
    char *item;
    while (status == STATUS_OK && (item = names_next(&list, &out_of_memory))) {
        status = add_set_item(parser, item);
        free(item);
    }
    free(inside);
    return out_of_memory ? set_memory(parser) : status;
}

enum status alternatives_parse(const struct ini_section *section, const struct ini_entry *entry,
                               size_t most, struct alternatives *alternatives, struct error *error)
{
    assert(most >= 1 && section->ini);
    struct set_parser parser = {.section = section, .entry = entry, .most = most, .error = error};
    struct arena *arena = section->ini->arena;
    enum status status = split_set(&parser);
    if (status == STATUS_OK) {
        alternatives->count = parser.found.count;
        alternatives->items = arena_memdup(arena, parser.found.items,
                                           parser.found.count * sizeof *parser.found.items);
        if (!alternatives->items)
            status = set_memory(&parser);
    }
    free(parser.found.items);
    return status;
}

char *alternatives_text(const struct ini *ini, const struct alternatives *alternatives)
{
    assert(alternatives->count > 0);
    size_t size = sizeof "{}";
    for (size_t i = 0; i < alternatives->count; i++)
        size += strlen(alternatives->items[i].value) + sizeof "{}, ";
    char *text = arena_alloc(ini->arena, size);
    size_t length = 0;
    for (size_t i = 0; text && i < alternatives->count; i++) {
        const struct alternative *item = &alternatives->items[i];
        length += (size_t)snprintf(text + length, size - length, "%s%s%s%s", i == 0 ? "{" : ", ",
                                   item->list ? "{" : "", item->value, item->list ? "}" : "");
    }
    if (text)
        snprintf(text + length, size - length, "}");
    return text;
}
