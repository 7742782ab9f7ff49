#include "programs/model_questions.h"

#include "advise/format.h"
#include "base/plural.h"
#include "base/sort.h"
#include "base/units.h"
#include "job/predict.h"
#include "job/replay_output.h"
#include "job/replay_session.h"
#include "job/timeline_output.h"
#include "reduce/assumptions.h"
#include "replay/model/domino.h"
#include "replay/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 }; /* lines of a table that are printed */

/* The trace that the questions are about. */
struct inquiry {
    const struct replay_session *session;
    struct modelled_trace modelled;
    struct model_options options;
    struct engine_setup setup; /* with these options */
    struct job_output output;  /* all zero: nothing is written */
    bool is_reduced;           /* the recording answers some questions only */
};

static bool speaks(const struct inquiry *inquiry)
{
    return inquiry->modelled.trace->processes->rank == 0;
}

/* "   12.34 %": by how much `last_time` is smaller than T. */
static void print_gain(const struct inquiry *inquiry, int64_t last_time)
{
    double before = (double)inquiry->modelled.critical->last_time;
    printf("%8.2f %%", before > 0 ? 100 * (before - (double)last_time) / before : 0);
}

static void print_ticks(const struct inquiry *inquiry, int64_t ticks)
{
    const double seconds = trace_seconds(inquiry->modelled.trace, (double)ticks);
    printf("%14s", time_text_alone(seconds, 4).text);
}

static void print_head(const struct inquiry *inquiry)
{
    double seconds =
        trace_seconds(inquiry->modelled.trace, (double)inquiry->modelled.critical->last_time);
    printf("%s, %u rank%s: T %s%s\n", inquiry->session->path, inquiry->modelled.trace->rank_count,
           plural(inquiry->modelled.trace->rank_count), time_text_alone(seconds, 5).text,
           inquiry->session->changed ? ", predicted under the hypotheses" : "");
}

static void print_comparison(const struct inquiry *inquiry)
{
    const struct domino_effect *effect = &inquiry->modelled.effect;
    size_t count = inquiry->modelled.domino.path.count;
    printf("\nDomino path: %zu wait%s\n", count, plural(count));
    printf("  T is smaller by ");
    print_gain(inquiry, effect->without_path);
    printf(" without these\n");
    printf("  T is smaller by ");
    print_gain(inquiry, effect->without_longest);
    printf(" without the %zu longest wait%s\n", effect->longest_count,
           plural(effect->longest_count));
}

/* Collective. */
static enum status print_path(struct inquiry *inquiry, struct error *error)
{
    const struct domino *domino = &inquiry->modelled.domino;
    uint64_t count = domino->path.count;
    enum status status = STATUS_OK;
    processes_broadcast(inquiry->modelled.trace->processes, &count, sizeof count);
    if (speaks(inquiry) && count > 0)
        printf("\n       alone gains          wait  call (last first)\n");
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        char where[1024] = "";
        const struct domino_call *call = speaks(inquiry) ? &domino->path.items[i] : NULL;
        status = model_describe_end(inquiry->modelled.model, call ? call->call.end : 0, where,
                                    sizeof where, error);
        if (!call || status != STATUS_OK)
            continue;
        printf("%6llu  ", (unsigned long long)i + 1);
        print_gain(inquiry, call->last_time);
        print_ticks(inquiry, call->call.wait);
        printf("  %s\n", where);
    }
    return status;
}

/* Collective. */
static enum status answer_domino(struct inquiry *inquiry, struct error *error)
{
    const bool predicted = inquiry->session->changed || inquiry->options.absolute;
    enum status status = modelled_trace_find_domino(&inquiry->modelled, error);
    if (status == STATUS_OK && speaks(inquiry))
        print_comparison(inquiry);
    if (status == STATUS_OK)
        status = print_path(inquiry, error);
    if (status == STATUS_OK && inquiry->output.processes)
        status =
            timeline_output_write(&inquiry->modelled, predicted, inquiry->output.directory, error);
    return status;
}

static void print_bounds(const struct inquiry *inquiry, const struct bounds *bounds)
{
    const struct trace *trace = inquiry->modelled.trace;
    printf("\nUpper bounds: how much smaller T would be if no call of the call path waited\n");
    printf("        gain          wait      calls  call path\n");
    for (size_t i = 0; i < bounds->list.count && i < SHOWN; i++) {
        const struct bound *bound = &bounds->list.items[i];
        char path[512];
        callpath_format(&trace->calltree, trace->definitions, bound->path, path, sizeof path);
        printf("  ");
        print_gain(inquiry, bound->last_time);
        print_ticks(inquiry, bound->wait);
        printf(" %10zu  %s\n", bound->calls, path);
    }
}

/* Collective. */
static enum status answer_bounds(struct inquiry *inquiry, struct error *error)
{
    uint32_t *paths = NULL;
    struct bounds bounds = {0};
    enum status status = model_paths_of_ends(inquiry->modelled.model, &paths, error);
    if (status == STATUS_OK && speaks(inquiry)) {
        status = bounds_of_waits(inquiry->modelled.critical, inquiry->modelled.model->evaluator,
                                 paths, &bounds, error);
        if (status == STATUS_OK)
            print_bounds(inquiry, &bounds);
    }
    free(paths);
    free(bounds.list.items);
    return processes_agree(inquiry->modelled.trace->processes, status, error);
}

struct balanced {
    uint32_t region;
    double time_s;
};

static int by_time(const void *a, const void *b)
{
    const struct balanced *x = a, *y = b;
    return ORDER(x->time_s, y->time_s) ?: ORDER(x->region, y->region);
}

/* [region]: whether it computes, so that balancing could help. NULL when memory is out. */
static bool *find_regions(const struct inquiry *inquiry)
{
    const struct trace *trace = inquiry->modelled.trace;
    const struct calltree *tree = &trace->calltree;
    bool *candidates = calloc(trace->definitions->region_count + 1ul, sizeof *candidates);
    for (size_t path = 0; candidates && path < tree->paths.count; path++) {
        uint32_t region = tree->paths.items[path].region;
        enum mpi_call call = trace->definitions->regions[region].mpi_call;
        candidates[region] |= call == MPI_CALL_NONE;
    }
    return candidates;
}

/* Collective. Finds T with one region balanced. `*can` is false if it cannot be balanced. */
static enum status balance(const struct inquiry *inquiry, uint32_t region, bool *can,
                           double *time_s, struct error *error)
{
    const struct trace *trace = inquiry->modelled.trace;
    struct model_options options = inquiry->options;
    const struct engine_setup setup = {.options = &options,
                                       .poll_gap_s = inquiry->setup.poll_gap_s,
                                       .original = inquiry->modelled.state};
    char text[1024];
    struct ini *ini = NULL;
    struct hypothesis *hypotheses = NULL;
    struct trace *changed = NULL;
    size_t count = 0;
    int length = snprintf(text, sizeof text, "[balance bounds]\nregion = %s\n",
                          trace->definitions->regions[region].name);
    *can = false;
    options.parametric = false;
    enum status status = ini_parse_text("--bounds", text, (size_t)length, &ini, error);
    if (status == STATUS_OK)
        status = hypotheses_parse(ini, &hypotheses, &count, error);
    if (status == STATUS_OK)
        status = hypotheses_apply(hypotheses, count, trace, &changed, NULL, error);
    const bool computes = status != STATUS_INPUT; /* the region, something of its own */
    if (status == STATUS_OK)
        status =
            engine_predict_changed(inquiry->modelled.engine, &setup, changed, NULL, time_s, error);
    *can = status == STATUS_OK;
    trace_destroy(changed);
    hypotheses_destroy(hypotheses, count);
    ini_destroy(ini);
    return computes ? status : STATUS_OK;
}

static void print_balanced(const struct inquiry *inquiry, const struct balanced *list, size_t count)
{
    printf("\nHow much smaller T would be if the region's computation were balanced\n");
    printf("        gain  region\n");
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        double before =
            trace_seconds(inquiry->modelled.trace, (double)inquiry->modelled.critical->last_time);
        printf("  %8.2f %%  %s\n", 100 * (before - list[i].time_s) / before,
               inquiry->modelled.trace->definitions->regions[list[i].region].name);
    }
}

/* Collective. */
static enum status answer_balance(struct inquiry *inquiry, struct error *error)
{
    const struct trace *trace = inquiry->modelled.trace;
    bool *candidates = find_regions(inquiry);
    ARRAY(struct balanced) list = {0};
    enum status status = processes_agree_memory(trace->processes, candidates, "the bounds", error);
    for (uint32_t r = 0; r < trace->definitions->region_count && status == STATUS_OK; r++) {
        struct balanced balanced = {.region = r};
        bool can = false;
        if (candidates[r])
            status = balance(inquiry, r, &can, &balanced.time_s, error);
        if (can && !array_push(&list, balanced))
            status = error_memory(error, "the bounds");
        status = processes_agree(trace->processes, status, error);
    }
    if (status == STATUS_OK && list.count > 0)
        qsort(list.items, list.count, sizeof *list.items, by_time);
    if (status == STATUS_OK && speaks(inquiry))
        print_balanced(inquiry, list.items, list.count);
    free(list.items);
    free(candidates);
    return status;
}

/* Collective. Waits are symptoms; this says what changes of the program bring, as silas-advise
 * does. It is about the recording, so a configuration with hypotheses gets no such answer. */
static enum status answer_changes(const struct inquiry *inquiry, struct error *error)
{
    static const struct advice_options options = {.keep = 5, .without_details = true};
    struct advice advice = {.arena = NULL};
    if (inquiry->session->changed)
        return STATUS_OK;
    enum status status = advice_find(inquiry->session, &options, &advice, error);
    if (status == STATUS_OK && speaks(inquiry)) {
        printf("\nHow much smaller T would be if the program were changed (silas-advise says how)\n"
               "        gain  change\n");
        advice_write_brief(&advice, stdout);
        fputs(ADVICE_FIGURES, stdout);
    }
    advice_clear(&advice);
    return status;
}

/* Collective. Refuses questions that a reduced recording was not made for. */
static enum status check_reduced(const struct model_questions *questions,
                                 const struct replay_session *session, struct error *error)
{
    const struct trace *trace = session->original;
    enum status status = STATUS_OK;
    if (questions->latency)
        status = assumptions_check_request(trace, "the question --latency", error);
    if (status == STATUS_OK && questions->bounds)
        status = assumptions_check_request(trace, "the question --bounds", error);
    if (status == STATUS_OK && questions->domino && session->changed)
        status = assumptions_check_request(trace, "the question --domino under hypotheses", error);
    if (status == STATUS_OK && questions->domino)
        status =
            assumptions_check_waits(trace, "the question --domino", questions->least_wait_s, error);
    return processes_agree(trace->processes, status, error);
}

enum status model_questions_run(const char *config_path, const char *const *sets,
                                const struct engine *engine,
                                const struct model_questions *questions,
                                struct processes *processes, struct error *error)
{
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    struct inquiry inquiry = {.options = {0}};
    struct error unused;
    enum status status = replay_config_load(config_path, sets, engine, processes, &config, error);
    if (status == STATUS_OK) {
        inquiry.setup = replay_config_setup(config, engine);
        inquiry.options = *(const struct model_options *)inquiry.setup.options;
        inquiry.options.parametric = questions->latency;
        inquiry.setup.options = &inquiry.options;
    }
    if (status == STATUS_OK && questions->domino && config->write_timeline)
        status = replay_output_open(config, processes, &inquiry.output, error);
    if (status == STATUS_OK)
        status = replay_session_open(config, config->trace_paths[0], processes, &session, error);
    inquiry.session = session;
    inquiry.is_reduced =
        status == STATUS_OK &&
        assumptions_check_request(session->original, "advice", &unused) != STATUS_OK;
    if (status == STATUS_OK)
        status = check_reduced(questions, session, error);
    if (status == STATUS_OK)
        status = modelled_trace_open(&inquiry.modelled,
                                     session->changed ? session->changed : session->original,
                                     engine, &inquiry.setup, error);
    if (status == STATUS_OK)
        status = modelled_trace_consider(&inquiry.modelled, questions->least_wait_s, error);
    if (status == STATUS_OK && processes->rank == 0)
        print_head(&inquiry);
    if (status == STATUS_OK && questions->latency && processes->rank == 0)
        status = latency_question_answer(inquiry.modelled.model, error);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK && questions->domino)
        status = answer_domino(&inquiry, error);
    if (status == STATUS_OK && questions->bounds)
        status = answer_bounds(&inquiry, error);
    if (status == STATUS_OK && questions->bounds)
        status = answer_balance(&inquiry, error);
    if (status == STATUS_OK && !inquiry.is_reduced &&
        (questions->bounds || (questions->domino && questions->least_wait_s < 0)))
        status = answer_changes(&inquiry, error);
    if (status == STATUS_OK && inquiry.output.processes)
        status = job_output_commit(&inquiry.output, error);
    else
        job_output_discard(&inquiry.output);
    modelled_trace_close(&inquiry.modelled);
    replay_session_close(session);
    replay_config_destroy(config);
    if (status == STATUS_OK && processes->rank == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        status = error_set(error, STATUS_ENVIRONMENT, "cannot write standard output");
    return processes_agree(processes, status, error);
}
