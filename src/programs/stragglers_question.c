/* T without variation of the computation (doc/model.md): what slow ranks, slow iterations and noise
 * cost. */
#include "programs/stragglers_question.h"

#include "advise/slow_ranks.h"
#include "base/sort.h"
#include "base/units.h"
#include "trace/environment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_OF = 0.5; /* of the gain of all ranks that one must explain to be slow */

/* Ranks that are replaced together. */
struct slow_saving {
    uint32_t rank;   /* the rank, or the first one of the host */
    double saving_s; /* of T without it */
};

struct stragglers_answer {
    const struct asked_trace *asked;
    double before_s;                               /* T */
    double ranks_s, iterations_s, both_s, noise_s; /* saved */
    struct slow_saving ranks[SLOW_RANKS_MOST], hosts[SLOW_RANKS_MOST];
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

/* Collective. Predicts T without each of the chosen parts. */
static enum status try_parts(const struct stragglers_answer *answer, struct slow_saving *savings,
                             const struct slow_part *parts, size_t count, bool are_hosts,
                             struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        char *sections = slow_part_sections(answer->asked->modelled.trace, &parts[i], are_hosts);
        savings[i].rank = parts[i].rank;
        status = sections ? find_saving(answer, sections, &savings[i].saving_s, error)
                          : error_memory(error, "the hosts");
        free(sections);
    }
    return status;
}

static void print_row(const struct stragglers_answer *answer, double saving_s, const char *what)
{
    printf("  %8.2f %% %13s  %s\n", 100 * saving_s / answer->before_s,
           time_text_alone(answer->before_s - saving_s, 4).text, what);
}

ORDER_BY(order_by_saving, struct slow_saving, DESCENDING(saving_s) ?: ASCENDING(rank))

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
    struct slow_ranks parts = {.rank_count = 0};
    answer.before_s = question_time_s(asked);
    enum status status =
        find_saving(&answer, "[variation]\nremove = ranks\n", &answer.ranks_s, error)
            ?: find_saving(&answer, "[variation]\nremove = iterations\n", &answer.iterations_s,
                           error)
            ?: find_saving(&answer,
                           "[variation a]\nremove = ranks\n[variation b]\nremove = iterations\n",
                           &answer.both_s, error)
            ?: find_saving(&answer, "[variation]\nremove = noise\n", &answer.noise_s, error)
            ?: slow_ranks_find(trace, &parts, error);
    answer.rank_count = parts.rank_count;
    answer.host_count = parts.host_count;
    status = status
                 ?: try_parts(&answer, answer.ranks, parts.ranks, parts.rank_count, false, error)
                 ?: try_parts(&answer, answer.hosts, parts.hosts, parts.host_count, true, error);
    if (status == STATUS_OK && trace->processes->rank == 0)
        print_answer(&answer);
    return status;
}
