/* T without variation of the computation (doc/model.md): what slow ranks, slow iterations and noise
 * cost. */
#include "programs/stragglers_question.h"

#include "base/units.h"
#include "job/variation_costs.h"
#include "trace/environment.h"

#include <math.h>
#include <stdio.h>

static const double MOST_OF = 0.5; /* of the gain of all ranks that one must explain to be slow */

static void print_row(const struct variation_costs *costs, double saving_s, const char *what)
{
    if (isnan(saving_s)) /* unknown */
        return;
    printf("  %8.2f %% %13s  %s\n", 100 * saving_s / costs->time_s,
           time_text_alone(costs->time_s - saving_s, 4).text, what);
}

static void print_parts(const struct trace *trace, const struct variation_costs *costs)
{
    char text[300];
    for (size_t i = 0; i < costs->host_count; i++) {
        variation_part_name(trace, costs->hosts[i].rank, true, text, sizeof text);
        print_row(costs, costs->hosts[i].cost_s, text);
    }
    for (size_t i = 0; i < costs->rank_count; i++) {
        variation_part_name(trace, costs->ranks[i].rank, false, text, sizeof text);
        print_row(costs, costs->ranks[i].cost_s, text);
    }
}

static double largest(double a, double b)
{
    return a > b ? a : b;
}

/* What the table means. */
static void print_conclusion(const struct trace *trace, const struct variation_costs *costs)
{
    const double least = 0.001 * costs->time_s; /* below it, there is nothing to explain */
    const double rank_s = costs->rank_count > 0 ? costs->ranks[0].cost_s : 0;
    const double host_s = costs->host_count > 0 ? costs->hosts[0].cost_s : 0;
    const double slow_s = largest(costs->ranks_s, largest(rank_s, host_s));
    if (slow_s < least && costs->iterations_s < least && costs->noise_s < least)
        printf("Variation of the computation costs less than 0.1 %% of T.\n");
    else if (costs->noise_s >= slow_s)
        printf(
            "Visits that occasionally take longer than usual explain most of the differences.\n");
    else if (host_s >= MOST_OF * slow_s)
        printf("Host %s is slow: it explains most of the differences between ranks.\n",
               environment_host(trace, costs->hosts[0].rank));
    else if (rank_s >= MOST_OF * slow_s)
        printf("Rank %u is slow: it explains most of the differences between ranks.\n",
               costs->ranks[0].rank);
    else
        printf("Several ranks differ: neither a single rank nor occasional long visits explain "
               "most of it.\n");
}

static void print_answer(const struct trace *trace, const struct variation_costs *costs)
{
    char both[100];
    printf("\nT without variation of computation times\n");
    printf("        gain             T  without\n");
    print_row(costs, costs->ranks_s, "differences between ranks");
    print_row(costs, costs->iterations_s, "differences between iterations of a rank");
    snprintf(both, sizeof both, "both (%+.2f points compared with their sum)",
             100 * (costs->both_s - costs->ranks_s - costs->iterations_s) / costs->time_s);
    print_row(costs, costs->both_s, both);
    print_row(costs, costs->noise_s, "noise: each computation takes its median time");
    print_parts(trace, costs);
    print_conclusion(trace, costs);
}

enum status stragglers_question_answer(const struct asked_trace *asked, struct error *error)
{
    const struct trace *trace = asked->modelled.trace;
    struct variation_costs costs;
    struct model_options options;
    const struct engine_setup setup = question_setup(asked, &options);
    enum status status = variation_costs_find(asked->modelled.engine, &setup, trace,
                                              question_time_s(asked), &costs, error);
    if (status == STATUS_OK && trace->processes->rank == 0)
        print_answer(trace, &costs);
    return status;
}
