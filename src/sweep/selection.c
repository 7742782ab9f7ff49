/* The modes. Sets outside of hypotheses (traces, options of engines) do not change the program, so
 * in the modes that vary one thing at a time each of their combinations gets all runs. There the
 * first alternatives of the other sets, and no group, are the base. */
#include "sweep/selection.h"

#include "base/arena.h"

#include <assert.h>
#include <string.h>

struct maker {
    const struct sweep_sets *sets;
    struct selections *made;
    size_t limit, capacity;
    struct error *error;
};

static size_t length_of(const struct maker *maker, size_t set)
{
    return maker->sets->common[set].values.count;
}

/* Ways to differ from the base by one change; `*squares`: the sum over the sets of such ways
 * squared, as two changes of one set exclude each other. */
static double count_changes(const struct sweep_sets *sets, double *squares)
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

/* Whether the base is a run, as something changes there (or nothing anywhere). */
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
    double changes = count_changes(sets, &squares), pairs = (changes * changes - squares) / 2;
    if (mode == SWEEP_GRID)
        return combinations * (sets->choice_count > 0 ? (double)sets->choice_count : 1);
    if (mode == SWEEP_ZIP && sets->common_count > 0)
        return (double)sets->common[0].values.count;
    if (mode == SWEEP_ZIP)
        return sets->choice_count > 0 ? (double)sets->choice_count : 1;
    return bases * (base_is_run(sets, changes > 0) + changes + (mode == SWEEP_PAIRS ? pairs : 0));
}

static enum status check_lengths(const struct maker *maker)
{
    const struct sweep_sets *sets = maker->sets;
    const struct sweep_set *first = sets->common;
    for (size_t i = 1; i < sets->common_count; i++)
        if (length_of(maker, i) != length_of(maker, 0))
            return ini_error(maker->error, sets->ini, sets->common[i].line,
                             "mode = zip: %s has %zu alternatives, but %s at line %d has %zu",
                             sets->common[i].key, length_of(maker, i), first->key, first->line,
                             length_of(maker, 0));
    if (sets->common_count > 0 && sets->choice_count > 0 &&
        sets->choice_count != length_of(maker, 0))
        return ini_error(maker->error, sets->ini, sets->groups[0].line,
                         "mode = zip: there are %zu of [alternative], but %s at line %d has %zu "
                         "alternatives",
                         sets->choice_count, first->key, first->line, length_of(maker, 0));
    return STATUS_OK;
}

/* Appends a selection with the values of `like` (NULL: the first ones). */
static struct selection *add(struct maker *maker, const struct selection *like)
{
    assert(maker->made->count < maker->capacity);
    struct selection *fresh = &maker->made->items[maker->made->count++];
    size_t *values = fresh->values; /* is there already, all zero */
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

/* The k-th set (k < common_count) or, behind those, a choice. */
struct change {
    size_t set, value;
};

static void apply(const struct maker *maker, struct change change, struct selection *selection)
{
    if (change.set < maker->sets->common_count)
        selection->values[change.set] = change.value;
    else
        selection->choices[selection->choice_count++] = change.value;
}

/* Whether both change the same thing, so that they cannot be combined. */
static bool exclude(const struct maker *maker, struct change a, struct change b)
{
    const struct sweep_sets *sets = maker->sets;
    if (a.set != b.set)
        return false;
    return a.set < sets->common_count ||
           sets->choices[a.value].group == sets->choices[b.value].group;
}

/* The changes that can be made to the base, in file order; the result has room for all. */
static size_t list_changes(const struct maker *maker, struct change *changes)
{
    const struct sweep_sets *sets = maker->sets;
    size_t count = 0;
    for (size_t i = 0; i < sets->common_count; i++)
        for (size_t v = 1; sets->common[i].changes_program && v < length_of(maker, i); v++)
            changes[count++] = (struct change){i, v};
    for (size_t c = 0; c < sets->choice_count; c++)
        changes[count++] = (struct change){sets->common_count, c};
    return count;
}

/* All runs of one base. */
static void vary(struct maker *maker, const struct selection *base, const struct change *changes,
                 size_t count, bool pairs)
{
    size_t rest = NO_SELECTION;
    if (base_is_run(maker->sets, count > 0)) {
        rest = maker->made->count;
        add(maker, base);
    }
    size_t first = maker->made->count;
    for (size_t i = 0; i < count; i++)
        apply(maker, changes[i], add(maker, base));
    for (size_t i = 0; pairs && i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            if (exclude(maker, changes[i], changes[j]))
                continue;
            struct selection *both = add(maker, base);
            apply(maker, changes[i], both);
            apply(maker, changes[j], both);
            both->parts[0] = first + i;
            both->parts[1] = first + j;
            both->part_count = 2;
            both->rest = rest;
        }
}

/* Steps to the next combination of the sets outside of hypotheses; false after the last. */
static bool next_base(const struct maker *maker, size_t *values)
{
    for (size_t i = maker->sets->common_count; i-- > 0;) {
        if (maker->sets->common[i].changes_program)
            continue;
        if (++values[i] < length_of(maker, i))
            return true;
        values[i] = 0;
    }
    return false;
}

static enum status make_varied(struct maker *maker, bool pairs)
{
    struct arena *arena = maker->sets->ini->arena;
    size_t room = maker->sets->choice_count + 1;
    for (size_t i = 0; i < maker->sets->common_count; i++)
        room += length_of(maker, i);
    struct change *changes = arena_alloc_array(arena, room, sizeof *changes);
    struct selection base = {
        .values = arena_alloc_array(arena, maker->sets->common_count + 1, sizeof *base.values)};
    if (!changes || !base.values)
        return error_memory(maker->error, "the sweep");
    size_t count = list_changes(maker, changes);
    do
        vary(maker, &base, changes, count, pairs);
    while (next_base(maker, base.values));
    return STATUS_OK;
}

static void make_grid(struct maker *maker, size_t count)
{
    const struct sweep_sets *sets = maker->sets;
    for (size_t r = 0; r < count; r++) {
        struct selection *selection = add(maker, NULL);
        size_t rest = r;
        if (sets->choice_count > 0) {
            selection->choices[0] = rest % sets->choice_count;
            selection->choice_count = 1;
            rest /= sets->choice_count;
        }
        for (size_t i = sets->common_count; i-- > 0; rest /= length_of(maker, i))
            selection->values[i] = rest % length_of(maker, i);
    }
}

static void make_zip(struct maker *maker, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        struct selection *selection = add(maker, NULL);
        for (size_t i = 0; i < maker->sets->common_count; i++)
            selection->values[i] = r;
        selection->choices[0] = r;
        selection->choice_count = maker->sets->choice_count > 0;
    }
}

enum status selections_make(const struct sweep_sets *sets, enum sweep_mode mode, size_t limit,
                            struct selections *selections, struct error *error)
{
    struct maker maker = {.sets = sets, .made = selections, .limit = limit, .error = error};
    struct arena *arena = sets->ini->arena;
    *selections = (struct selections){0};
    enum status status = mode == SWEEP_ZIP ? check_lengths(&maker) : STATUS_OK;
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
