#include "sweep/verdict.h"

#include "base/paired.h"
#include "base/plural.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { MOST_ROUNDS = 2000 }; /* more rounds than a user would wait for */

const struct table_row *table_best_gain(const struct sweep_table *table)
{
    for (size_t i = 0; i < table->done_count; i++)
        if (table->rows[i].significant && table->rows[i].objective.median > 0)
            return &table->rows[i];
    return NULL;
}

/* The distance from the mean, in standard deviations, beyond which a normal value lies with the
 * probability `outside`, on both sides together. */
static double normal_bound(double outside)
{
    double low = 0, high = 40;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (erfc(middle / M_SQRT2) > outside)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Half the width of an interval shrinks with the square root of the number of rounds, and must
 * become smaller than the gain at the level of Holm's first test. */
static double rounds_until_significant(const struct sweep_table *table, const struct table_row *row)
{
    const double level = TABLE_LEVEL / (double)table->replayed_count;
    const double half = row->objective.median - row->objective.low;
    const double factor =
        half * normal_bound(level) / normal_bound(TABLE_LEVEL) / row->objective.median;
    if (row->computed || !(row->objective.median > 0))
        return INFINITY;
    return (double)row->result->pair_count * factor * factor;
}

size_t table_rounds_wanted(const struct sweep_table *table)
{
    double fewest = INFINITY;
    if (table->replayed_count == 0 || table_best_gain(table))
        return 0;
    for (size_t i = 0; i < table->done_count; i++)
        fewest = fmin(fewest, rounds_until_significant(table, &table->rows[i]));
    if (fewest > MOST_ROUNDS)
        return 0;
    const size_t least = paired_rounds_needed(table->replayed_count, TABLE_LEVEL);
    const size_t wanted = (size_t)ceil(fewest);
    const size_t more = wanted > table->rounds ? wanted : table->rounds + 1;
    return more > least ? more : least;
}

/* True if the row's own interval excludes zero, though it may do so by chance. */
static bool seems_better(const struct table_row *row)
{
    return !row->computed && row->objective.level > 0 && row->objective.low > 0;
}

const char *table_doubt(const struct sweep_table *table, char *text, size_t size)
{
    assert(size > 0);
    const char *goal = table->goal.name;
    const size_t wanted = table_rounds_wanted(table), runs = table->replayed_count;
    size_t better = 0, used;
    text[0] = '\0';
    if (table_figures_count(table) == 0 || table_best_gain(table))
        return text;
    for (size_t i = 0; i < table->done_count; i++)
        better += seems_better(&table->rows[i]);
    if (runs == 0)
        used = (size_t)snprintf(text, size, "No run makes %s better.", goal);
    else if (better > 0)
        used = (size_t)snprintf(
            text, size,
            "%zu run%s probably make%s %s better, because the interval is above zero. It is not "
            "significant yet: %s.",
            better, plural(better), better == 1 ? "s" : "", goal,
            runs == 1 ? "there are too few rounds"
                      : "the best of several runs may be above zero by chance");
    else
        used = (size_t)snprintf(text, size, "No run makes %s significantly better%s.", goal,
                                runs > 1 ? ", considering all replayed runs together" : "");
    if (wanted > 0 && used < size)
        snprintf(text + used, size - used,
                 " %zu round%s were replayed; about %zu are needed to find out ([sweep] repeat = "
                 "%zu).",
                 table->rounds, plural(table->rounds), wanted, wanted);
    return text;
}
