#include "transform/ranges.h"

#include "base/array.h"
#include "transform/names.h"

#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* ">64k" and the like: `*after` follows the relation. */
static bool read_relation(const char *text, struct range *range, const char **after)
{
    bool less = *text == '<', more = *text == '>', equal = (less || more) && text[1] == '=';
    uint64_t number;
    if ((!less && !more) || !ini_scan_bytes(skip_blanks(text + 1 + equal), &number, after))
        return false;
    if (!equal && number == (less ? 0 : UINT64_MAX))
        return false; /* no number is meant */
    range->lowest = less ? 0 : number + !equal;
    range->highest = more ? UINT64_MAX : number - !equal;
    return true;
}

static bool read_range(const char *text, struct range *range)
{
    const char *after;
    if (read_relation(text, range, &after))
        return *after == '\0';
    if (!ini_scan_bytes(text, &range->lowest, &after))
        return false;
    range->highest = range->lowest;
    after = skip_blanks(after);
    if (strncmp(after, "..", 2) == 0 &&
        !ini_scan_bytes(skip_blanks(after + 2), &range->highest, &after))
        return false;
    return *after == '\0' && range->lowest <= range->highest;
}

enum status ranges_read(struct section_ref ref, const char *key, struct ranges *ranges,
                        struct error *error)
{
    const char *list = NULL;
    enum status status = ini_get_string(ref.ini, ref.section, key, &list, error);
    return status == STATUS_OK ? ranges_parse(ref, key, list, ranges, error) : status;
}

enum status ranges_parse(struct section_ref ref, const char *key, const char *text,
                         struct ranges *ranges, struct error *error)
{
    const char *list = text;
    ARRAY(struct range) found = {0};
    bool no_memory = false;
    enum status status = STATUS_OK;
    char *item;
    while (status == STATUS_OK && (item = names_next(&list, &no_memory))) {
        struct range range;
        if (!read_range(item, &range))
            status = section_error(error, ref, key,
                                   "%s: \"%s\" is no set of numbers: expected for example 0, "
                                   "16..1024 or >64k, or several of them with commas",
                                   key, item);
        else
            no_memory = !array_push(&found, range);
        free(item);
        if (no_memory)
            break;
    }
    if (status == STATUS_OK && no_memory)
        status = error_memory(error, "the hypotheses");
    if (status != STATUS_OK) {
        free(found.items);
        return status;
    }
    ranges->items = found.items;
    ranges->count = found.count;
    return STATUS_OK;
}

void ranges_clear(struct ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct ranges){0};
}

bool ranges_contain(const struct ranges *ranges, uint64_t number)
{
    for (size_t i = 0; i < ranges->count; i++)
        if (number >= ranges->items[i].lowest && number <= ranges->items[i].highest)
            return true;
    return ranges->count == 0;
}
