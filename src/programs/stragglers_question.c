/* T without variation of the computation (doc/model.md): what slow ranks, slow iterations and noise
 * cost. */
#include "programs/stragglers_question.h"

#include "base/names.h"
#include "base/sort.h"
#include "base/units.h"
#include "trace/environment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SINGLES_MOST = 5 /* ranks or hosts that are tried one by one */ };
static const double MOST_OF = 0.5; /* of the gain of all ranks that one must explain to be slow */

/* Ranks that are replaced together: one rank, or those of a host. */
struct slow_part {
    uint32_t rank;   /* the rank, or the first one of the host */
    int64_t excess;  /* computation of a rank above the mean of all ranks, ticks */
    double saving_s; /* of T without it */
};

struct stragglers_answer {
    const struct asked_trace *asked;
    double before_s;                               /* T */
    double ranks_s, iterations_s, both_s, noise_s; /* saved */
    int64_t *computation;                          /* [rank], ticks */
    struct slow_part ranks[SINGLES_MOST], hosts[SINGLES_MOST];
    size_t rank_count, host_count;
};

static enum status find_saving(const struct stragglers_answer *answer, const char *sections,
                               double *saving_s, struct error *error)
{
    bool can;
    double time_s = 0;
    enum status status = question_predict(answer->asked, sections, &can, &time_s, error);
    *saving_s = can ? answer->before_s - time_s : 0;
    return status;
}

/* Collective. Computation of all ranks; the caller frees `answer->computation`. */
static enum status add_computation(struct stragglers_answer *answer, struct error *error)
{
    const struct trace *trace = answer->asked->modelled.trace;
    answer->computation = calloc(trace->rank_count + 1ul, sizeof *answer->computation);
    enum status status =
        processes_agree_memory(trace->processes, answer->computation, "the ranks", error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        const struct stream *stream = &trace->streams[s];
        uint32_t path = CALLPATH_NONE;
        for (uint32_t row = 0; row < stream->count; row++) {
            if (row > 0 && path != CALLPATH_NONE && !callpath_communicates(trace, path))
                answer->computation[stream->rank] +=
                    (int64_t)(stream->time[row] - stream->time[row - 1]);
            path = callpath_after(&trace->calltree, stream, row, path);
        }
    }
    if (status == STATUS_OK)
        processes_sum(trace->processes, answer->computation, trace->rank_count);
    return status;
}

/* Keeps the parts with the largest excess, largest first. */
static void keep_part(struct slow_part *parts, size_t *count, struct slow_part part)
{
    size_t at = *count;
    while (at > 0 && parts[at - 1].excess < part.excess)
        at--;
    if (at == SINGLES_MOST || part.excess <= 0)
        return;
    *count += *count < SINGLES_MOST;
    memmove(&parts[at + 1], &parts[at], (*count - at - 1) * sizeof *parts);
    parts[at] = part;
}

/* The computation of the ranks of a host. */
struct host_ranks {
    uint32_t first;
    int64_t ticks, count;
};

/* Chooses the hosts whose ranks compute most, if there are several hosts. False if out of memory.
 */
static bool choose_hosts(struct stragglers_answer *answer, int64_t mean)
{
    const struct trace *trace = answer->asked->modelled.trace;
    uint32_t *numbers = malloc((trace->rank_count + 1ul) * sizeof *numbers);
    struct host_ranks *hosts = calloc(trace->rank_count + 1ul, sizeof *hosts);
    const bool found = numbers && hosts && environment_number_hosts(trace, numbers);
    for (uint32_t rank = 0; rank < trace->rank_count && found; rank++) {
        struct host_ranks *host = &hosts[numbers[rank]];
        host->first = host->count++ == 0 ? rank : host->first;
        host->ticks += answer->computation[rank];
    }
    for (uint32_t h = 0; found && hosts[1].count > 0 && hosts[h].count > 0; h++)
        keep_part(answer->hosts, &answer->host_count,
                  (struct slow_part){.rank = hosts[h].first,
                                     .excess = hosts[h].ticks / hosts[h].count - mean});
    free(hosts);
    free(numbers);
    return found;
}

/* Collective. Chooses ranks and hosts that compute more than the mean. */
static enum status choose_parts(struct stragglers_answer *answer, struct error *error)
{
    const struct trace *trace = answer->asked->modelled.trace;
    int64_t sum = 0;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        sum += answer->computation[rank];
    const int64_t mean = sum / trace->rank_count;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        keep_part(answer->ranks, &answer->rank_count,
                  (struct slow_part){.rank = rank, .excess = answer->computation[rank] - mean});
    return processes_agree_memory(trace->processes, choose_hosts(answer, mean), "the hosts", error);
}

/* Collective. Predicts T without each of the chosen ranks and hosts. */
static enum status try_parts(struct stragglers_answer *answer, struct error *error)
{
    const struct trace *trace = answer->asked->modelled.trace;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < answer->rank_count && status == STATUS_OK; i++) {
        char text[100];
        snprintf(text, sizeof text, "[variation]\nremove = ranks\nrank = %u\n",
                 answer->ranks[i].rank);
        status = find_saving(answer, text, &answer->ranks[i].saving_s, error);
    }
    for (size_t i = 0; i < answer->host_count && status == STATUS_OK; i++) {
        char *text = NULL,
             *pattern = name_to_pattern(environment_host(trace, answer->hosts[i].rank));
        if (pattern && asprintf(&text, "[variation]\nremove = ranks\nnode = %s\n", pattern) >= 0)
            status = find_saving(answer, text, &answer->hosts[i].saving_s, error);
        else
            status = error_memory(error, "the hosts");
        free(text);
        free(pattern);
    }
    return status;
}

static void print_row(const struct stragglers_answer *answer, double saving_s, const char *what)
{
    printf("  %8.2f %% %13s  %s\n", 100 * saving_s / answer->before_s,
           time_text_alone(answer->before_s - saving_s, 4).text, what);
}

static int order_by_saving(const void *a, const void *b)
{
    const struct slow_part *x = a, *y = b;
    return ORDER(y->saving_s, x->saving_s) ?: ORDER(x->rank, y->rank);
}

static void print_parts(struct stragglers_answer *answer)
{
    const struct trace *trace = answer->asked->modelled.trace;
    char text[300];
    qsort(answer->ranks, answer->rank_count, sizeof *answer->ranks, order_by_saving);
    qsort(answer->hosts, answer->host_count, sizeof *answer->hosts, order_by_saving);
    for (size_t i = 0; i < answer->host_count; i++) {
        snprintf(text, sizeof text, "host %s as the mean of the others",
                 environment_host(trace, answer->hosts[i].rank));
        print_row(answer, answer->hosts[i].saving_s, text);
    }
    for (size_t i = 0; i < answer->rank_count; i++) {
        snprintf(text, sizeof text, "rank %u as the mean of the others", answer->ranks[i].rank);
        print_row(answer, answer->ranks[i].saving_s, text);
    }
}

static double largest(double a, double b)
{
    return a > b ? a : b;
}

/* What the table means. */
static void print_conclusion(const struct stragglers_answer *answer)
{
    const double least = 0.001 * answer->before_s; /* below it, there is nothing to explain */
    const double rank_s = answer->rank_count > 0 ? answer->ranks[0].saving_s : 0;
    const double host_s = answer->host_count > 0 ? answer->hosts[0].saving_s : 0;
    const double slow_s = largest(answer->ranks_s, largest(rank_s, host_s));
    if (slow_s < least && answer->iterations_s < least && answer->noise_s < least)
        printf("Variation of the computation costs less than 0.1 %% of T.\n");
    else if (answer->noise_s >= slow_s)
        printf(
            "Ranks are slow now and then: most is saved without the visits that take longer than "
            "usual.\n");
    else if (host_s >= MOST_OF * slow_s)
        printf("Host %s is slow: it explains most of the differences between ranks.\n",
               environment_host(answer->asked->modelled.trace, answer->hosts[0].rank));
    else if (rank_s >= MOST_OF * slow_s)
        printf("Rank %u is slow: it explains most of the differences between ranks.\n",
               answer->ranks[0].rank);
    else
        printf("Several ranks differ: no single rank explains it, and neither do visits that take "
               "longer than usual.\n");
}

static void print_answer(struct stragglers_answer *answer)
{
    char both[100];
    printf("\nT if like computation took the same time on all ranks, in all iterations, or as "
           "usual\n");
    printf("        gain             T  without\n");
    print_row(answer, answer->ranks_s, "differences between ranks");
    print_row(answer, answer->iterations_s, "differences between iterations of a rank");
    snprintf(both, sizeof both, "both (%+.2f points compared with their sum)",
             100 * (answer->both_s - answer->ranks_s - answer->iterations_s) / answer->before_s);
    print_row(answer, answer->both_s, both);
    print_row(answer, answer->noise_s, "noise: each rank always computes as usual, by the median");
    print_parts(answer);
    print_conclusion(answer);
}

enum status stragglers_question_answer(const struct asked_trace *asked, struct error *error)
{
    const struct trace *trace = asked->modelled.trace;
    struct stragglers_answer answer = {.asked = asked};
    if (trace->processes->rank == 0) /* only this process has the critical path */
        answer.before_s = trace_seconds(trace, (double)asked->modelled.critical->last_time);
    processes_broadcast(trace->processes, &answer.before_s, sizeof answer.before_s);
    enum status status =
        find_saving(&answer, "[variation]\nremove = ranks\n", &answer.ranks_s, error)
            ?: find_saving(&answer, "[variation]\nremove = iterations\n", &answer.iterations_s,
                           error)
            ?: find_saving(&answer,
                           "[variation a]\nremove = ranks\n[variation b]\nremove = iterations\n",
                           &answer.both_s, error)
            ?: find_saving(&answer, "[variation]\nremove = noise\n", &answer.noise_s, error)
            ?: add_computation(&answer, error);
    status = status ?: choose_parts(&answer, error) ?: try_parts(&answer, error);
    if (status == STATUS_OK && trace->processes->rank == 0)
        print_answer(&answer);
    free(answer.computation);
    return status;
}
