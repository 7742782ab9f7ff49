#include "programs/model_questions.h"

#include "programs/asked_trace.h"
#include "programs/stragglers_question.h"

#include "advise/format.h"
#include "base/names.h"
#include "base/plural.h"
#include "base/sort.h"
#include "base/units.h"
#include "job/predict.h"
#include "job/timeline_output.h"
#include "reduce/assumptions.h"
#include "replay/model/domino.h"
#include "replay/model/model.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_ROWS = 20 }; /* that are printed of a table */

static bool is_printer(const struct asked_trace *asked)
{
    return asked->modelled.trace->processes->rank == 0;
}

void question_print_gain(const struct modelled_trace *modelled, int64_t before, int64_t after)
{
    const double whole = (double)modelled->critical->last_time;
    printf("%8.2f %%", whole > 0 ? 100 * (double)(before - after) / whole : 0);
}

void question_print_ticks(const struct modelled_trace *modelled, int64_t ticks)
{
    const double seconds = trace_seconds(modelled->trace, (double)ticks);
    printf("%14s", time_text_alone(seconds, 4).text);
}

static void print_head(const struct asked_trace *asked)
{
    double seconds =
        trace_seconds(asked->modelled.trace, (double)asked->modelled.critical->last_time);
    printf("%s, %u rank%s: T %s%s\n", asked->session->path, asked->modelled.trace->rank_count,
           plural(asked->modelled.trace->rank_count), time_text_alone(seconds, 5).text,
           asked->session->changed ? ", predicted under the hypotheses" : "");
}

/* Collective. */
static enum status answer_domino(struct asked_trace *asked, const struct model_questions *questions,
                                 struct error *error)
{
    const bool predicted = asked->session->changed || asked->options.absolute;
    enum status status =
        domino_question_answer(&asked->modelled, asked->session->config, questions, error);
    if (status == STATUS_OK && asked->output.processes)
        status =
            (questions->repeats ? modelled_trace_find_domino(&asked->modelled, error) : STATUS_OK)
                ?: timeline_output_write(&asked->modelled, predicted, asked->output.directory,
                                         error);
    return status;
}

static void print_bounds(const struct asked_trace *asked, const struct bounds *bounds)
{
    const struct trace *trace = asked->modelled.trace;
    printf("\nUpper bounds: how much smaller T would be if no call of the call path waited\n");
    printf("        gain          wait      calls  call path\n");
    for (size_t i = 0; i < bounds->list.count && i < TABLE_ROWS; i++) {
        const struct bound *bound = &bounds->list.items[i];
        char path[512];
        callpath_format(&trace->calltree, trace->definitions, bound->path, path, sizeof path);
        printf("  ");
        question_print_gain(&asked->modelled, asked->modelled.critical->last_time,
                            bound->last_time);
        question_print_ticks(&asked->modelled, bound->wait);
        printf(" %10zu  %s\n", bound->calls, path);
    }
}

/* Collective. */
static enum status answer_bounds(struct asked_trace *asked, struct error *error)
{
    uint32_t *paths = NULL;
    struct bounds bounds = {0};
    enum status status = model_paths_of_ends(asked->modelled.model, &paths, error);
    if (status == STATUS_OK && is_printer(asked)) {
        status = bounds_of_waits(asked->modelled.critical, asked->modelled.model->evaluator, paths,
                                 &bounds, error);
        if (status == STATUS_OK)
            print_bounds(asked, &bounds);
    }
    free(paths);
    free(bounds.list.items);
    return processes_agree(asked->modelled.trace->processes, status, error);
}

/* T, if the computation of one region were balanced. */
struct balanced_region {
    uint32_t region;
    double time_s;
};

ORDER_BY(by_exposed_time, struct balanced_region, ASCENDING(time_s) ?: ASCENDING(region))

/* [region]: true if it is one of the program, not of MPI. NULL when out of memory. */
static bool *find_regions(const struct asked_trace *asked)
{
    const struct trace *trace = asked->modelled.trace;
    const struct calltree *tree = &trace->calltree;
    bool *candidates = calloc(trace->definitions->region_count + 1ul, sizeof *candidates);
    for (size_t path = 0; candidates && path < tree->paths.count; path++) {
        uint32_t region = tree->paths.items[path].region;
        enum mpi_call call = trace->definitions->regions[region].mpi_call;
        candidates[region] |= call == MPI_CALL_NONE;
    }
    return candidates;
}

/* Collective. Predicts T with one region balanced. `*can`: false if the region computes nothing. */
static enum status predict_balanced(const struct asked_trace *asked, uint32_t region, bool *can,
                                    double *time_s, struct error *error)
{
    char *text = NULL;
    char *pattern = name_to_pattern(asked->modelled.trace->definitions->regions[region].name);
    *can = false;
    enum status status = pattern && asprintf(&text, "[balance bounds]\nregion = %s\n", pattern) >= 0
                             ? question_predict(asked, text, can, time_s, error)
                             : error_memory(error, "the bounds");
    free(text);
    free(pattern);
    return status;
}

static void print_balanced(const struct asked_trace *asked, const struct balanced_region *list,
                           size_t count)
{
    printf("\nHow much smaller T would be if the region's computation were balanced\n");
    printf("        gain  region\n");
    for (size_t i = 0; i < count && i < TABLE_ROWS; i++) {
        double before =
            trace_seconds(asked->modelled.trace, (double)asked->modelled.critical->last_time);
        printf("  %8.2f %%  %s\n", 100 * (before - list[i].time_s) / before,
               asked->modelled.trace->definitions->regions[list[i].region].name);
    }
}

/* Collective. */
static enum status answer_balance(struct asked_trace *asked, struct error *error)
{
    const struct trace *trace = asked->modelled.trace;
    bool *candidates = find_regions(asked);
    ARRAY(struct balanced_region) list = {0};
    enum status status = processes_agree_memory(trace->processes, candidates, "the bounds", error);
    for (uint32_t r = 0; r < trace->definitions->region_count && status == STATUS_OK; r++) {
        struct balanced_region balanced = {.region = r};
        bool can = false;
        if (candidates[r])
            status = predict_balanced(asked, r, &can, &balanced.time_s, error);
        if (can && !array_push(&list, balanced))
            status = error_memory(error, "the bounds");
        status = processes_agree(trace->processes, status, error);
    }
    if (status == STATUS_OK && list.count > 0)
        qsort(list.items, list.count, sizeof *list.items, by_exposed_time);
    if (status == STATUS_OK && is_printer(asked))
        print_balanced(asked, list.items, list.count);
    free(list.items);
    free(candidates);
    return status;
}

/* Collective. Prints what changes of the program would save, as silas-advise does, because waits
 * are symptoms. It is about the recording, so there is no such answer under hypotheses. */
static enum status answer_changes(const struct asked_trace *asked, struct error *error)
{
    static const struct advice_options options = {.keep = 5, .without_details = true};
    struct advice advice = {.arena = NULL};
    if (asked->session->changed)
        return STATUS_OK;
    enum status status = advice_find(asked->session, &options, &advice, error);
    if (status == STATUS_OK && is_printer(asked)) {
        printf(
            "\nHow much smaller T would be after a change of the program (details: silas-advise)\n"
            "        gain  change\n");
        advice_write_brief(&advice, stdout);
        fputs(ADVICE_FIGURES, stdout);
    }
    advice_clear(&advice);
    return status;
}

/* Collective. Refuses questions that a reduced recording cannot answer. */
static enum status check_reduced_trace(const struct model_questions *questions,
                                       const struct replay_session *session, struct error *error)
{
    const struct trace *trace = session->original;
    enum status status = STATUS_OK;
    if (questions->latency)
        status = assumptions_check_request(trace, "the question --latency", error);
    if (status == STATUS_OK && questions->bounds)
        status = assumptions_check_request(trace, "the question --bounds", error);
    if (status == STATUS_OK && questions->stragglers)
        status = assumptions_check_request(trace, "the question --stragglers", error);
    if (status == STATUS_OK && questions->domino && session->changed)
        status = assumptions_check_request(trace, "the question --domino under hypotheses", error);
    if (status == STATUS_OK && questions->domino)
        status =
            assumptions_check_waits(trace, "the question --domino", questions->least_wait_s, error);
    return processes_agree(trace->processes, status, error);
}

/* Collective. Answers the question about the latency, which needs only process 0. */
static enum status answer_latency(const struct asked_trace *asked, struct error *error)
{
    enum status status = STATUS_OK;
    if (is_printer(asked))
        status = latency_question_answer(asked->modelled.model, error);
    return processes_agree(asked->session->processes, status, error);
}

/* Advice is for the questions about all waits, and needs a whole recording. */
static bool wants_changes(const struct asked_trace *asked, const struct model_questions *questions)
{
    struct error unused;
    return !questions->json &&
           (questions->bounds || (questions->domino && questions->least_wait_s < 0)) &&
           assumptions_check_request(asked->session->original, "advice", &unused) == STATUS_OK;
}

/* Collective. */
static enum status answer_all(struct asked_trace *asked, const struct model_questions *questions,
                              struct error *error)
{
    if (is_printer(asked) && !questions->json)
        print_head(asked);
    return (questions->latency ? answer_latency(asked, error) : STATUS_OK)
               ?: (questions->domino ? answer_domino(asked, questions, error) : STATUS_OK)
               ?: (questions->bounds ? answer_bounds(asked, error) : STATUS_OK)
               ?: (questions->bounds ? answer_balance(asked, error) : STATUS_OK)
               ?: (questions->stragglers ? stragglers_question_answer(asked, error) : STATUS_OK)
               ?: (wants_changes(asked, questions) ? answer_changes(asked, error) : STATUS_OK);
}

/* Collective. Answers the questions about an open session. */
static enum status ask_session(struct asked_trace *asked, const struct engine *engine,
                               const struct model_questions *questions, struct error *error)
{
    const struct replay_session *session = asked->session;
    const struct trace *trace = session->changed ? session->changed : session->original;
    enum status status =
        check_reduced_trace(questions, session, error)
            ?: modelled_trace_open(&asked->modelled, trace, engine, &asked->setup, error);
    if (status != STATUS_OK)
        return status;
    status = modelled_trace_consider(&asked->modelled, questions->least_wait_s, error)
                 ?: answer_all(asked, questions, error);
    modelled_trace_close(&asked->modelled);
    return status;
}

/* Collective. Answers the questions about the first trace of the configuration. */
static enum status ask_config(const struct replay_config *config, const struct engine *engine,
                              const struct model_questions *questions, struct processes *processes,
                              struct error *error)
{
    struct asked_trace asked = {.setup = replay_config_setup(config, engine)};
    struct replay_session *session = NULL;
    enum status status = STATUS_OK;
    asked.options = *(const struct model_options *)asked.setup.options;
    asked.options.parametric = questions->latency;
    asked.setup.options = &asked.options;
    if (questions->domino && config->write_timeline)
        status = replay_output_open(config, processes, &asked.output, error);
    status =
        status ?: replay_session_open(config, config->trace_paths[0], processes, &session, error);
    asked.session = session;
    status = status ?: ask_session(&asked, engine, questions, error);
    if (status == STATUS_OK && asked.output.processes)
        status = job_output_commit(&asked.output, error);
    job_output_discard(&asked.output);
    replay_session_close(session);
    return status;
}

enum status model_questions_run(const char *config_path, const struct question *question,
                                const struct engine *engine,
                                const struct model_questions *questions,
                                struct processes *processes, struct error *error)
{
    assert(engine->equations && questions);
    struct replay_config *config = NULL;
    enum status status =
        replay_config_load(config_path, question, engine, processes, &config, error)
            ?: ask_config(config, engine, questions, processes, error);
    replay_config_destroy(config);
    return status;
}
