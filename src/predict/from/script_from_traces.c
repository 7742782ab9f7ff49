#include "predict/from/from.h"

#include "base/interrupt.h"
#include "base/mpi/job_text.h"
#include "base/sort.h"
#include "predict/from/machine_shown.h"
#include "predict/from/write_script.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STATEMENTS_MOST = 20000 };

/* The length of a script in statements, with penalties for tables and means. */
#define PER_TABLE_ITEM  1.0
#define PER_MEAN        20.0  /* a value of which only the mean is kept */
#define PER_UNEXPLAINED 400.0 /* all of the variation of lengths */
#define PER_BOUND_TABLE                                                                       \
    50.0                  /* a table that holds for the recorded sizes only, if these differ, \
                           */
#define PER_BOUND_ONE 1.0 /* and with one recording */

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

/* Ranks with more different steps first, then those with more actions: the others lack some. */
static int compare_trees(const void *a, const void *b)
{
    const struct rank_tree *x = a, *y = b;
    return ORDER(__builtin_popcountll(y->root->contents), __builtin_popcountll(x->root->contents))
               ?: ORDER(y->actions->list.count, x->actions->list.count)
               ?: ORDER(x->actions->recording, y->actions->recording)
               ?: ORDER(x->actions->rank, y->actions->rank);
}

/* Finds the repeats of all ranks and sorts them. False when memory is out. */
static bool find_repeats(const struct script_steps *steps, const struct likenesses *alike,
                         struct arena *arena, struct rank_tree *trees, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!repeats_find(steps, trees[i].actions, alike, arena, &trees[i].root))
            return false;
    qsort(trees, count, sizeof *trees, compare_trees);
    return true;
}

static double length_of(const struct script_text *text, const struct expressions *expressions)
{
    bool several = expressions->steps->program_count > 1;
    return text->statements + PER_TABLE_ITEM * (double)expressions->table_items +
           PER_MEAN * text->means + PER_UNEXPLAINED * expressions->unexplained +
           (several ? PER_BOUND_TABLE : PER_BOUND_ONE) * expressions->bound;
}

/* `*too_early`: see struct outline_values. */
static enum status attempt_way(struct script_steps *steps, const struct likenesses *alike,
                               struct rank_tree *trees, uint32_t count, struct attempt *attempt,
                               uint32_t *too_early, struct error *error)
{
    struct arena *arena = arena_create();
    struct outline outline = {.steps = steps, .arena = arena};
    struct outline_values values = {0};
    struct expressions expressions = {0};
    bool room = arena && find_repeats(steps, alike, arena, trees, count);
    for (uint32_t i = 0; i < count && room; i++)
        room = outline_merge(&outline, &trees[i]);
    outline_number(&outline);
    room = room && values_collect(&outline, trees, count, &values);
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

static enum status attempt_with_requests(struct script_steps *steps, const struct way *way,
                                         struct rank_tree *trees, uint32_t count,
                                         struct attempt *attempt, struct error *error)
{
    for (;;) {
        uint32_t too_early = INDEX_NONE;
        enum status status = steps_name(steps, way->tags, error);
        if (status == STATUS_OK)
            status = attempt_way(steps, &way->alike, trees, count, attempt, &too_early, error);
        if (status != STATUS_OK || too_early == INDEX_NONE ||
            !steps_number_requests(steps, too_early))
            return status;
        bytes_clear(&attempt->text.text);
        *attempt = (struct attempt){0};
    }
}

static enum status check_attempt(const struct attempt *best,
                                 const struct script_recording *recording, struct error *error)
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
    struct script_steps steps = {0};
    uint32_t ranks = 0, next = 0;
    for (uint32_t p = 0; p < count; p++)
        ranks += programs[p].trace->rank_count;
    struct rank_tree *trees = calloc((size_t)ranks + 1, sizeof *trees);
    for (uint32_t p = 0; p < count && trees; p++)
        for (uint32_t r = 0; r < programs[p].trace->rank_count; r++)
            trees[next++].actions = &programs[p].ranks[r];
    enum status status = trees ? steps_make(&steps, programs, count, error)
                               : error_memory(error, "the ranks of a program");
    for (size_t i = 0; i < sizeof ways / sizeof *ways && status == STATUS_OK; i++) {
        struct attempt attempt = {0};
        status = attempt_with_requests(&steps, &ways[i], trees, ranks, &attempt, error);
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
    free(trees);
    return status;
}

/* Collective. Finds the best script, on process 0, and writes it. */
static enum status write_best(struct recorded_program *programs, uint32_t count, const char *path,
                              struct processes *processes, struct from_outcome *outcome,
                              struct error *error)
{
    struct attempt best = {0};
    struct job_text *text;
    enum status status = STATUS_OK;
    if (processes->rank == 0)
        status = attempt_all(programs, count, &best, error);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        status = job_text_open(processes, path, &text, error);
    if (status == STATUS_OK) {
        if (processes->rank == 0)
            fwrite(best.text.text.data, 1, best.text.text.size, job_text_stream(text));
        status = job_text_close(text, STATUS_OK, error);
    }
    *outcome = (struct from_outcome){.statements = best.text.statements,
                                     .tables = best.tables,
                                     .loops = best.text.loops,
                                     .coverage = best.coverage};
    processes_broadcast(processes, outcome, sizeof *outcome);
    bytes_clear(&best.text.text);
    return status;
}

enum status script_from_traces(const struct script_recording *recordings, uint32_t count,
                               const char *script_path, const char *hardware_path,
                               struct processes *processes, struct from_outcome *outcome,
                               struct error *error)
{
    struct recorded_program *programs = calloc((size_t)count + 1, sizeof *programs);
    assert(count > 0);
    enum status status =
        processes_agree_memory(processes, programs != NULL, "the recordings", error);
    for (uint32_t p = 0; p < count && status == STATUS_OK; p++)
        status = recorded_program_load(&recordings[p], p, processes, &programs[p], error);
    if (status == STATUS_OK && hardware_path)
        status = machine_shown_write(programs[0].trace, hardware_path, error);
    bool removes = status == STATUS_OK && hardware_path && processes->rank == 0;
    if (removes) /* it is of no use without the script */
        interrupt_remove(hardware_path);
    if (status == STATUS_OK)
        status = write_best(programs, count, script_path, processes, outcome, error);
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
