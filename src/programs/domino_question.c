/* silas-model --domino: the domino paths, repeatedly if wanted, and their waits as hypotheses. */
#include "programs/model_questions.h"

#include "base/json.h"
#include "base/mpi/job_text.h"
#include "base/names.h"
#include "base/plural.h"
#include "trace/calltree.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* A smaller effect on T is not worth a line or a step: it is below what a model of a run can tell.
 */
static const double LEAST_SHOWN_EFFECT = 0.001;

/* The waits that an answer is about: of the domino paths, or of all steps. */
struct found_waits {
    const struct domino_call *calls;
    const struct domino_steps *steps; /* NULL: of one search */
    size_t count;
};

/* T without waits, in ticks. */
struct waits_left_out {
    struct domino_effect effect; /* those that were found; the same number of the longest */
    int64_t without_any;
};

static bool is_printing(const struct modelled_trace *modelled)
{
    return modelled->trace->processes->rank == 0;
}

static void print_effect(const struct modelled_trace *modelled, int64_t last_time,
                         const char *without)
{
    printf("  T is smaller by ");
    question_print_gain(modelled, modelled->critical->last_time, last_time);
    printf(" without %s\n", without);
}

static void print_longest(const struct modelled_trace *modelled, const struct domino_effect *effect)
{
    char text[60];
    snprintf(text, sizeof text, "the %zu longest wait%s", effect->longest_count,
             plural(effect->longest_count));
    print_effect(modelled, effect->without_longest, text);
}

static bool is_worth_showing(const struct modelled_trace *modelled, int64_t last_time)
{
    const double whole = (double)modelled->critical->last_time;
    return whole - (double)last_time >= LEAST_SHOWN_EFFECT * whole;
}

static void print_effects(const struct modelled_trace *modelled, const struct domino_effect *all)
{
    const struct domino *domino = &modelled->domino;
    const struct domino_effect *path = &modelled->effect;
    const size_t further = domino->calls.count - domino->first_count;
    printf("\nDomino path: %zu wait%s\n", domino->first_count, plural(domino->first_count));
    if (is_worth_showing(modelled, path->without_path)) {
        print_effect(modelled, path->without_path, "these waits");
        print_longest(modelled, path);
    } else {
        printf("  T is smaller by less than %g %% without these waits\n", 100 * LEAST_SHOWN_EFFECT);
    }
    if (domino->path_count > 1) {
        char text[100];
        snprintf(text, sizeof text, "the waits of all %zu such paths, %zu more", domino->path_count,
                 further);
        print_effect(modelled, all->without_path, text);
    }
}

/* On process 0: T without these waits, and without any. */
static enum status weigh_waits(const struct modelled_trace *modelled,
                               const struct domino_call *calls, size_t count,
                               struct waits_left_out *left_out, struct error *error)
{
    struct critical *critical = modelled->critical;
    const size_t ends = critical->equations->first_end[critical->equations->rank_count];
    size_t *all = malloc((ends + 1) * sizeof *all);
    if (!all)
        return error_memory(error, "the domino paths");
    for (size_t end = 0; end < ends; end++)
        all[end] = end;
    left_out->without_any = critical_without(critical, modelled->model->evaluator, all, ends);
    free(all);
    return domino_weigh(critical, modelled->model->evaluator, calls, count, &left_out->effect,
                        error);
}

/* Collective. Finds and weighs the paths. */
static enum status answer_once(struct modelled_trace *modelled, bool json,
                               struct waits_left_out *left_out, struct error *error)
{
    const struct domino *domino = &modelled->domino;
    enum status status = modelled_trace_find_domino(modelled, error);
    if (status != STATUS_OK)
        return status;
    if (is_printing(modelled)) {
        status = weigh_waits(modelled, domino->calls.items, domino->calls.count, left_out, error);
        if (status == STATUS_OK && !json)
            print_effects(modelled, &left_out->effect);
    }
    return processes_agree(modelled->trace->processes, status, error);
}

static void print_steps(const struct modelled_trace *modelled, const struct domino_steps *steps,
                        const struct waits_left_out *left_out)
{
    const struct critical *critical = modelled->critical;
    printf(
        "\nDomino paths, each found after the waits of the paths before are removed: %zu step%s, "
        "%zu wait%s\n",
        steps->list.count, plural(steps->list.count), steps->calls.count,
        plural(steps->calls.count));
    if (steps->list.count == 0)
        printf("  T is smaller by less than %g %% without the waits of the first step\n",
               100 * LEAST_SHOWN_EFFECT);
    else
        printf("  step  waits        gain      in all\n");
    int64_t before = critical->last_time;
    for (size_t i = 0; i < steps->list.count; before = steps->list.items[i++].last_time) {
        const struct domino_step *step = &steps->list.items[i];
        printf("%6zu %6zu  ", i + 1, step->count);
        question_print_gain(modelled, before, step->last_time);
        printf("  ");
        question_print_gain(modelled, critical->last_time, step->last_time);
        printf("\n");
    }
    if (steps->list.count > 0)
        print_longest(modelled, &left_out->effect);
    print_effect(modelled, left_out->without_any, "any wait");
}

/* Collective. Removes the paths again and again. */
static enum status answer_repeatedly(struct modelled_trace *modelled, bool json,
                                     struct domino_steps *steps, struct waits_left_out *left_out,
                                     struct error *error)
{
    enum status status = STATUS_OK;
    if (is_printing(modelled))
        status =
            domino_repeat(modelled->critical, modelled->model->evaluator, LEAST_SHOWN_EFFECT, steps,
                          error)
                ?: weigh_waits(modelled, steps->calls.items, steps->calls.count, left_out, error);
    if (is_printing(modelled) && status == STATUS_OK && !json)
        print_steps(modelled, steps, left_out);
    return processes_agree(modelled->trace->processes, status, error);
}

/* Adds a section [wait] for a call. */
static enum status add_wait_section(struct ini *ini, const struct trace *trace,
                                    const struct model_place *place, size_t number,
                                    struct error *error)
{
    char label[40], rank[20], visit[20];
    struct ini_section *section;
    char *path = callpath_text(&trace->calltree, trace->definitions, place->path);
    char *pattern = path ? name_to_pattern(path) : NULL;
    free(path);
    if (!pattern)
        return error_memory(error, "the waits");
    snprintf(label, sizeof label, "domino %zu", number);
    const int rank_length = snprintf(rank, sizeof rank, "%u", place->rank);
    const int visit_length = snprintf(visit, sizeof visit, "%u", place->visit);
    enum status status =
        ini_add_section(ini, "wait", label, NULL, &section, error)
            ?: ini_add_entry(ini, section, "callpath", 8, pattern, strlen(pattern), error)
                   ?: ini_add_entry(ini, section, "rank", 4, rank, (size_t)rank_length, error)
                          ?: ini_add_entry(ini, section, "visit", 5, visit, (size_t)visit_length,
                                           error);
    free(pattern);
    return status;
}

static json_t *seconds_of_ticks(const struct modelled_trace *modelled, int64_t ticks)
{
    return json_number(trace_seconds(modelled->trace, (double)ticks));
}

/* A call: by how much T is smaller if it alone does not wait, after all steps before. */
static json_t *wait_document(const struct modelled_trace *modelled, const struct domino_call *call,
                             const struct model_place *place, size_t step, int64_t before)
{
    char *path =
        place->path == CALLPATH_NONE
            ? NULL
            : callpath_text(&modelled->trace->calltree, modelled->trace->definitions, place->path);
    json_t *document =
        JSON_MEMBERS({"step", json_count(step)}, {"callpath", json_text(path)},
                     {"rank", json_count(place->rank)}, {"visit", json_count(place->visit)},
                     {"wait_s", seconds_of_ticks(modelled, call->call.wait)},
                     {"gain_alone_s", seconds_of_ticks(modelled, before - call->last_time)});
    free(path);
    return document;
}

/* The whole answer; takes over `waits`. */
static json_t *domino_document(const struct modelled_trace *modelled, const char *trace,
                               const struct found_waits *found,
                               const struct waits_left_out *left_out, json_t *waits)
{
    const int64_t whole = modelled->critical->last_time;
    assert(trace && left_out->without_any <= whole);
    const struct domino_step once = {found->count, left_out->effect.without_path};
    const struct domino_step *steps = found->steps ? found->steps->list.items : &once;
    const size_t count = found->steps ? found->steps->list.count : found->count > 0;
    json_t *list = json_array();
    int64_t before = whole;
    for (size_t i = 0; i < count; before = steps[i++].last_time)
        json_append(
            &list, JSON_MEMBERS({"waits", json_count(steps[i].count)},
                                {"gain_s", seconds_of_ticks(modelled, before - steps[i].last_time)},
                                {"time_s", seconds_of_ticks(modelled, steps[i].last_time)}));
    return JSON_MEMBERS(
        {"trace", json_text(trace)}, {"ranks", json_count(modelled->trace->rank_count)},
        {"time_s", seconds_of_ticks(modelled, whole)}, {"steps", list}, {"waits", waits},
        {"without_longest",
         JSON_MEMBERS({"waits", json_count(left_out->effect.longest_count)},
                      {"time_s", seconds_of_ticks(modelled, left_out->effect.without_longest)})},
        {"without_any_wait_s", seconds_of_ticks(modelled, left_out->without_any)});
}

/* Collective. Prints the calls, or appends them to `*waits` if that is not NULL. If `ini_wanted`,
 * adds a section for each to the `ini` of process 0. */
static enum status list_waits(const struct modelled_trace *modelled,
                              const struct found_waits *found, bool ini_wanted, struct ini *ini,
                              bool json, json_t **waits, struct error *error)
{
    uint64_t count = found->count;
    enum status status = STATUS_OK;
    size_t step = 0, step_end = 0;
    const size_t first = found->steps ? found->count : modelled->domino.first_count;
    int64_t before = is_printing(modelled) ? modelled->critical->last_time : 0;
    processes_broadcast(modelled->trace->processes, &count, sizeof count);
    if (is_printing(modelled) && count > 0 && !json)
        printf("\n%s alone gains          wait  call (from the end of the run)\n",
               found->steps ? "  step" : "      ");
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        char where[1024] = "";
        struct model_place place = {.path = CALLPATH_NONE};
        const struct domino_call *call = is_printing(modelled) ? &found->calls[i] : NULL;
        status = model_describe_end(modelled->model, call ? call->call.end : 0, where, sizeof where,
                                    error);
        if (status != STATUS_OK)
            return status;
        if (ini_wanted || json)
            model_place_end(modelled->model, call ? call->call.end : 0, &place);
        if (!call)
            continue;
        if (i == first && !json)
            printf("       alone gains          wait  call of another path with the same T\n");
        if (found->steps && i == step_end) {
            before = step > 0 ? found->steps->list.items[step - 1].last_time : before;
            step_end += found->steps->list.items[step++].count;
        }
        if (json) {
            json_append(waits,
                        wait_document(modelled, call, &place, found->steps ? step : 1, before));
        } else {
            printf("%6llu  ", (unsigned long long)(found->steps ? step : i + 1));
            question_print_gain(modelled, before, call->last_time);
            question_print_ticks(modelled, call->call.wait);
            printf("  %s\n", where);
        }
        if (ini && place.path != CALLPATH_NONE)
            status = add_wait_section(ini, modelled->trace, &place, (size_t)i + 1, error);
    }
    return processes_agree(modelled->trace->processes, status, error);
}

/* A copy of the configuration with absolute paths, for another folder. */
static enum status copy_config(const struct replay_config *config, struct ini **copy,
                               struct error *error)
{
    enum status status = ini_copy(config->ini, copy, error);
    for (size_t s = 0; status == STATUS_OK && s < (*copy)->section_count; s++) {
        struct ini_section *section = &(*copy)->sections[s];
        for (size_t e = 0; status == STATUS_OK && e < section->entry_count; e++) {
            struct ini_entry *entry = &section->entries[e];
            const enum config_value kind = replay_config_value(section->kind, entry->key);
            const char *path =
                kind == CONFIG_VALUE_PATH_LIST ? config->trace_paths[0] : entry->value;
            if (kind != CONFIG_VALUE_PLAIN)
                status = ini_resolve_fully(*copy, path, strlen(path), &entry->value, error);
        }
    }
    return status;
}

/* Collective. */
static enum status save_config(const struct processes *processes, const struct ini *ini,
                               const char *file, struct error *error)
{
    struct job_text *text;
    enum status status = job_text_open(processes, file, &text, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0) {
        char *lines = ini_text(ini);
        if (lines)
            fputs(lines, job_text_stream(text));
        else
            status = error_memory(error, "the waits");
        free(lines);
    }
    return job_text_close(text, status, error);
}

enum status domino_question_answer(struct modelled_trace *modelled,
                                   const struct replay_config *config,
                                   const struct model_questions *questions, struct error *error)
{
    const struct processes *processes = modelled->trace->processes;
    struct domino_steps steps = {0};
    struct ini *ini = NULL;
    struct waits_left_out left_out = {0};
    const bool json = questions->json;
    assert(modelled->critical || processes->rank != 0);
    json_t *waits = json && processes->rank == 0 ? json_array() : NULL;
    enum status status = questions->repeats
                             ? answer_repeatedly(modelled, json, &steps, &left_out, error)
                             : answer_once(modelled, json, &left_out, error);
    if (status == STATUS_OK && questions->saved)
        status = processes_agree(
            processes, processes->rank == 0 ? copy_config(config, &ini, error) : STATUS_OK, error);
    struct found_waits found = {modelled->domino.calls.items, NULL, modelled->domino.calls.count};
    if (questions->repeats)
        found = (struct found_waits){steps.calls.items, &steps, steps.calls.count};
    status =
        status ?: list_waits(modelled, &found, questions->saved != NULL, ini, json, &waits, error);
    if (json && processes->rank == 0 && status == STATUS_OK &&
        !json_write(domino_document(modelled, config->trace_paths[0], &found, &left_out, waits),
                    stdout))
        status = error_memory(error, "the answer");
    else if (status != STATUS_OK)
        json_decref(waits);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK && questions->saved)
        status = save_config(processes, ini, questions->saved, error);
    ini_destroy(ini);
    free(steps.list.items);
    free(steps.calls.items);
    return status;
}
