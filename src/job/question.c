#include "job/question.h"

#include "transform/hypothesis.h"

#include <assert.h>
#include <stdio.h>

/* The key of the kind that is the first `length` characters of `text`; NULL: there is none. */
static const struct ini_key *find_key_of_kind(const struct hypothesis_kind *kind, const char *text,
                                              size_t length)
{
    for (const struct ini_key *key = kind->keys; key->name; key++)
        if (strlen(key->name) == length && strncmp(key->name, text, length) == 0)
            return key;
    return NULL;
}

static size_t length_without_blanks(const char *text, size_t length)
{
    while (length > 0 && strchr(" \t", text[length - 1]))
        length--;
    return length;
}

/* True if "KEY =" with a key of the kind begins here. */
static bool begins_key(const struct hypothesis_kind *kind, const char *text)
{
    const size_t length = strcspn(text, " \t=");
    return *ini_skip_blanks(text + length) == '=' && find_key_of_kind(kind, text, length);
}

/* True if "word =" begins here, which may be a misspelt key. */
static bool begins_word(const char *text)
{
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_-");
    return length > 0 && *ini_skip_blanks(text + length) == '=';
}

/* The length of the first item: up to a comma or blanks that a key follows; of an item with a
 * value, up to a comma outside of parentheses that a misspelt key may follow; or up to the end. */
static size_t item_length(const struct hypothesis_kind *kind, const char *text)
{
    int depth = 0; /* of parentheses in a region's name */
    bool has_value = false;
    size_t at = 0;
    for (; text[at]; at++) {
        const char *next = ini_skip_blanks(text + at + 1);
        depth += strchr("([{<", text[at]) != NULL;
        depth -= strchr(")]}>", text[at]) != NULL;
        has_value |= text[at] == '=';
        if (strchr(", \t", text[at]) && begins_key(kind, next))
            break;
        if (text[at] == ',' && has_value && depth <= 0 && begins_word(next))
            break;
    }
    return length_without_blanks(text, at);
}

static enum status add_key_with_text(struct ini_section *section, const char *key,
                                     const char *value, size_t length, struct error *error)
{
    return ini_add_entry((struct ini *)section->ini, section, key, strlen(key), value, length,
                         error);
}

/* Adds an item that does not begin with a key of the kind. */
static enum status add_short_item(const struct hypothesis_kind *kind, struct ini_section *section,
                                  const char *item, size_t length, struct error *error)
{
    const struct ini_key *yes = find_key_of_kind(kind, item, length),
                         *value = hypothesis_value_key(kind);
    const char *equals = memrchr(item, '=', length);
    const bool has_region = find_key_of_kind(kind, "region", strlen("region"));
    const bool given = ini_value(section, "region") || (value && ini_value(section, value->name));
    if (yes && yes->type == INI_BOOL)
        return add_key_with_text(section, yes->name, "yes", strlen("yes"), error);
    if (equals && has_region && value && !given) {
        const char *rest = ini_skip_blanks(equals + 1);
        const size_t region = length_without_blanks(item, (size_t)(equals - item));
        return add_key_with_text(section, "region", item, region, error)
                   ?: add_key_with_text(section, value->name, rest, (size_t)(item + length - rest),
                                        error);
    }
    if (!equals && value && strspn(item, "0123456789.") == length)
        return add_key_with_text(section, value->name, item, length, error);
    if (!equals && has_region)
        return add_key_with_text(section, "region", item, length, error);
    if (equals && equals > item) { /* an unknown key, which the reader of the section reports */
        const char *first = memchr(item, '=', length), *rest = ini_skip_blanks(first + 1);
        return ini_add_entry((struct ini *)section->ini, section, item,
                             length_without_blanks(item, (size_t)(first - item)), rest,
                             (size_t)(item + length - rest), error);
    }
    return ini_error(error, section->ini, section->line,
                     "expected KEY=VALUE with the keys of section [%s], for example %s=...",
                     kind->name, kind->keys->name);
}

static enum status add_item(const struct hypothesis_kind *kind, struct ini_section *section,
                            const char *item, size_t length, struct error *error)
{
    if (!begins_key(kind, item))
        return add_short_item(kind, section, item, length, error);
    const size_t key = strcspn(item, " \t=");
    const char *value = ini_skip_blanks(ini_skip_blanks(item + key) + 1);
    const size_t value_length = value < item + length ? (size_t)(item + length - value) : 0;
    return ini_add_entry((struct ini *)section->ini, section, item, key, value, value_length,
                         error);
}

/* Writes the first label that no section of this kind has: "", "2", "3", ... */
static void find_free_label(const struct ini *ini, const char *kind, char *label, size_t size)
{
    bool taken = true;
    *label = '\0';
    for (int number = 2; taken; number++) {
        taken = false;
        for (size_t s = 0; s < ini->section_count; s++)
            taken |= strcmp(ini->sections[s].kind, kind) == 0 &&
                     strcmp(ini->sections[s].label, label) == 0;
        if (taken)
            snprintf(label, size, "%d", number);
    }
}

static enum status add_hypothesis(const struct option_use *use, struct ini *ini,
                                  struct error *error)
{
    const struct hypothesis_kind *kind = hypothesis_kind_named(use->name);
    char label[16], origin[200];
    struct ini_section *section = NULL;
    assert(kind);
    snprintf(origin, sizeof origin, "--%s \"%s\"", use->name, use->value);
    find_free_label(ini, kind->name, label, sizeof label);
    enum status status = ini_add_section(ini, kind->name, label, origin, &section, error);
    const char *item = ini_skip_blanks(use->value);
    if (status == STATUS_OK && *item == '\0')
        return ini_error(error, ini, section->line, "the hypothesis is missing");
    while (status == STATUS_OK && *item) {
        const size_t length = item_length(kind, item);
        status = add_item(kind, section, item, length, error);
        item += length;
        item += strspn(item, " \t");
        item += *item == ',';
        item = ini_skip_blanks(item);
    }
    return status;
}

enum status question_add(const struct question *question, struct ini *ini, struct error *error)
{
    enum status status = STATUS_OK;
    assert(question && ini);
    for (const char *const *set = question->sets; *set && status == STATUS_OK; set++)
        status = ini_set(ini, *set, error);
    for (size_t i = 0; i < question->hypotheses.count && status == STATUS_OK; i++)
        status = add_hypothesis(&question->hypotheses.items[i], ini, error);
    return status;
}
