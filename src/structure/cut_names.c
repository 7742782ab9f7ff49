#include "structure/cut_names.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORD_SIZE = 33 }; /* of a region's name, and the end of the text */

/* Copies what a file's name may have without quotes; other characters become one '_'. */
static void copy_as_word(const char *from, char *word, size_t size)
{
    size_t length = 0;
    assert(size > 0);
    for (; *from && length + 1 < size; from++) {
        const bool plain = isalnum((unsigned char)*from) || *from == '.' || *from == '_';
        if (plain || (length > 0 && word[length - 1] != '_'))
            word[length++] = plain ? *from : '_';
    }
    word[length] = '\0';
}

/* Of the region that begins the iterations; an MPI call comes after the region that makes it. */
static void write_begin(const struct trace *trace, const struct stretch *stretch, char *text,
                        size_t size)
{
    char word[WORD_SIZE], above[WORD_SIZE] = "";
    if (stretch->path == CALLPATH_NONE) {
        copy_as_word(stretch->signal, text, size);
        return;
    }
    const struct callpath *path = &trace->calltree.paths.items[stretch->path];
    const struct region *regions = trace->definitions->regions;
    copy_as_word(regions[path->region].name, word, sizeof word);
    if (path->parent != CALLPATH_NONE && regions[path->region].mpi_call != MPI_CALL_NONE)
        copy_as_word(regions[trace->calltree.paths.items[path->parent].region].name, above,
                     sizeof above);
    snprintf(text, size, "%s%s%s", above, *above ? "-" : "", word);
}

void cut_name_of_stretch(const struct trace *trace, const struct stretch *stretch,
                         const struct stretch_sample *sample, size_t number,
                         char name[CUT_NAME_SIZE])
{
    char begin[2 * WORD_SIZE];
    assert(number > 0 && (!sample || sample->count > 0));
    if (!sample) {
        const char *what = stretch->begin == trace->begin ? "start"
                           : stretch->end == trace->end   ? "end"
                                                          : "between";
        snprintf(name, CUT_NAME_SIZE, "%zu-%s", number, what);
        return;
    }
    write_begin(trace, stretch, begin, sizeof begin);
    if (sample->count == 1)
        snprintf(name, CUT_NAME_SIZE, "%zu-%s-iteration-%zu", number, begin, sample->first);
    else
        snprintf(name, CUT_NAME_SIZE, "%zu-%s-iterations-%zu-%zu", number, begin, sample->first,
                 sample->first + sample->count - 1);
}

void cut_name_of_range(const char *range, char name[CUT_NAME_SIZE])
{
    char word[2 * WORD_SIZE];
    copy_as_word(range, word, sizeof word);
    snprintf(name, CUT_NAME_SIZE, "1-%s", word);
}

/* The number with which the name of a cut begins; 0: not the name of a cut. */
static unsigned long cut_number(const char *name)
{
    char *end;
    const unsigned long number = isdigit((unsigned char)*name) ? strtoul(name, &end, 10) : 0;
    return number > 0 && (*end == '-' || !*end) ? number : 0;
}

static int is_cut_name(const struct dirent *entry)
{
    return cut_number(entry->d_name) > 0;
}

static int by_cut_number(const struct dirent **a, const struct dirent **b)
{
    const unsigned long x = cut_number((*a)->d_name), y = cut_number((*b)->d_name);
    return x != y ? (x < y ? -1 : 1) : strcmp((*a)->d_name, (*b)->d_name);
}

bool cut_paths_list(const char *directory, struct arena *arena, cut_path_list *paths)
{
    struct dirent **entries;
    const int count = scandir(directory, &entries, is_cut_name, by_cut_number);
    bool allocated = count >= 0 || errno != ENOMEM;
    for (int i = 0; i < count; i++) {
        char anchor[PATH_MAX + 32];
        snprintf(anchor, sizeof anchor, "%s/%s/traces.otf2", directory, entries[i]->d_name);
        free(entries[i]);
        if (!allocated || access(anchor, F_OK) != 0)
            continue;
        const char *copy = arena_strdup(arena, anchor);
        allocated = copy && array_push(paths, copy);
    }
    if (count >= 0)
        free(entries);
    return allocated;
}
