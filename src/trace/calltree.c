#include "trace/calltree.h"

#include "base/mpi/exchange.h"
#include "base/names.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t child_key(uint32_t parent, uint32_t region)
{
    return (uint64_t)parent << 32 | region;
}

uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t region)
{
    assert(parent == CALLPATH_NONE || parent < tree->paths.count);
    uint32_t fresh = (uint32_t)tree->paths.count;
    assert(parent == CALLPATH_NONE || parent < fresh);
    uint32_t *path = map_at(&tree->children, child_key(parent, region), fresh);
    if (!path)
        return CALLPATH_NONE;
    if (*path == fresh && !array_push(&tree->paths, ((struct callpath){parent, region})))
        return CALLPATH_NONE;
    return *path;
}

void calltree_clear(struct calltree *tree)
{
    free(tree->paths.items);
    map_clear(&tree->children);
    memset(tree, 0, sizeof *tree);
}

/* Adds the paths of `from` to `tree`. Returns the new number of each path in an array that the
 * caller frees; NULL when memory is out. */
static uint32_t *merge_paths(struct calltree *tree, const struct callpath *from, size_t count)
{
    uint32_t *remap = malloc((count + 1) * sizeof *remap);
    bool merged = remap != NULL;
    for (size_t i = 0; i < count && merged; i++) {
        uint32_t parent = from[i].parent == CALLPATH_NONE ? CALLPATH_NONE : remap[from[i].parent];
        remap[i] = calltree_child(tree, parent, from[i].region);
        merged = remap[i] != CALLPATH_NONE;
    }
    if (merged)
        return remap;
    free(remap);
    return NULL;
}

/* At process 0: merges the trees of all processes in the order of the processes. False when memory
 * is out. */
static bool merge_gathered(struct calltree *whole, const char *gathered, const size_t *sizes,
                           int processes)
{
    for (int p = 0; p < processes; p++) {
        uint32_t *remap = merge_paths(whole, (const struct callpath *)gathered,
                                      sizes[p] / sizeof(struct callpath));
        free(remap);
        if (!remap)
            return false;
        gathered += sizes[p];
    }
    return true;
}

/* Collective. Sends the tree of process 0 to all processes. */
static enum status broadcast(struct calltree *whole, const struct processes *processes,
                             struct error *error)
{
    int64_t count = (int64_t)whole->paths.count;
    processes_broadcast(processes, &count, sizeof count);
    struct callpath *paths = malloc(((size_t)count + 1) * sizeof *paths);
    enum status status = processes_agree_memory(processes, paths != NULL, "the call tree", error);
    if (status == STATUS_OK) {
        if (processes->rank == 0 && count)
            memcpy(paths, whole->paths.items, (size_t)count * sizeof *paths);
        processes_broadcast(processes, paths, (size_t)count * sizeof *paths);
        uint32_t *same = merge_paths(whole, paths, (size_t)count);
        free(same);
        status = processes_agree_memory(processes, same, "the call tree", error);
    }
    free(paths);
    return status;
}

enum status calltree_unify(struct calltree *tree, const struct processes *processes,
                           uint32_t **remap, struct error *error)
{
    struct calltree whole = {0};
    char *gathered = NULL;
    size_t gathered_size, *sizes = calloc((size_t)processes->size, sizeof *sizes);
    *remap = NULL;
    enum status status = processes_agree_memory(processes, sizes, "the call tree", error);
    if (status == STATUS_OK)
        status = exchange_gather(processes, tree->paths.items,
                                 tree->paths.count * sizeof(struct callpath), &gathered,
                                 &gathered_size, sizes, error);
    if (status == STATUS_OK) {
        bool merged =
            processes->rank != 0 || merge_gathered(&whole, gathered, sizes, processes->size);
        status = processes_agree_memory(processes, merged, "the call tree", error);
    }
    if (status == STATUS_OK)
        status = broadcast(&whole, processes, error);
    if (status == STATUS_OK) {
        *remap = merge_paths(&whole, tree->paths.items, tree->paths.count);
        status = processes_agree_memory(processes, *remap, "the call tree", error);
    }
    free(gathered);
    free(sizes);
    if (status == STATUS_OK) {
        calltree_clear(tree);
        *tree = whole;
        return STATUS_OK;
    }
    calltree_clear(&whole);
    free(*remap);
    *remap = NULL;
    return status;
}

struct named_tree {
    const struct callpath *paths;
    const struct region *regions;
    const char *(*name_of)(const struct region *region);
};

static const char *full_name(const struct region *region)
{
    return region->name;
}

static const char *parent_region_name(const void *tree, uint32_t *path)
{
    const struct named_tree *named = tree;
    if (*path == CALLPATH_NONE)
        return NULL;
    const struct callpath *callpath = &named->paths[*path];
    *path = callpath->parent;
    return named->name_of(&named->regions[callpath->region]);
}

static size_t format_named(const struct calltree *tree, const struct named_tree *named,
                           uint32_t path, char *text, size_t size)
{
    assert(path == CALLPATH_NONE || path < tree->paths.count);
    if (path == CALLPATH_NONE)
        return (size_t)snprintf(text, size, "no region");
    return path_join(parent_region_name, named, path, "/", text, size);
}

size_t callpath_format(const struct calltree *tree, const struct definitions *definitions,
                       uint32_t path, char *text, size_t size)
{
    const struct named_tree named = {tree->paths.items, definitions->regions, full_name};
    return format_named(tree, &named, path, text, size);
}

size_t callpath_plain_format(const struct calltree *tree, const struct definitions *definitions,
                             uint32_t path, char *text, size_t size)
{
    const struct named_tree named = {tree->paths.items, definitions->regions, region_plain_name};
    return format_named(tree, &named, path, text, size);
}

typedef size_t path_formatter(const struct calltree *tree, const struct definitions *definitions,
                              uint32_t path, char *text, size_t size);

static char *formatted_text(path_formatter *format, const struct calltree *tree,
                            const struct definitions *definitions, uint32_t path)
{
    const size_t size = format(tree, definitions, path, NULL, 0) + 1;
    char *text = malloc(size);
    if (text)
        format(tree, definitions, path, text, size);
    return text;
}

char *callpath_text(const struct calltree *tree, const struct definitions *definitions,
                    uint32_t path)
{
    return formatted_text(callpath_format, tree, definitions, path);
}

char *callpath_plain_text(const struct calltree *tree, const struct definitions *definitions,
                          uint32_t path)
{
    return formatted_text(callpath_plain_format, tree, definitions, path);
}
