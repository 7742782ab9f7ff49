/* The modes of a sweep. Sets outside of hypotheses (traces, options of engines) do not change the
 * program: in the modes that vary one thing at a time, all runs are made for each combination of
 * these sets. The base of those modes has the first alternative of all other sets, and no group. */
#include "sweep/selection.h"

#include "base/arena.h"

#include <assert.h>
#include <string.h>

struct selection_maker {
    const struct sweep_sets *sets;
    struct selections *made;
    size_t limit, capacity;
    struct error *error;
};

static size_t count_alternatives(const struct selection_maker *maker, size_t set)
{
    return maker->sets->common[set].values.count;
}

/* The number of changes that can be made to the base. `*squares`: the sum of the squared numbers of
 * changes over all sets and groups, because two changes of one set exclude each other. */
static double count_single_changes(const struct sweep_sets *sets, double *squares)
{
    double changes = (double)sets->choice_count;
    *squares = 0;
    for (size_t i = 0; i < sets->common_count; i++)
        if (sets->common[i].changes_program) {
            double ways = (double)sets->common[i].values.count - 1;
            changes += ways;
            *squares += ways * ways;
        }
    for (size_t g = 0; g < sets->group_count; g++) {
        double ways = 0;
        for (size_t c = 0; c < sets->choice_count; c++)
            ways += sets->choices[c].group == g;
        *squares += ways * ways;
    }
    return changes;
}

/* The base is a run if it has hypotheses, or if nothing varies. */
static bool base_is_run(const struct sweep_sets *sets, bool varies)
{
    return sets->common_hypotheses > 0 || !varies;
}

static double count_runs(const struct sweep_sets *sets, enum sweep_mode mode)
{
    double bases = 1, combinations = 1, squares;
    for (size_t i = 0; i < sets->common_count; i++) {
        double count = (double)sets->common[i].values.count;
        combinations *= count;
        bases *= sets->common[i].changes_program ? 1 : count;
    }
    double changes = count_single_changes(sets, &squares),
           pairs = (changes * changes - squares) / 2;
    if (mode == SWEEP_GRID)
        return combinations * (sets->choice_count > 0 ? (double)sets->choice_count : 1);
    if (mode == SWEEP_ZIP && sets->common_count > 0)
        return (double)sets->common[0].values.count;
    if (mode == SWEEP_ZIP)
        return sets->choice_count > 0 ? (double)sets->choice_count : 1;
    return bases * (base_is_run(sets, changes > 0) + changes + (mode == SWEEP_PAIRS ? pairs : 0));
}

static enum status check_zip(const struct selection_maker *maker)
{
    const struct sweep_sets *sets = maker->sets;
    const struct sweep_set *first = sets->common;
    for (size_t i = 1; i < sets->common_count; i++)
        if (count_alternatives(maker, i) != count_alternatives(maker, 0))
            return ini_error(maker->error, sets->ini, sets->common[i].line,
                             "mode = zip: %s has %zu alternatives, but %s at line %d has %zu",
                             sets->common[i].key, count_alternatives(maker, i), first->key,
                             first->line, count_alternatives(maker, 0));
    if (sets->common_count > 0 && sets->choice_count > 0 &&
        sets->choice_count != count_alternatives(maker, 0))
        return ini_error(maker->error, sets->ini, sets->groups[0].line,
                         "mode = zip: there are %zu of [alternative], but %s at line %d has %zu "
                         "alternatives",
                         sets->choice_count, first->key, first->line, count_alternatives(maker, 0));
    return STATUS_OK;
}

/* Appends a selection with the values of `like` (NULL: the first alternatives). */
static struct selection *append_selection(struct selection_maker *maker,
                                          const struct selection *like)
{
    assert(maker->made->count < maker->capacity);
    struct selection *fresh = &maker->made->items[maker->made->count++];
    size_t *values = fresh->values; /* selections_make has allocated them, all zero */
    size_t size = maker->sets->common_count * sizeof *values;
    if (like) {
        memcpy(values, like->values, size);
        *fresh = *like;
        fresh->values = values;
    }
    fresh->part_count = 0;
    fresh->rest = NO_SELECTION;
    return fresh;
}

/* A value of a common set (set < common_count), or a choice of a group (set == common_count). */
struct single_change {
    size_t set, value;
};

static void apply_change(const struct selection_maker *maker, struct single_change change,
                         struct selection *selection)
{
    if (change.set < maker->sets->common_count)
        selection->values[change.set] = change.value;
    else
        selection->choices[selection->choice_count++] = change.value;
}

/* True if both change the same set or group, so they cannot be combined. */
static bool exclude_each_other(const struct selection_maker *maker, struct single_change a,
                               struct single_change b)
{
    const struct sweep_sets *sets = maker->sets;
    if (a.set != b.set)
        return false;
    return a.set < sets->common_count ||
           sets->choices[a.value].group == sets->choices[b.value].group;
}

/* Lists the changes that can be made to the base, in file order. */
static size_t list_changes(const struct selection_maker *maker, struct single_change *changes)
{
    const struct sweep_sets *sets = maker->sets;
    size_t count = 0;
    for (size_t i = 0; i < sets->common_count; i++)
        for (size_t v = 1; sets->common[i].changes_program && v < count_alternatives(maker, i); v++)
            changes[count++] = (struct single_change){i, v};
    for (size_t c = 0; c < sets->choice_count; c++)
        changes[count++] = (struct single_change){sets->common_count, c};
    return count;
}

/* Appends all selections of one base. */
static void vary_base(struct selection_maker *maker, const struct selection *base,
                      const struct single_change *changes, size_t count, bool pairs)
{
    size_t rest = NO_SELECTION;
    if (base_is_run(maker->sets, count > 0)) {
        rest = maker->made->count;
        append_selection(maker, base);
    }
    size_t first = maker->made->count;
    for (size_t i = 0; i < count; i++)
        apply_change(maker, changes[i], append_selection(maker, base));
    for (size_t i = 0; pairs && i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            if (exclude_each_other(maker, changes[i], changes[j]))
                continue;
            struct selection *both = append_selection(maker, base);
            apply_change(maker, changes[i], both);
            apply_change(maker, changes[j], both);
            both->parts[0] = first + i;
            both->parts[1] = first + j;
            both->part_count = 2;
            both->rest = rest;
        }
}

/* Steps to the next combination of the sets outside of hypotheses; false after the last. */
static bool next_base(const struct selection_maker *maker, size_t *values)
{
    for (size_t i = maker->sets->common_count; i-- > 0;) {
        if (maker->sets->common[i].changes_program)
            continue;
        if (++values[i] < count_alternatives(maker, i))
            return true;
        values[i] = 0;
    }
    return false;
}

static enum status make_varied(struct selection_maker *maker, bool pairs)
{
    struct arena *arena = maker->sets->ini->arena;
    size_t most = maker->sets->choice_count + 1;
    for (size_t i = 0; i < maker->sets->common_count; i++)
        most += count_alternatives(maker, i);
    struct single_change *changes = arena_alloc_array(arena, most, sizeof *changes);
    struct selection base = {
        .values = arena_alloc_array(arena, maker->sets->common_count + 1, sizeof *base.values)};
    if (!changes || !base.values)
        return error_memory(maker->error, "the sweep");
    size_t count = list_changes(maker, changes);
    do
        vary_base(maker, &base, changes, count, pairs);
    while (next_base(maker, base.values));
    return STATUS_OK;
}

static void make_grid(struct selection_maker *maker, size_t count)
{
    const struct sweep_sets *sets = maker->sets;
    for (size_t r = 0; r < count; r++) {
        struct selection *selection = append_selection(maker, NULL);
        size_t rest = r;
        if (sets->choice_count > 0) {
            selection->choices[0] = rest % sets->choice_count;
            selection->choice_count = 1;
            rest /= sets->choice_count;
        }
        for (size_t i = sets->common_count; i-- > 0; rest /= count_alternatives(maker, i))
            selection->values[i] = rest % count_alternatives(maker, i);
    }
}

static void make_zip(struct selection_maker *maker, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        struct selection *selection = append_selection(maker, NULL);
        for (size_t i = 0; i < maker->sets->common_count; i++)
            selection->values[i] = r;
        selection->choices[0] = r;
        selection->choice_count = maker->sets->choice_count > 0;
    }
}

enum status selections_make(const struct sweep_sets *sets, enum sweep_mode mode, size_t limit,
                            struct selections *selections, struct error *error)
{
    assert(limit >= 1);
    struct selection_maker maker = {
        .sets = sets, .made = selections, .limit = limit, .error = error};
    struct arena *arena = sets->ini->arena;
    *selections = (struct selections){0};
    enum status status = mode == SWEEP_ZIP ? check_zip(&maker) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    double runs = count_runs(sets, mode);
    if (runs > (double)limit)
        return ini_error(error, sets->ini, 0,
                         "the sweep would have %.0f runs, more than its limit of %zu: leave out "
                         "alternatives, choose another mode, or set limit in section [sweep]",
                         runs, limit);
    size_t count = (size_t)runs;
    selections->items = arena_alloc_array(arena, count, sizeof *selections->items);
    size_t *values = arena_alloc_array(arena, count * (sets->common_count + 1), sizeof *values);
    if (!selections->items || !values)
        return error_memory(error, "the sweep");
    for (size_t r = 0; r < count; r++)
        selections->items[r].values = values + r * (sets->common_count + 1);
    maker.capacity = count;
    if (mode == SWEEP_GRID)
        make_grid(&maker, count);
    else if (mode == SWEEP_ZIP)
        make_zip(&maker, count);
    else
        status = make_varied(&maker, mode == SWEEP_PAIRS);
    return status;
}
