#include "transform/names.h"

#include "base/nearest.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *names_next(const char **list, bool *no_memory)
{
    if (!*list)
        return NULL;
    const char *begin = *list + strspn(*list, " \t"), *end = begin;
    int depth = 0;
    for (; *end && (*end != ',' || depth > 0); end++) {
        if (strchr("([{<", *end))
            depth++;
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

void names_nearest(const char *wanted, const char *const *names, size_t count, char *text,
                   size_t size)
{
    enum { MOST = 3 };
    const char *best[MOST];
    size_t distance[MOST], found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t d = strcasestr(names[i], wanted) ? 0 : nearest_distance(wanted, names[i]);
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
