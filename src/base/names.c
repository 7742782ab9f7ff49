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
    size_t best_distance = strlen(wanted) / 3 + 1; /* a name further away is no help */
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(wanted, names[i]);
        if (distance <= best_distance && (best < 0 || distance < best_distance)) {
            best = (int)i;
            best_distance = distance;
        }
    }
    return best;
}

char *names_next(const char **list, bool *no_memory)
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
    *no_memory = !item;
    return item;
}

bool name_matches(const char *pattern, const char *name)
{
    return strcmp(pattern, name) == 0 ||
           (strpbrk(pattern, "*?[") && fnmatch(pattern, name, FNM_NOESCAPE) == 0);
}

bool names_match(const char *list, const char *name, bool *no_memory)
{
    bool found = false;
    char *item;
    while (!found && (item = names_next(&list, no_memory))) {
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

/* --- names along a path ----------------------------------------------------------------------- */

static size_t escaped_length(const char *name, const char *escaped)
{
    size_t length = 0;
    for (; *name; name++)
        length += strchr(escaped, *name) ? 2 : 1;
    return length;
}

/* A text of limited size, filled from its end; characters beyond the size are dropped. */
struct backward_writer {
    char *text;
    size_t size, position;
};

static void put_before(struct backward_writer *writer, char c)
{
    writer->position--;
    if (writer->position + 1 < writer->size)
        writer->text[writer->position] = c;
}

static void put_name_before(struct backward_writer *writer, const char *name, const char *escaped)
{
    for (const char *c = name + strlen(name); c > name; c--) {
        put_before(writer, c[-1]);
        if (strchr(escaped, c[-1]))
            put_before(writer, '\\');
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
    struct backward_writer writer = {text, size, length};
    while ((name = step(tree, &node)) != NULL) {
        put_name_before(&writer, name, escaped);
        if (writer.position > 0)
            put_before(&writer, '/');
    }
    return length;
}
