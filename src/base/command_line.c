#include "base/command_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 4096 };

static char text[LONGEST];

static const char harmless[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";

static void put(const char *part, size_t length)
{
    const size_t used = strlen(text);
    if (used + length < sizeof text)
        strncat(text, part, length);
}

/* In single quotes, unless a shell takes it as it is. */
static void put_word(const char *word)
{
    if (*word && word[strspn(word, harmless)] == '\0') {
        put(word, strlen(word));
        return;
    }
    put("'", 1);
    for (; *word; word++)
        if (*word == '\'')
            put("'\\''", 4);
        else
            put(word, 1);
    put("'", 1);
}

/* Programs in a folder of the search path, and those that a build has not installed, have names
 * of their own. */
static const char *program_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash && slash[1] ? slash + 1 : path;
    return strncmp(name, "lt-", 3) == 0 ? name + 3 : name;
}

void command_line_set(int argc, char *const *argv, int processes)
{
    text[0] = '\0';
    if (processes > 1)
        snprintf(text, sizeof text, "mpirun -np %d ", processes);
    put_word(program_name(argv[0]));
    for (int i = 1; i < argc; i++) {
        put(" ", 1);
        put_word(argv[i]);
    }
}

const char *command_line_text(void)
{
    return *text ? text : NULL;
}
