#include "config.h" /* strverscmp */

#include "severity/site_names.h"

#include "severity/path_table.h"

#include "base/names.h"

#include <stdlib.h>
#include <string.h>

/* A path of an MPI function in a store. */
struct site {
    uint32_t function; /* the path without the place, by its number in a table of all stores */
    size_t store;
    uint32_t path;
    const char *name;
};

typedef ARRAY(struct site) site_list;

static int by_function_store_and_place(const void *left, const void *right)
{
    const struct site *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->store != b->store)
        return a->store < b->store ? -1 : 1;
    return strverscmp(a->name, b->name);
}

/* The name of an MPI function without the place of a call site. */
static const char *plain_name(struct arena *arena, const char *name)
{
    const char *mark = strstr(name, CALL_SITE_MARK);
    return mark ? arena_strndup(arena, name, (size_t)(mark - name)) : name;
}

/* Adds a store's paths of MPI functions to the sites, and sets the names. False if out of memory.
 */
static bool add_store(const struct severity *severity, size_t store, struct path_table *table,
                      site_list *sites, struct arena *arena, const char **names)
{
    const bool one_root = severity_has_one_root(severity);
    uint32_t *numbers = malloc(((size_t)severity->path_count + 1) * sizeof *numbers);
    bool allocated = numbers != NULL;
    for (uint32_t i = 0; i < severity->path_count && allocated; i++) {
        struct severity_path path = severity->paths[i];
        const bool is_root = path.parent == SEVERITY_NONE;
        names[i] = path.name;
        path.parent = is_root ? SEVERITY_NONE : numbers[path.parent];
        path.name = is_root && one_root ? "" : path.mpi ? plain_name(arena, path.name) : path.name;
        numbers[i] = path.name ? path_table_at(table, path) : SEVERITY_NONE;
        allocated =
            numbers[i] != SEVERITY_NONE &&
            (!path.mpi || array_push(sites, ((struct site){numbers[i], store, i, names[i]})));
    }
    free(numbers);
    return allocated;
}

/* The number of sites of the same function from one on; in the same store, or in all. */
static size_t count_alike(const site_list *sites, size_t from, bool in_all)
{
    const struct site *first = &sites->items[from];
    size_t end = from;
    while (end < sites->count && sites->items[end].function == first->function &&
           (in_all || sites->items[end].store == first->store))
        end++;
    return end - from;
}

/* Gives the sites of one function, from <= i < from + all, their names. */
static bool join_function(const site_list *sites, size_t from, size_t all,
                          const struct site_names *names)
{
    const size_t each = count_alike(sites, from, false);
    bool equal = true;
    for (size_t i = from; i < from + all && equal; i += each)
        equal = i + each <= from + all && count_alike(sites, i, false) == each;
    for (size_t i = 0; i < all; i++) {
        const struct site *site = &sites->items[from + i];
        const char *name =
            equal ? sites->items[from + i % each].name : plain_name(names->arena, site->name);
        names->names[site->store][site->path] = name;
        if (!name)
            return false;
    }
    return true;
}

static bool join_sites(const site_list *sites, const struct site_names *names)
{
    for (size_t from = 0, all; from < sites->count; from += all) {
        all = count_alike(sites, from, true);
        if (!join_function(sites, from, all, names))
            return false;
    }
    return true;
}

bool site_names_join(const struct severity *const *stores, size_t count, struct site_names *names)
{
    struct path_table table = {0};
    site_list sites = {0};
    *names = (struct site_names){.arena = arena_create()};
    names->names =
        names->arena ? arena_alloc_array(names->arena, count + 1, sizeof *names->names) : NULL;
    bool joined = names->names != NULL;
    for (size_t s = 0; s < count && joined; s++) {
        names->names[s] = arena_alloc_array(names->arena, (size_t)stores[s]->path_count + 1,
                                            sizeof *names->names[s]);
        joined = names->names[s] &&
                 add_store(stores[s], s, &table, &sites, names->arena, names->names[s]);
    }
    if (joined && sites.count) {
        qsort(sites.items, sites.count, sizeof *sites.items, by_function_store_and_place);
        joined = join_sites(&sites, names);
    }
    free(sites.items);
    path_table_clear(&table);
    if (!joined)
        site_names_clear(names);
    return joined;
}

void site_names_clear(struct site_names *names)
{
    arena_destroy(names->arena);
    *names = (struct site_names){0};
}
