#include "predict/from/from.h"

#include "base/interrupt.h"
#include "predict/from/machine_shown.h"
#include "predict/from/write_script.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATEMENTS_MOST = 20000 };
#define UNEXPLAINED                                                               \
    400.0 /* statements that are worth explaining all of the variation of lengths \
           */

/* All ranks of all recordings. */
struct ranks {
    const struct rank_actions **actions; /* those that do most first */
    struct node **trees;
    uint32_t count;
};

/* A script as one way of finding repeats gives it. */
struct attempt {
    struct script_text text;
    double length; /* the less, the better */
    double coverage;
    uint32_t tables;
};

/* What must be equal in iterations of a loop. The first finds long scripts without tables, the last
 * short ones whose values are tables or depend on the loops. */
static const struct way {
    bool tags;
    struct likenesses alike;
} ways[] = {
    {true, {{true, true, true}, {true, true, true}}},
    {true, {{true, true, true}, {true, false, true}}},
    {true, {{true, true, true}, {false, false, true}}},
    {true, {{true, true, false}, {true, true, false}}},
    {true, {{true, false, true}, {true, false, true}}},
    {true, {{true, false, true}, {false, false, true}}},
    {true, {{true, false, false}, {true, false, false}}},
    {true, {{false, false, true}, {false, false, true}}},
    {true, {{false, false, false}, {false, false, false}}},
    {false, {{false, false, true}, {false, false, true}}},
};

struct richness {
    const struct rank_actions *actions;
    struct node *tree;
};

/* Ranks with more different steps first, then those with more actions: the others lack some. */
static int compare_richness(const void *a, const void *b)
{
    const struct richness *x = a, *y = b;
    int one = __builtin_popcountll(x->tree->contents),
        two = __builtin_popcountll(y->tree->contents);
    if (one != two)
        return one > two ? -1 : 1;
    if (x->actions->list.count != y->actions->list.count)
        return x->actions->list.count > y->actions->list.count ? -1 : 1;
    if (x->actions->recording != y->actions->recording)
        return x->actions->recording < y->actions->recording ? -1 : 1;
    return x->actions->rank < y->actions->rank ? -1 : 1;
}

/* Finds the repeats of all ranks and puts them in order. False when memory is out. */
static bool find_repeats(const struct steps *steps, const struct likenesses *alike,
                         struct arena *arena, struct ranks *ranks)
{
    struct richness *order = calloc((size_t)ranks->count + 1, sizeof *order);
    bool room = order;
    uint32_t n = 0;
    for (uint32_t p = 0; p < steps->program_count; p++)
        for (uint32_t r = 0; r < steps->programs[p].trace->rank_count && room; r++, n++) {
            order[n].actions = &steps->programs[p].ranks[r];
            room = repeats_find(steps, order[n].actions, alike, arena, &order[n].tree);
        }
    if (room)
        qsort(order, n, sizeof *order, compare_richness);
    for (uint32_t i = 0; i < n && room; i++) {
        ranks->actions[i] = order[i].actions;
        ranks->trees[i] = order[i].tree;
    }
    free(order);
    return room;
}

static double length_of(const struct script_text *text, const struct expressions *expressions)
{
    bool several = expressions->steps->program_count > 1;
    return text->statements + 1.0 * (double)expressions->table_items + 20.0 * text->means +
           UNEXPLAINED * expressions->unexplained + (several ? 50.0 : 1.0) * expressions->bound;
}

/* `*too_early`: see struct values. */
static enum status attempt_way(struct steps *steps, const struct likenesses *alike,
                               struct ranks *ranks, struct attempt *attempt, uint32_t *too_early,
                               struct error *error)
{
    struct arena *arena = arena_create();
    struct outline outline = {.steps = steps, .arena = arena};
    struct values values = {0};
    struct expressions expressions = {0};
    bool room = arena && find_repeats(steps, alike, arena, ranks);
    for (uint32_t i = 0; i < ranks->count && room; i++)
        room = outline_merge(&outline, ranks->actions[i], ranks->trees[i]);
    outline_number(&outline);
    room = room && values_collect(&outline, ranks->actions, ranks->trees, ranks->count, &values);
    enum status status = room ? STATUS_OK : error_memory(error, "the outline of a program");
    *too_early = values.too_early;
    if (status == STATUS_OK && outline.count <= STATEMENTS_MOST) {
        status = expressions_open(&expressions, steps, error);
        if (status == STATUS_OK)
            status = write_script(&outline, &values, &expressions, &attempt->text, error);
        if (status == STATUS_OK)
            attempt->length = length_of(&attempt->text, &expressions);
        attempt->tables = (uint32_t)expressions.tables.count;
    } else {
        attempt->text.statements = outline.count;
        attempt->length = outline.count * 1e3;
    }
    attempt->coverage = values.actions ? (double)values.inside / (double)values.actions : 0;
    expressions_clear(&expressions);
    values_clear(&values);
    outline_clear(&outline);
    arena_destroy(arena);
    return status;
}

static enum status attempt_with_requests(struct steps *steps, const struct way *way,
                                         struct ranks *ranks, struct attempt *attempt,
                                         struct error *error)
{
    for (;;) {
        uint32_t too_early = INDEX_NONE;
        enum status status = steps_name(steps, way->tags, error);
        if (status == STATUS_OK)
            status = attempt_way(steps, &way->alike, ranks, attempt, &too_early, error);
        if (status != STATUS_OK || too_early == INDEX_NONE ||
            !steps_number_requests(steps, too_early))
            return status;
        bytes_clear(&attempt->text.text);
        *attempt = (struct attempt){0};
    }
}

static enum status check_attempt(const struct attempt *best, const struct recording *recording,
                                 struct error *error)
{
    if (best->text.text.size > 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: no loops are found that make the program shorter than %u statements, and "
                     "a script has at most %d: the program is not regular enough; cut out an "
                     "iteration with silas-structure --cut, or record fewer iterations",
                     recording->path, best->text.statements, STATEMENTS_MOST);
}

static enum status attempt_all(struct recorded_program *programs, uint32_t count,
                               struct attempt *best, struct error *error)
{
    struct steps steps = {0};
    struct ranks ranks = {0};
    for (uint32_t p = 0; p < count; p++)
        ranks.count += programs[p].trace->rank_count;
    ranks.actions = calloc((size_t)ranks.count + 1, sizeof *ranks.actions);
    ranks.trees = calloc((size_t)ranks.count + 1, sizeof *ranks.trees);
    enum status status = ranks.actions && ranks.trees
                             ? steps_make(&steps, programs, count, error)
                             : error_memory(error, "the ranks of a program");
    for (size_t i = 0; i < sizeof ways / sizeof *ways && status == STATUS_OK; i++) {
        struct attempt attempt = {0};
        status = attempt_with_requests(&steps, &ways[i], &ranks, &attempt, error);
        if (status == STATUS_OK && (i == 0 || attempt.length < best->length)) {
            struct attempt worse = *best;
            *best = attempt;
            attempt = worse;
        }
        bytes_clear(&attempt.text.text);
    }
    if (status == STATUS_OK)
        status = check_attempt(best, programs[0].recording, error);
    steps_clear(&steps);
    free(ranks.actions);
    free(ranks.trees);
    return status;
}

static enum status write_text(const char *path, const struct bytes *text, struct error *error)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.part", path) >= (int)sizeof temporary)
        return error_set(error, STATUS_INPUT, "%s: the path is too long", path);
    FILE *file = fopen(temporary, "w");
    bool written = file && fwrite(text->data, 1, text->size, file) == text->size;
    written = (!file || fclose(file) == 0) && written && rename(temporary, path) == 0;
    if (written)
        return STATUS_OK;
    enum status status =
        error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
    unlink(temporary);
    return status;
}

static enum status write_files(struct recorded_program *programs, uint32_t count,
                               const char *script_path, struct from_outcome *outcome,
                               struct error *error)
{
    struct attempt best = {0};
    enum status status = attempt_all(programs, count, &best, error);
    if (status == STATUS_OK)
        status = write_text(script_path, &best.text.text, error);
    *outcome = (struct from_outcome){.statements = best.text.statements,
                                     .tables = best.tables,
                                     .loops = best.text.loops,
                                     .coverage = best.coverage};
    bytes_clear(&best.text.text);
    return status;
}

enum status script_from_traces(const struct recording *recordings, uint32_t count,
                               const char *script_path, const char *hardware_path,
                               struct processes *processes, struct from_outcome *outcome,
                               struct error *error)
{
    struct recorded_program *programs = calloc((size_t)count + 1, sizeof *programs);
    enum status status =
        processes_agree_memory(processes, programs != NULL, "the recordings", error);
    for (uint32_t p = 0; p < count && status == STATUS_OK; p++)
        status = recorded_program_load(&recordings[p], p, processes, &programs[p], error);
    if (status == STATUS_OK && hardware_path)
        status = machine_shown_write(programs[0].trace, hardware_path, error);
    bool removes = status == STATUS_OK && hardware_path && processes->rank == 0;
    if (removes) /* it is of no use without the script */
        interrupt_remove(hardware_path);
    if (status == STATUS_OK) {
        if (processes->rank == 0)
            status = write_files(programs, count, script_path, outcome, error);
        status = processes_agree(processes, status, error);
        processes_broadcast(processes, outcome, sizeof *outcome);
    }
    if (removes) {
        interrupt_remove(NULL);
        if (status != STATUS_OK)
            unlink(hardware_path);
    }
    for (uint32_t p = 0; p < count && programs; p++)
        recorded_program_clear(&programs[p]);
    free(programs);
    return status;
}
