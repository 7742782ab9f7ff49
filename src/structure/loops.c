#include "structure/loops.h"

#include "base/map.h"
#include "base/sort.h"
#include "structure/loop_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Iterations that only sizes or tags show have this part of the rank's calls. */
static const double VALUES_EXPLAIN = 0.5;

/* If such a loop has this part of the calls, repetitions of two tell no others. */
static const double EXPLAINS_MOST = 0.9;

/* A long sequence is folded again only if folding leaves this part of it at most: calls in other
 * orders are not searched twice. */
static const double SHORTER = 0.9;

enum {
    FEWEST_VALUES = 8, /* iterations that only sizes or tags show */
    ROUNDS = 4,   /* of folding, while the sequences are together less than this times as long */
    FOLDED = 2,   /* as the calls, */
    SMALL = 4096, /* or this */
};

void rank_loops_clear(loop_list *loops)
{
    for (size_t i = 0; i < loops->count; i++)
        free(loops->items[i].begin);
    free(loops->items);
    memset(loops, 0, sizeof *loops);
}

/* Adds the loop whose iterations send messages of another size, or with another tag, each: larger
 * and larger, or smaller and smaller. Ranks may have different parts in it, as in a broadcast along
 * a ring whose root goes around. */
static void find_by_values(struct loop_search *f)
{
    const struct rank_calls *rank = f->all;
    f->rank = rank;
    for (int which = 0; which < 2 && !f->out_of_memory; which++) {
        const uint32_t *values = which == 0 ? rank->bytes : rank->tags;
        ARRAY(uint32_t) begin = {0};
        uint32_t last = 0, end = 0;
        int direction = 0;
        bool monotone = true;
        for (uint32_t c = 0; c < rank->count && monotone && !f->out_of_memory; c++) {
            if (values[c] == CALL_NO_VALUE)
                continue;
            end = c + 1;
            if (begin.count > 0 && values[c] == last)
                continue;
            const int step = begin.count == 0 ? 0 : values[c] > last ? 1 : -1;
            monotone = direction == 0 || step == direction;
            direction = step;
            last = values[c];
            f->out_of_memory = !array_push(&begin, c);
        }
        if (monotone && begin.count >= FEWEST_VALUES && !f->out_of_memory &&
            (double)(end - begin.items[0]) >= VALUES_EXPLAIN * (double)rank->count) {
            f->out_of_memory = !array_push(&begin, end);
            f->likeness = ALIKE_BY_VALUE;
            loop_keep(f, (struct loop){
                             .iterations = begin.count - 1,
                             .likeness = ALIKE_BY_VALUE,
                             .visits = begin.count - 1,
                             .nested = true,
                             .depth = callpath_depth(f->trace, call_path(f->rank, begin.items[0])),
                             .begin = begin.items});
        } else {
            free(begin.items);
        }
    }
}

/* Adds the loops of the sense before this one: no calls are alike in this sense only. */
static void copy_loops(struct loop_search *f)
{
    const size_t count = f->loops->count;
    for (size_t i = 0; i < count && !f->out_of_memory; i++) {
        struct loop copy = f->loops->items[i];
        const size_t size = (copy.iterations + 1 + copy.open) * sizeof *copy.begin;
        copy.likeness = f->likeness;
        copy.begin = malloc(size);
        f->out_of_memory = !copy.begin;
        if (!copy.begin)
            break;
        memcpy(copy.begin, f->loops->items[i].begin, size);
        loop_keep(f, copy);
    }
}

/* Adds the loops that were folded when `to` was made from the sequence, and that explain enough
 * calls: their iterations are exactly the same. */
static void add_folded_loops(struct loop_search *f, const struct sequence *to)
{
    const struct sequence *from = &f->sequence;
    size_t at = 0;
    for (size_t i = 0; i < to->count && !f->out_of_memory; i++) {
        const uint32_t calls = sequence_calls_at(to, i);
        if (to->what[i] < from->numbers ||
            (double)calls < EXPLAINED_BY_FEW * (double)f->rank->count)
            continue;
        const struct loop_body *body = &to->bodies[to->what[i] - to->calls];
        at = first_where(at, from->count, k, from->call[k] >= to->call[i]);
        const size_t end = first_where(at, from->count, k, from->call[k] >= to->call[i + 1]);
        const size_t n = (end - at) / body->length;
        if (n < FEWEST)
            continue;
        struct loop loop = {.iterations = n,
                            .visits = n,
                            .likeness = f->likeness,
                            .nested = body->nested,
                            .begin = malloc((n + 1) * sizeof *loop.begin)};
        f->out_of_memory = !loop.begin;
        if (f->out_of_memory)
            break;
        for (size_t k = 0; k <= n; k++)
            loop.begin[k] = from->call[at + k * body->length];
        if (loop_first_is_less(f, loop.begin, n))
            memmove(loop.begin, loop.begin + 1, loop.iterations-- * sizeof *loop.begin);
        loop.visits = loop.iterations;
        loop.depth = callpath_depth(f->trace, call_path(f->rank, loop.begin[0]));
        uint32_t inner_paths = 0;
        loop_begin_later(f, &loop);
        f->out_of_memory |= !loop_characterise(f, &loop, &inner_paths) ||
                            !shortened_calls_undo(&f->shortened, &loop.begin, &loop.iterations);
        loop_keep(f, loop);
    }
}

/* The number of iterations of the loop that was folded into the i-th symbol of `to`; 0 for others.
 */
static uint32_t folded_iterations(const struct sequence *from, const struct sequence *to, size_t i)
{
    if (to->what[i] < from->numbers)
        return 0;
    const size_t at = first_where((size_t)0, from->count, k, from->call[k] >= to->call[i]);
    const size_t end = first_where(at, from->count, k, from->call[k] >= to->call[i + 1]);
    return (uint32_t)(end - at) / to->bodies[to->what[i] - to->calls].length;
}

/* Whether each symbol from <= i < to is there several times. */
static bool all_recur(struct loop_search *f, const struct sequence *sequence, size_t from,
                      size_t to)
{
    struct map times = {0};
    size_t once = 0;
    for (size_t i = from; i < to && !f->out_of_memory; i++) {
        uint32_t *number = map_at(&times, sequence->what[i], 0);
        f->out_of_memory = !number;
        if (number && ++*number <= 2)
            once += *number == 1 ? 1 : SIZE_MAX;
    }
    map_clear(&times);
    return once == 0 && !f->out_of_memory;
}

/* Adds the loop whose iterations are the folded loops from <= i < to, of equally many iterations
 * each, if their bodies recur: sweeps in several directions, in blocks. */
static void add_loop_of_runs(struct loop_search *f, const struct sequence *sequence, size_t from,
                             size_t to)
{
    const size_t n = to - from;
    if (n < FEWEST ||
        (double)(sequence->call[to] - sequence->call[from]) <
            EXPLAINED_BY_FEW * (double)f->rank->count ||
        !all_recur(f, sequence, from, to))
        return;
    struct loop loop = {.iterations = n,
                        .visits = n,
                        .likeness = f->likeness,
                        .nested = true,
                        .single = true,
                        .begin = malloc((n + 1) * sizeof *loop.begin)};
    f->out_of_memory = !loop.begin;
    if (f->out_of_memory)
        return;
    memcpy(loop.begin, sequence->call + from, (n + 1) * sizeof *loop.begin);
    loop.depth = callpath_depth(f->trace, call_path(f->rank, loop.begin[0]));
    f->out_of_memory = !shortened_calls_undo(&f->shortened, &loop.begin, &loop.iterations);
    loop_keep(f, loop);
}

/* Adds such loops of all loops that were folded when `to` was made from the sequence. */
static void add_loops_of_runs(struct loop_search *f, const struct sequence *to)
{
    size_t from = 0;
    uint32_t before = 0;
    for (size_t i = 0; i <= to->count && !f->out_of_memory; i++) {
        const uint32_t times = i < to->count ? folded_iterations(&f->sequence, to, i) : 0;
        if (times == before && times > 1)
            continue;
        if (before > 1)
            add_loop_of_runs(f, to, from, i);
        from = i;
        before = times;
    }
}

/* Whether a loop whose iterations have much in common has most of the calls. */
static bool explains_most(const struct loop_search *f)
{
    for (size_t i = 0; i < f->loops->count; i++) {
        const struct loop *loop = &f->loops->items[i];
        if (loop->likeness == f->likeness && !loop->sparse && !loop->random &&
            (double)loop_call_count(loop) >= EXPLAINS_MOST * (double)f->all->count)
            return true;
    }
    return false;
}

/* Replaces the sequence by one in which repetitions of at least `least` iterations are folded, and
 * adds the loops that this finds, if `adds`. Returns whether it became shorter. */
static bool fold_again(struct loop_search *f, uint32_t least, bool adds)
{
    struct sequence next;
    const size_t before = f->sequence.count;
    if (!sequence_fold(&f->sequence, least, &next)) {
        f->out_of_memory = true;
        return false;
    }
    if (adds) {
        add_folded_loops(f, &next);
        add_loops_of_runs(f, &next);
    }
    sequence_clear(&f->sequence);
    f->sequence = next;
    return next.count < before &&
           (next.count <= SMALL || (double)next.count <= SHORTER * (double)before);
}

bool rank_loops_find(const struct trace *trace, const struct rank_calls *rank, loop_list *loops)
{
    struct loop_search f = {.trace = trace, .all = rank, .loops = loops};
    for (int l = 0; l < LIKENESSES && !f.out_of_memory; l++) {
        f.likeness = (enum likeness)l;
        f.pairs = false;
        if (l > 0 && rank->numbers[l] == rank->numbers[l - 1]) {
            if (l == ALIKE_IN_PARTNER)
                copy_loops(&f);
            continue;
        }
        f.out_of_memory = !rank_calls_shorten(rank, f.likeness, &f.shortened);
        f.rank = &f.shortened.rank;
        f.out_of_memory |= !sequence_begin(f.rank, f.likeness, &f.sequence) ||
                           !call_prediction_make(f.rank, &f.prediction);
        size_t searched = 0;
        for (int round = 0; round < ROUNDS && !f.out_of_memory; round++) {
            loop_heads_search(&f);
            searched += f.sequence.count;
            if (f.out_of_memory || round + 1 == ROUNDS || l == ALIKE_IN_PATH ||
                (searched > SMALL && searched >= FOLDED * f.rank->count))
                break;
            if (fold_again(&f, f.pairs ? 2 : 3, true))
                continue;
            if (f.pairs || f.sequence.count > SMALL || f.out_of_memory || explains_most(&f))
                break;
            f.pairs = true;
            round = 0;
            fold_again(&f, 2, false);
        }
        sequence_clear(&f.sequence);
        call_prediction_clear(&f.prediction);
    }
    shortened_calls_clear(&f.shortened);
    if (!f.out_of_memory)
        find_by_values(&f);
    return !f.out_of_memory;
}
