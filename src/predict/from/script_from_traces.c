#include "predict/from/from.h"

#include "base/files.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mpi/job_text.h"
#include "base/plural.h"
#include "base/sort.h"
#include "predict/from/machine_shown.h"
#include "predict/from/self_check.h"
#include "predict/from/write_script.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATEMENTS_MOST = 20000 };

#define SELF_ERROR      0.01 /* of T: a script that predicts its recordings so well is good enough */

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

/* What the scripts of some recordings are made from. Process 0 only. */
struct script_search {
    struct program_frames frames;
    struct script_steps steps;
    struct rank_tree *trees; /* of the ranks of all recordings */
    uint32_t ranks;
    const struct way *way; /* the best one */
};

/* `*too_early`: see struct outline_values. */
static enum status attempt_way(struct script_search *search, const struct likenesses *alike,
                               enum time_form form, struct attempt *attempt, uint32_t *too_early,
                               struct error *error)
{
    struct script_steps *steps = &search->steps;
    struct rank_tree *trees = search->trees;
    uint32_t count = search->ranks;
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
        status = expressions_open(&expressions, steps, form, error);
        if (status == STATUS_OK)
            status = write_script(&outline, &values, &search->frames, &expressions, &attempt->text,
                                  error);
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

static enum status attempt_with_requests(struct script_search *search, const struct way *way,
                                         enum time_form form, struct attempt *attempt,
                                         struct error *error)
{
    struct script_steps *steps = &search->steps;
    *attempt = (struct attempt){0};
    for (;;) {
        uint32_t too_early = INDEX_NONE;
        enum status status = steps_name(steps, way->tags, error);
        if (status == STATUS_OK)
            status = attempt_way(search, &way->alike, form, attempt, &too_early, error);
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

static void search_clear(struct script_search *search)
{
    steps_clear(&search->steps);
    free(search->trees);
    free(search->frames.regions.items);
    *search = (struct script_search){0};
}

/* Nothing is found yet. */
static enum status search_open(struct script_search *search, struct recorded_program *programs,
                               uint32_t count, struct error *error)
{
    uint32_t next = 0;
    *search = (struct script_search){.way = ways};
    for (uint32_t p = 0; p < count; p++)
        search->ranks += programs[p].trace->rank_count;
    search->trees = calloc((size_t)search->ranks + 1, sizeof *search->trees);
    for (uint32_t p = 0; p < count && search->trees; p++)
        for (uint32_t r = 0; r < programs[p].trace->rank_count; r++)
            search->trees[next++].actions = &programs[p].ranks[r];
    enum status status = search->trees ? frames_take(programs, count, &search->frames, error)
                                             ?: steps_make(&search->steps, programs, count, error)
                                       : error_memory(error, "the ranks of a program");
    if (status != STATUS_OK)
        search_clear(search);
    return status;
}

/* Finds the best way. */
static enum status search_find(struct script_search *search, struct error *error)
{
    struct attempt best = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && status == STATUS_OK; i++) {
        struct attempt attempt;
        status = attempt_with_requests(search, &ways[i], TIME_MEAN, &attempt, error);
        if (status == STATUS_OK && (i == 0 || attempt.length < best.length)) {
            struct attempt worse = best;
            best = attempt;
            attempt = worse;
            search->way = &ways[i];
        }
        bytes_clear(&attempt.text.text);
    }
    if (status == STATUS_OK)
        status = check_attempt(&best, search->steps.programs[0].recording, error);
    bytes_clear(&best.text.text);
    return status;
}

/* Collective. Writes a script of process 0, below `heading`. */
static enum status write_attempt(const struct attempt *attempt, const char *heading,
                                 const char *path, const struct processes *processes,
                                 struct error *error)
{
    struct job_text *text;
    enum status status = job_text_open(processes, path, &text, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0) {
        fputs(heading, job_text_stream(text));
        fwrite(attempt->text.text.data, 1, attempt->text.text.size, job_text_stream(text));
    }
    return job_text_close(text, STATUS_OK, error);
}

/* A script with lengths of computation in one form, and how well it predicts the recordings. */
struct form_attempt {
    struct attempt attempt; /* on process 0 */
    double error;           /* signed; the largest */
};

/* Collective. Makes a script and predicts the recordings by it. */
static enum status attempt_form(struct script_search *search, const struct self_check *check,
                                enum time_form form, struct form_attempt *made, struct error *error)
{
    struct processes *processes = check->processes;
    enum status status = STATUS_OK;
    if (processes->rank == 0)
        status = attempt_with_requests(search, search->way, form, &made->attempt, error);
    status = processes_agree(processes, status, error)
                 ?: write_attempt(&made->attempt, "", check->script, processes, error);
    if (processes->rank == 0)
        interrupt_remove(check->folder);
    return status ?: self_check_run(check, &made->error, error);
}

/* Collective. Writes the script with the first form that predicts the recordings well, else with
 * the best one. */
static enum status write_best(struct script_search *search, const struct self_check *check,
                              const char *path, struct from_outcome *outcome, struct error *error)
{
    static const char *const names[] = {FROM_FORMS};
    struct processes *processes = check->processes;
    struct form_attempt best = {0};
    char heading[200];
    enum status status = STATUS_OK;
    int forms = check->count == 1 ? TIME_KEPT + 1 : TIME_SAMPLED + 1, chosen = 0;
    for (int form = 0; form < forms && status == STATUS_OK; form++) {
        struct form_attempt made = {0};
        status = attempt_form(search, check, (enum time_form)form, &made, error);
        if (status == STATUS_OK && (form == 0 || fabs(made.error) < fabs(best.error))) {
            struct form_attempt worse = best;
            best = made;
            made = worse;
            chosen = form;
        }
        bytes_clear(&made.attempt.text.text);
        if (status == STATUS_OK && fabs(best.error) <= SELF_ERROR)
            break;
    }
    if (status == STATUS_OK) {
        snprintf(heading, sizeof heading,
                 "# Predicts T of its recording%s within %.2g %%. Computation: %s.\n",
                 plural(check->count), 100 * fabs(best.error), names[chosen]);
        status = write_attempt(&best.attempt, isfinite(best.error) ? heading : "", path, processes,
                               error);
    }
    *outcome = (struct from_outcome){.statements = best.attempt.text.statements,
                                     .tables = best.attempt.tables,
                                     .loops = best.attempt.text.loops,
                                     .coverage = best.attempt.coverage,
                                     .form = names[chosen],
                                     .error = best.error};
    bytes_clear(&best.attempt.text.text);
    return status;
}

/* Whether a recording has waits for any request that are not named yet; names them: a script
 * in which they complete the oldest requests may hang where the program did not. */
static bool name_waits(struct recorded_program *programs, uint32_t count)
{
    bool any = false;
    for (uint32_t p = 0; p < count; p++) {
        struct recorded_program *program = &programs[p];
        any |= program->notes[FROM_NOTE_ANY] > 0;
        program->notes[FROM_NOTE_NAMED] = program->notes[FROM_NOTE_ANY];
        program->notes[FROM_NOTE_ANY] = 0;
        for (uint32_t r = 0; program->ranks && r < program->trace->rank_count; r++)
            for (size_t i = 0; i < program->ranks[r].list.count; i++)
                if (program->ranks[r].list.items[i].call == MPI_CALL_WAITANY)
                    program->ranks[r].list.items[i].call = MPI_CALL_WAIT;
    }
    return any;
}

/* Collective. Writes the best script. If it does not predict its recordings, it is written again
 * with named waits; with a warning if that does not help. `programs`: those of `check`. */
static enum status search_write(struct script_search *search, struct recorded_program *programs,
                                const struct self_check *check, const char *path,
                                struct from_outcome *outcome, struct error *error)
{
    struct processes *processes = check->processes;
    enum status status;
    bool again = false;
    do {
        status = STATUS_OK;
        if (processes->rank == 0)
            status = search_find(search, error);
        status = processes_agree(processes, status, error);
        if (status == STATUS_INPUT && again) /* too long now: the first script stays */
            status = STATUS_OK;
        else if (status == STATUS_OK)
            status = write_best(search, check, path, outcome, error);
        again = !again && status == STATUS_OK && isinf(outcome->error) &&
                name_waits(programs, check->count);
    } while (again);
    if (status == STATUS_OK && isinf(outcome->error) && processes->rank == 0)
        log_warning("the script does not predict its recording: %s", error->text);
    return status;
}

/* A folder next to the script, for trials. It is removed also when the program is
 * interrupted. */
struct trial {
    char folder[PATH_MAX]; /* empty: there is none */
    char script[PATH_MAX + NAME_MAX + 2], hardware[PATH_MAX + NAME_MAX + 2];
};

/* Collective. */
static enum status trial_open(const char *script_path, const struct processes *processes,
                              struct trial *trial, struct error *error)
{
    enum status status = STATUS_OK;
    if (processes->rank == 0) {
        snprintf(trial->folder, sizeof trial->folder, "%s.XXXXXX", script_path);
        interrupt_hold();
        if (mkdtemp(trial->folder)) {
            interrupt_remove(trial->folder);
        } else {
            status = error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", script_path,
                               strerror(errno));
            trial->folder[0] = '\0';
        }
        interrupt_release();
    }
    processes_broadcast(processes, trial->folder, sizeof trial->folder);
    snprintf(trial->script, sizeof trial->script, "%s/%s", trial->folder,
             files_base_name(script_path));
    snprintf(trial->hardware, sizeof trial->hardware, "%s/machine.ini", trial->folder);
    return processes_agree(processes, status, error);
}

/* Puts the hardware file beside the script; without it, the script is of no use. */
static enum status trial_keep_hardware(const struct trial *trial, const char *hardware_path,
                                       const char *script_path, const struct processes *processes,
                                       struct error *error)
{
    if (processes->rank != 0 || rename(trial->hardware, hardware_path) == 0)
        return STATUS_OK;
    const int reason = errno;
    unlink(script_path);
    return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", hardware_path,
                     strerror(reason));
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
        status = recorded_program_load(&recordings[p], processes, &programs[p], error);
    struct trial trial = {0};
    if (status == STATUS_OK)
        status = trial_open(script_path, processes, &trial, error);
    if (status == STATUS_OK)
        status = machine_shown_write(programs[0].trace, trial.hardware, error);
    if (trial.folder[0] && processes->rank == 0)
        interrupt_remove(trial.folder); /* writing has removed its own file instead */
    for (uint32_t p = 0; p < count && status == STATUS_OK; p++)
        status = recorded_program_read(&programs[p], p, trial.hardware, error);
    struct script_search search = {0};
    struct self_check check = {programs,     count,          trial.folder,
                               trial.script, trial.hardware, processes};
    if (status == STATUS_OK && processes->rank == 0)
        status = search_open(&search, programs, count, error);
    status = processes_agree(processes, status, error)
                 ?: search_write(&search, programs, &check, script_path, outcome, error);
    search_clear(&search);
    if (status == STATUS_OK)
        status = processes_agree(
            processes, trial_keep_hardware(&trial, hardware_path, script_path, processes, error),
            error);
    if (trial.folder[0] && processes->rank == 0) {
        files_remove_tree(trial.folder);
        interrupt_remove(NULL);
    }
    for (uint32_t p = 0; p < count && programs; p++)
        recorded_program_clear(&programs[p]);
    free(programs);
    return status;
}
