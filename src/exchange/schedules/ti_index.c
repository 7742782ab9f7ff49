#include "exchange/schedules/ti_index.h"

#include "base/sort.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ti_index_clear(struct ti_index *index)
{
    for (size_t i = 0; i < index->paths.count; i++)
        free(index->paths.items[i]);
    free(index->paths.items);
    free(index->runs.items);
    free(index->first);
    *index = (struct ti_index){0};
}

/* The file of this name in a folder; NULL if there is none, or when memory is out. */
static char *path_in(const char *folder, int length, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%.*s%s", length, folder, name) < 0)
        return NULL;
    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* Where a file is that the index names. smpirun takes the name from the directory in which it runs;
 * the index and its files may have been moved together since. NULL when memory is out. */
static char *place_path(const char *index, const char *name)
{
    const char *slash = strrchr(index, '/'), *last = strrchr(name, '/');
    int folder = slash ? (int)(slash - index) + 1 : 0;
    char *path = NULL;
    while (last && last > name && last[-1] != '/') /* DIR.d/rank-0.txt */
        last--;
    if (name[0] != '/')
        path = path_in(index, folder, name);
    if (!path && last)
        path = path_in(index, folder, last);
    return path ? path : strdup(name);
}

/* Whether a file begins with an action, "0 init". */
static bool begins_with_action(const char *path)
{
    struct ti_line line;
    struct error ignored;
    bool recognised = false;
    if (ti_line_open(&line, path, &ignored) == STATUS_OK && ti_line_next(&line)) {
        const char *word = ti_line_word(&line, NULL);
        recognised = word && word[strspn(word, "0123456789")] == '\0';
        word = ti_line_word(&line, NULL);
        recognised = recognised && word && isalpha((unsigned char)word[0]);
    }
    ti_line_close(&line);
    return recognised;
}

bool ti_recognises(const char *path)
{
    struct ti_line line;
    struct error ignored;
    bool recognised = false;
    if (begins_with_action(path))
        return true;
    if (ti_line_open(&line, path, &ignored) == STATUS_OK && ti_line_next(&line)) {
        const char *name = ti_line_word(&line, NULL);
        char *placed = name ? place_path(path, name) : NULL;
        recognised = placed && begins_with_action(placed);
        free(placed);
    }
    ti_line_close(&line);
    return recognised;
}

static enum status read_paths(const char *path, struct ti_index *index, struct error *error)
{
    struct ti_line line;
    enum status status = ti_line_open(&line, path, error);
    while (status == STATUS_OK && ti_line_next(&line)) {
        const char *name = ti_line_word(&line, "a file's name");
        char *placed = name ? place_path(path, name) : NULL;
        if (placed && !array_push(&index->paths, placed)) {
            free(placed);
            placed = NULL;
        }
        if (!placed)
            status = error_memory(error, "the names of files");
        if (status == STATUS_OK && ti_line_has_more(&line)) {
            ti_line_word(&line, NULL);
            ti_line_refuse(&line, "expected the name of one file in a line");
        }
        if (line.status != STATUS_OK)
            status = line.status;
    }
    if (status == STATUS_OK)
        status = line.status;
    if (status == STATUS_OK && index->paths.count == 0)
        status =
            error_set(error, STATUS_INPUT, "%s:1:1: expected the names of the ranks' files", path);
    ti_line_close(&line);
    return status;
}

/* A line belongs to the rank that it begins with. SimGrid ignores lines of another first word. */
static bool read_owner(struct ti_line *line, uint32_t *rank)
{
    if (!isdigit((unsigned char)line->next[strspn(line->next, " \t")]))
        return false;
    *rank = (uint32_t)ti_line_whole(line, "the number of a rank", INT32_MAX);
    return line->status == STATUS_OK;
}

/* Lists the runs of lines that belong to one rank, in the order of the file. */
static enum status find_runs(struct ti_index *index, struct error *error)
{
    struct ti_line line;
    struct ti_run run = {.rank = UINT32_MAX};
    bool room = true;
    enum status status = ti_line_open(&line, index->paths.items[0], error);
    while (status == STATUS_OK && room && ti_line_next(&line)) {
        uint32_t rank;
        if (!read_owner(&line, &rank))
            continue;
        if (rank != run.rank) {
            run = (struct ti_run){
                .offset = line.offset, .rank = rank, .first = line.number, .last = line.number};
            room = array_push(&index->runs, run);
        }
        index->runs.items[index->runs.count - 1].last = line.number;
    }
    if (status == STATUS_OK)
        status = line.status;
    ti_line_close(&line);
    return room ? status : error_memory(error, "the lines of the ranks");
}

ORDER_BY(order_of_runs, struct ti_run, ASCENDING(rank) ?: ASCENDING(first))

/* Sorts the runs by ranks, which all have one. */
static enum status sort_runs(struct ti_index *index, struct error *error)
{
    const char *path = index->paths.items[0];
    struct ti_run *runs = index->runs.items;
    size_t count = index->runs.count;
    if (count == 0)
        return error_set(error, STATUS_INPUT, "%s:1:1: expected the actions of ranks", path);
    qsort(runs, count, sizeof *runs, order_of_runs);
    for (size_t i = 0; i < count; i++) {
        uint32_t next = i == 0 ? 0 : runs[i - 1].rank + 1;
        if (runs[i].rank > next)
            return error_set(error, STATUS_INPUT,
                             "%s:%u:1: an action of rank %u, but rank %u has none in this file",
                             path, runs[i].first, runs[i].rank, next);
    }
    index->ranks = runs[count - 1].rank + 1;
    index->first = calloc((size_t)index->ranks + 1, sizeof *index->first);
    if (!index->first)
        return error_memory(error, "the lines of the ranks");
    for (size_t i = 0; i < count; i++)
        index->first[runs[i].rank + 1] = i + 1;
    return STATUS_OK;
}

static enum status keep_path(const char *path, struct ti_index *index, struct error *error)
{
    char *own = strdup(path);
    if (own && !array_push(&index->paths, own)) {
        free(own);
        own = NULL;
    }
    return own ? STATUS_OK : error_memory(error, "the names of files");
}

enum status ti_index_read(const char *path, struct ti_index *index, struct error *error)
{
    *index = (struct ti_index){0};
    enum status status =
        begins_with_action(path) ? keep_path(path, index, error) : read_paths(path, index, error);
    index->ranks = (uint32_t)index->paths.count;
    if (status == STATUS_OK && index->ranks == 1)
        status = find_runs(index, error);
    if (status == STATUS_OK && index->ranks == 1)
        status = sort_runs(index, error);
    if (status != STATUS_OK)
        ti_index_clear(index);
    return status;
}

enum status ti_index_open(const struct ti_index *index, uint32_t rank, struct ti_line *line,
                          struct error *error)
{
    assert(rank < index->ranks);
    bool together = index->runs.count > 0;
    enum status status = ti_line_open(line, index->paths.items[together ? 0 : rank], error);
    if (status == STATUS_OK && together) {
        line->runs = &index->runs.items[index->first[rank]];
        line->run_count = index->first[rank + 1] - index->first[rank];
    }
    return status;
}
