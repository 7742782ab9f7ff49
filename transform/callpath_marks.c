#include "transform/callpath_marks.h"

#include "base/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NEAREST_SIZE = 600 };

bool callpath_marks_wanted(const struct ini_section *section)
{
    return ini_value(section, "region") || ini_value(section, "callpath");
}

static void nearest_regions(const struct trace *trace, const char *wanted, char *text)
{
    size_t count = trace->calltree.paths.count;
    const char **names = calloc(count + 1, sizeof *names);
    text[0] = '\0';
    if (!names)
        return;
    for (size_t p = 0; p < count; p++)
        names[p] = callpath_region(trace, (uint32_t)p)->name;
    names_nearest(wanted, names, count, text, NEAREST_SIZE);
    free(names);
}

static void free_texts(const struct trace *trace, char **texts)
{
    for (size_t i = 0; texts && i < 2 * trace->calltree.paths.count; i++)
        free(texts[i]);
    free(texts);
}

/* Each call path as text, twice: with and without the places of call sites. The caller frees them
 * with free_texts. NULL if out of memory. */
static char **format_paths(const struct trace *trace)
{
    const size_t count = trace->calltree.paths.count;
    char **texts = calloc(2 * count + 1, sizeof *texts);
    bool allocated = texts != NULL;
    for (uint32_t p = 0; p < count && allocated; p++) {
        texts[2 * p] = callpath_text(&trace->calltree, trace->definitions, p);
        texts[2 * p + 1] = callpath_plain_text(&trace->calltree, trace->definitions, p);
        allocated = texts[2 * p] && texts[2 * p + 1];
    }
    if (allocated)
        return texts;
    free_texts(trace, texts);
    return NULL;
}

/* True if the pattern matches the path from its root or from any call on it. */
static bool path_contains(const char *pattern, const char *path)
{
    for (const char *from = path;;) {
        if (name_matches(pattern, from))
            return true;
        do {
            from = strchr(from, '/');
            if (!from)
                return false;
            from++;
        } while (from - path >= 2 && from[-2] == '\\'); /* "\/" is part of a name */
    }
}

static bool region_matches(const struct trace *trace, size_t path, const char *pattern)
{
    const struct region *region = callpath_region(trace, path);
    return name_matches(pattern, region->name) ||
           name_matches(pattern, region_plain_name(region)) ||
           (region->canonical && strcmp(pattern, region->canonical) == 0);
}

/* Sets chosen[path] of the call paths that match `pattern`: by their `texts`, or, if that is NULL,
 * by the names of their regions. False if there are none. */
static bool choose_paths(const struct trace *trace, char *const *texts, const char *pattern,
                         bool *chosen)
{
    bool any = false;
    for (size_t p = 0; p < trace->calltree.paths.count; p++)
        if (texts ? path_contains(pattern, texts[2 * p]) || path_contains(pattern, texts[2 * p + 1])
                  : region_matches(trace, p, pattern))
            any = chosen[p] = true;
    return any;
}

static enum status nothing_matches(const struct ini_section *section, const struct trace *trace,
                                   bool by_paths, const char *item, struct error *error)
{
    char nearest[NEAREST_SIZE];
    const char *last = by_paths ? strrchr(item, '/') : NULL;
    nearest_regions(trace, last ? last + 1 : item, nearest);
    if (by_paths)
        return section_error(error, section, "callpath",
                             "no call path matches \"%s\"; the nearest region names are %s", item,
                             nearest);
    return section_error(error, section, "region",
                         "no region \"%s\" was called; the nearest names are %s", item, nearest);
}

/* Marks exactly the call paths that the list `value` chooses (texts: as for `choose_paths`). If
 * `narrows`, only those that are marked already. */
static enum status mark_chosen(const struct ini_section *section, const struct trace *trace,
                               char *const *texts, const char *value, bool narrows,
                               struct callpath_marks *marks, struct error *error)
{
    size_t count = trace->calltree.paths.count;
    bool *chosen = calloc(count + 1, sizeof *chosen), out_of_memory = !chosen, any = false;
    enum status status = STATUS_OK;
    /* Tries the whole value first: a name such as "operator,(a, b)" is not a list. */
    if (!out_of_memory && !choose_paths(trace, texts, value, chosen)) {
        char *item;
        while (status == STATUS_OK && (item = names_next(&value, &out_of_memory))) {
            if (!choose_paths(trace, texts, item, chosen))
                status = nothing_matches(section, trace, texts, item, error);
            free(item);
        }
    }
    if (out_of_memory)
        status = error_memory(error, "the choice of call paths");
    for (size_t p = 0; status == STATUS_OK && p < count; p++) {
        bool both = chosen[p] && (!narrows || marks->of[p] & CALLPATH_CHOSEN);
        marks->of[p] = both ? CALLPATH_CHOSEN : 0;
        any |= both;
    }
    if (status == STATUS_OK && !any)
        status = section_error(error, section, "callpath",
                               "none of the regions chosen by \"region\" has such a call path");
    free(chosen);
    return status;
}

/* Parents come before their children, so one pass suffices. */
static void inherit_marks(const struct trace *trace, uint8_t *of)
{
    for (size_t p = 0; p < trace->calltree.paths.count; p++) {
        const struct callpath *path = &trace->calltree.paths.items[p];
        const struct region *region = &trace->definitions->regions[path->region];
        assert(path->parent == CALLPATH_NONE || path->parent < p);
        uint8_t above = path->parent == CALLPATH_NONE ? 0 : of[path->parent];
        const enum mpi_class class = mpi_call_infos[region->mpi_call].class;
        const bool is_chosen_access = class == MPI_CLASS_IO && of[p] & CALLPATH_CHOSEN;
        if (mpi_class_communicates(class) && !is_chosen_access)
            of[p] |= CALLPATH_COMMUNICATES;
        if (region_waits_for_threads(region))
            of[p] |= CALLPATH_WAITS;
        if (of[p] & CALLPATH_CHOSEN)
            of[p] |= CALLPATH_INSIDE;
        of[p] |= above & (CALLPATH_INSIDE | CALLPATH_COMMUNICATES);
        if ((of[p] & (CALLPATH_CHOSEN | CALLPATH_COMMUNICATES)) == CALLPATH_CHOSEN &&
            !(above & CALLPATH_INSIDE))
            of[p] |= CALLPATH_VISIT;
    }
}

enum status callpath_marks_create(const struct ini_section *section, const struct trace *trace,
                                  struct callpath_marks *marks, struct error *error)
{
    const char *region = ini_value(section, "region"), *callpath = ini_value(section, "callpath");
    enum status status = STATUS_OK;
    marks->calltree = &trace->calltree;
    marks->of = calloc(trace->calltree.paths.count + 1, sizeof *marks->of);
    if (!marks->of)
        return error_memory(error, "the choice of call paths");
    if (region)
        status = mark_chosen(section, trace, NULL, region, false, marks, error);
    if (status == STATUS_OK && callpath) {
        char **texts = format_paths(trace);
        status = texts ? mark_chosen(section, trace, texts, callpath, region, marks, error)
                       : error_memory(error, "the choice of call paths");
        free_texts(trace, texts);
    }
    if (status == STATUS_OK)
        inherit_marks(trace, marks->of);
    else
        callpath_marks_clear(marks);
    return status;
}

void callpath_marks_clear(struct callpath_marks *marks)
{
    free(marks->of);
    marks->of = NULL;
}

enum status callpath_marks_need_computation(const struct callpath_marks *marks,
                                            enum callpath_mark wanted,
                                            const struct ini_section *section, struct error *error)
{
    bool communicate = false;
    for (uint32_t p = 0; p < marks->calltree->paths.count; p++) {
        if (marks_computes(marks, p, wanted))
            return STATUS_OK;
        communicate |= marks->of[p] & wanted && marks->of[p] & CALLPATH_COMMUNICATES;
    }
    if (!communicate)
        return section_error(
            error, section, NULL,
            "the chosen calls create threads or wait for them; how long follows from "
            "what the threads compute: choose a region that computes");
    return section_error(
        error, section, NULL,
        "the chosen calls are MPI communication, whose time a transformation "
        "never changes: choose a region that computes, or file calls of a "
        "single rank (MPI_File_write; only [scale] also changes MPI_File_write_all)");
}

enum status regions_choose(const struct ini_section *section, const char *key,
                           const struct trace *trace, bool **chosen, struct error *error)
{
    const struct definitions *definitions = trace->definitions;
    const char *list = ini_value(section, key);
    bool out_of_memory = false, any = false;
    /* Transformations may add regions of MPI calls. */
    *chosen = calloc(definitions->region_count + (size_t)MPI_CALL_COUNT, sizeof **chosen);
    if (!*chosen)
        return error_memory(error, "the hypotheses");
    for (uint32_t r = 0; r < definitions->region_count; r++)
        any |= (*chosen)[r] = region_matches_list(&definitions->regions[r], list, &out_of_memory);
    enum status status = STATUS_OK;
    if (out_of_memory)
        status = error_memory(error, "the hypotheses");
    else if (!any)
        status = section_error(error, section, key, "there is no region of that name");
    if (status != STATUS_OK) {
        free(*chosen);
        *chosen = NULL;
    }
    return status;
}
