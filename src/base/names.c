#include "base/names.h"

#include <assert.h>
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 255 }; /* further characters are ignored */
    size_t row[LONGEST + 1], lb = strlen(b);
    if (lb > LONGEST)
        lb = LONGEST;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < lb; j++) {
            size_t differs = tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]);
            size_t replaced = diagonal + differs;
            diagonal = row[j + 1];
            row[j + 1] = min3(replaced, row[j] + 1, diagonal + 1);
        }
    }
    return row[lb];
}

int nearest_name(const char *wanted, const char *const *names, size_t count)
{
    int best = -1;
    size_t best_distance = strlen(wanted) / 3 + 1; /* names further away do not help */
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(wanted, names[i]);
        if (distance <= best_distance && (best < 0 || distance < best_distance)) {
            best = (int)i;
            best_distance = distance;
        }
    }
    return best;
}

char *names_next(const char **list, bool *out_of_memory)
{
    if (!*list)
        return NULL;
    const char *begin = *list + strspn(*list, " \t"), *end = begin;
    int depth = 0;
    for (; *end && (*end != ',' || depth > 0); end++) {
        if (strchr("([{<", *end) && !(*end == '<' && (end == begin || end[-1] == ' ')))
            depth++; /* but not at the "<" of a relation: <64k, >1M */
        else if (strchr(")]}>", *end) && depth > 0)
            depth--;
    }
    *list = *end ? end + 1 : NULL;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    char *item = strndup(begin, (size_t)(end - begin));
    *out_of_memory = !item;
    return item;
}

bool name_matches(const char *pattern, const char *name)
{
    return strcmp(pattern, name) == 0 ||
           (strpbrk(pattern, "*?[") && fnmatch(pattern, name, FNM_NOESCAPE) == 0);
}

bool names_match(const char *list, const char *name, bool *out_of_memory)
{
    bool found = false;
    char *item;
    while (!found && (item = names_next(&list, out_of_memory))) {
        found = name_matches(item, name);
        free(item);
    }
    return found;
}

void names_nearest(const char *wanted, const char *const *names, size_t count, char *text,
                   size_t size)
{
    enum { MOST = 3 };
    assert(size > 0);
    const char *best[MOST];
    size_t distance[MOST], found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t d = strcasestr(names[i], wanted) ? 0 : edit_distance(wanted, names[i]);
        bool known = false;
        for (size_t j = 0; j < found; j++)
            known |= strcmp(best[j], names[i]) == 0;
        if (known || (found == MOST && d >= distance[MOST - 1]))
            continue;
        size_t place = found < MOST ? found++ : MOST - 1;
        for (; place > 0 && distance[place - 1] > d; place--) {
            best[place] = best[place - 1];
            distance[place] = distance[place - 1];
        }
        best[place] = names[i];
        distance[place] = d;
    }
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < found && length < size; i++)
        length +=
            (size_t)snprintf(text + length, size - length, "%s\"%s\"", i == 0 ? "" : ", ", best[i]);
}

static size_t escaped_length(const char *name, const char *escaped)
{
    size_t length = strlen(name);
    while ((name = strpbrk(name, escaped)) != NULL) {
        length++;
        name++;
    }
    return length;
}

/* A text of limited size; characters beyond the size are dropped. */
struct limited_text {
    char *text;
    size_t size;
};

static void put_at(const struct limited_text *out, size_t at, const char *text, size_t length)
{
    if (at + 1 < out->size)
        memcpy(out->text + at, text, length < out->size - 1 - at ? length : out->size - 1 - at);
}

static void put_name_at(const struct limited_text *out, size_t at, const char *name,
                        const char *escaped)
{
    while (*name) {
        size_t plain = strcspn(name, escaped);
        put_at(out, at, name, plain);
        at += plain;
        name += plain;
        if (*name) {
            put_at(out, at, "\\", 1);
            put_at(out, at + 1, name, 1);
            at += 2;
            name++;
        }
    }
}

/* Writes from the last name to the first, without recursion, so that any depth is possible. */
size_t path_join(path_step *step, const void *tree, uint32_t node, const char *escaped, char *text,
                 size_t size)
{
    const char *name;
    size_t length = 0, count = 0;
    assert(text || size == 0);
    for (uint32_t n = node; (name = step(tree, &n)) != NULL; count++)
        length += escaped_length(name, escaped) + (count > 0);
    if (size > 0)
        text[length < size ? length : size - 1] = '\0';
    const struct limited_text out = {text, size};
    size_t position = length;
    while ((name = step(tree, &node)) != NULL) {
        position -= escaped_length(name, escaped);
        put_name_at(&out, position, name, escaped);
        if (position > 0)
            put_at(&out, --position, "/", 1);
    }
    return length;
}

bool name_ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), size = strlen(ending);
    return length >= size && strcmp(name + length - size, ending) == 0;
}

char *name_to_pattern(const char *name)
{
    char *pattern = strdup(name);
    const size_t length = strlen(name);
    bool exact = length > 0 && !isspace((unsigned char)name[0]) &&
                 !isspace((unsigned char)name[length - 1]) && !strpbrk(name, ";#\"");
    for (const char *c = name; *c; c++)
        exact &= !iscntrl((unsigned char)*c);
    for (char *c = pattern; c && *c && !exact; c++)
        if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c) || strchr(",*[];#\"\\", *c))
            *c = '?';
    return pattern;
}

bool name_is_of(const char *name, const char *function)
{
    const size_t length = strlen(function);
    return strncmp(name, function, length) == 0 &&
           (!name[length] || strncmp(name + length, CALL_SITE_MARK, strlen(CALL_SITE_MARK)) == 0);
}
