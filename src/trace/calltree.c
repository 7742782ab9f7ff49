#include "trace/calltree.h"

#include "base/mpi/mail.h"
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

/* Adds the paths of `from` to `tree`; remap[i] is the new number of from[i]. */
static bool merge(struct calltree *tree, const struct callpath *from, size_t count, uint32_t *remap)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t parent = from[i].parent == CALLPATH_NONE ? CALLPATH_NONE : remap[from[i].parent];
        remap[i] = calltree_child(tree, parent, from[i].region);
        if (remap[i] == CALLPATH_NONE)
            return false;
    }
    return true;
}

/* At process 0: the union of all processes' trees, in order of the processes. */
static enum status merge_gathered(struct calltree *whole, const char *gathered, const size_t *sizes,
                                  int processes, struct error *error)
{
    for (int p = 0; p < processes; p++) {
        size_t count = sizes[p] / sizeof(struct callpath);
        uint32_t *remap = malloc((count + 1) * sizeof *remap);
        bool merged = remap && merge(whole, (const struct callpath *)gathered, count, remap);
        free(remap);
        if (!merged)
            return error_memory(error, "the call tree");
        gathered += sizes[p];
    }
    return STATUS_OK;
}

/* Replaces the tree of every process by that of process 0. */
static enum status broadcast(struct calltree *whole, const struct processes *processes,
                             struct error *error)
{
    int64_t count = (int64_t)whole->paths.count;
    processes_broadcast(processes, &count, sizeof count);
    struct callpath *paths = malloc(((size_t)count + 1) * sizeof *paths);
    enum status status = paths ? STATUS_OK : error_memory(error, "the call tree");
    if ((status = processes_agree(processes, status, error)) != STATUS_OK) {
        free(paths);
        return status;
    }
    if (processes->rank == 0 && count)
        memcpy(paths, whole->paths.items, (size_t)count * sizeof *paths);
    processes_broadcast(processes, paths, (size_t)count * sizeof *paths);
    uint32_t *identity = malloc(((size_t)count + 1) * sizeof *identity);
    if (processes->rank != 0 && (!identity || !merge(whole, paths, (size_t)count, identity)))
        status = error_memory(error, "the call tree");
    free(identity);
    free(paths);
    return processes_agree(processes, status, error);
}

enum status calltree_unify(struct calltree *tree, const struct processes *processes,
                           uint32_t **remap, struct error *error)
{
    struct calltree whole = {0};
    char *gathered = NULL;
    size_t gathered_size, *sizes = calloc((size_t)processes->size, sizeof *sizes);
    *remap = malloc((tree->paths.count + 1) * sizeof **remap);
    enum status status = STATUS_OK;
    if (!sizes || !*remap)
        status = error_memory(error, "the call tree");
    if ((status = processes_agree(processes, status, error)) != STATUS_OK)
        goto out;
    status = mail_gather(processes, tree->paths.items, tree->paths.count * sizeof(struct callpath),
                         &gathered, &gathered_size, sizes, error);
    if (status != STATUS_OK)
        goto out;
    if (processes->rank == 0)
        status = merge_gathered(&whole, gathered, sizes, processes->size, error);
    if ((status = processes_agree(processes, status, error)) != STATUS_OK)
        goto out;
    if ((status = broadcast(&whole, processes, error)) != STATUS_OK)
        goto out;
    if (!merge(&whole, tree->paths.items, tree->paths.count, *remap))
        status = error_memory(error, "the call tree");
    status = processes_agree(processes, status, error);
out:
    free(gathered);
    free(sizes);
    if (status != STATUS_OK) {
        calltree_clear(&whole);
        free(*remap);
        *remap = NULL;
        return status;
    }
    calltree_clear(tree);
    *tree = whole;
    return STATUS_OK;
}

/* --- names --------------------------------------------------------------------------------------
 */

struct named_tree {
    const struct callpath *paths;
    const struct region *regions;
};

static const char *step_up(const void *tree, uint32_t *path)
{
    const struct named_tree *named = tree;
    if (*path == CALLPATH_NONE)
        return NULL;
    const struct callpath *callpath = &named->paths[*path];
    *path = callpath->parent;
    return named->regions[callpath->region].name;
}

size_t callpath_format(const struct calltree *tree, const struct definitions *definitions,
                       uint32_t path, char *text, size_t size)
{
    const struct named_tree named = {tree->paths.items, definitions->regions};
    assert(path == CALLPATH_NONE || path < tree->paths.count);
    if (path == CALLPATH_NONE)
        return (size_t)snprintf(text, size, "no region");
    return path_join(step_up, &named, path, "/", text, size);
}
