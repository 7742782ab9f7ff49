/* The domino path against its naive search, on random programs, and the paper's point: removing the
 * waits on the path helps more than removing the longest ones. */
#include "replay/model/domino.h"
#include "tests/check_tap.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_LIMIT = 4096 };

/* A program being made, with the time that every rank has in the recording. */
struct maker {
    struct equations equations;
    struct step steps[8][STEP_LIMIT];
    size_t counts[8];
    int64_t now[8];
    uint64_t seed;
};

static uint64_t random_below(struct maker *maker, uint64_t limit)
{
    maker->seed = maker->seed * 6364136223846793005u + 1442695040888963407u;
    return (maker->seed >> 33) % limit;
}

static void add(struct maker *maker, uint32_t rank, enum step_code code, uint32_t slot,
                int64_t time)
{
    maker->steps[rank][maker->counts[rank]++] =
        (struct step){.time = time, .slot = slot, .code = (uint8_t)code};
}

static void compute(struct maker *maker, uint32_t rank, int64_t ticks)
{
    maker->now[rank] += ticks;
}

/* The receiver waits until the message is there, 10 ticks after it was sent; both calls cost 1. */
static void message(struct maker *maker, uint32_t from, uint32_t to)
{
    uint32_t slot = maker->equations.slot_count++;
    int64_t arrival = maker->now[from] + 10, enter = maker->now[to];
    int64_t wait = arrival > enter ? arrival - enter : 0;
    add(maker, from, STEP_POST, slot, arrival);
    add(maker, to, STEP_WAIT, slot, -enter);
    add(maker, to, STEP_END, 0, -wait);
    maker->now[from] += 1;
    maker->now[to] += wait + 1;
}

static void barrier(struct maker *maker, uint32_t ranks)
{
    uint32_t instance = maker->equations.instance_count++;
    int64_t last = 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        last = maker->now[rank] > last ? maker->now[rank] : last;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        add(maker, rank, STEP_ARRIVE, instance, maker->now[rank]);
        add(maker, rank, STEP_AWAIT, instance, -maker->now[rank]);
        add(maker, rank, STEP_END, 0, maker->now[rank] - last);
        maker->now[rank] = last + 1;
    }
}

static void finish(struct maker *maker, uint32_t ranks)
{
    struct equations *equations = &maker->equations;
    equations->rank_count = ranks;
    equations->steps = malloc(ranks * sizeof maker->steps[0]);
    equations->first = calloc(ranks + 1, sizeof *equations->first);
    equations->first_end = calloc(ranks + 1, sizeof *equations->first_end);
    equations->last_event = calloc(ranks, sizeof *equations->last_event);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        size_t ends = 0;
        for (size_t i = 0; i < maker->counts[rank]; i++) {
            equations->steps[equations->first[rank] + i] = maker->steps[rank][i];
            ends += maker->steps[rank][i].code == STEP_END;
        }
        equations->first[rank + 1] = equations->first[rank] + maker->counts[rank];
        equations->first_end[rank + 1] = equations->first_end[rank] + ends;
        equations->last_event[rank] = maker->now[rank];
    }
}

/* A program, its equations and their evaluator. */
struct analysis {
    struct maker *maker;
    struct evaluator *evaluator;
    struct critical *critical;
};

static struct analysis open_analysis(struct maker *maker, uint32_t ranks)
{
    struct analysis analysis = {.maker = maker};
    finish(maker, ranks);
    ck_assert(evaluator_create(&maker->equations, &analysis.evaluator, NULL) == STATUS_OK);
    ck_assert(critical_create(&maker->equations, &analysis.critical, NULL) == STATUS_OK);
    critical_update(analysis.critical, analysis.evaluator);
    return analysis;
}

static void close_analysis(struct analysis *analysis)
{
    critical_destroy(analysis->critical);
    evaluator_destroy(analysis->evaluator);
    free(analysis->maker->equations.steps);
    free(analysis->maker->equations.first);
    free(analysis->maker->equations.first_end);
    free(analysis->maker->equations.last_event);
    free(analysis->maker);
}

static void make_random(struct maker *maker, uint32_t ranks)
{
    for (int round = 0; round < 60; round++) {
        for (uint32_t rank = 0; rank < ranks; rank++)
            compute(maker, rank, (int64_t)random_below(maker, 100));
        uint32_t from = (uint32_t)random_below(maker, ranks);
        message(maker, from, (from + 1 + (uint32_t)random_below(maker, ranks - 1)) % ranks);
        if (random_below(maker, 12) == 0)
            barrier(maker, ranks);
    }
}

/* Figure 3 of the paper, literally: the path from the last event of a rank, for calls that wait. It
 * starts with T = infinity, so a path may begin with a call whose wait gains nothing. Marks the
 * calls in `on_path`, and returns T. */
static int64_t figure_3(struct analysis *analysis, uint32_t rank, size_t limit, int64_t before,
                        bool *on_path)
{
    const struct equations *equations = &analysis->maker->equations;
    int64_t least = INT64_MAX;
    size_t best = SIZE_MAX;
    for (size_t end = equations->first_end[rank]; end < limit; end++) {
        struct waiting_call call = critical_call(analysis->critical, end);
        if (call.wait <= 0)
            continue;
        int64_t time = critical_without(analysis->critical, analysis->evaluator, &end, 1);
        if (time <= least) { /* of several the last one */
            least = time;
            best = end;
        }
    }
    if (best == SIZE_MAX || least > before || on_path[best])
        return before;
    on_path[best] = true;
    struct waiting_call call = critical_call(analysis->critical, best);
    return figure_3(analysis, call.other_rank, call.other_end, least, on_path);
}

/* The calls of all paths with the smallest T, which is returned. */
static int64_t figure_3_set(struct analysis *analysis, uint32_t ranks, bool *in_set, size_t ends)
{
    bool *on_path = calloc(ends * ranks + 1, sizeof *on_path);
    int64_t times[8], least = INT64_MAX;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        times[rank] = figure_3(analysis, rank, analysis->maker->equations.first_end[rank + 1],
                               INT64_MAX, on_path + rank * ends);
        least = times[rank] < least ? times[rank] : least;
    }
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (size_t end = 0; end < ends && times[rank] == least; end++)
            in_set[end] |= on_path[rank * ends + end];
    free(on_path);
    return least;
}

static void compare_with_figure_3(struct analysis *analysis, uint32_t ranks,
                                  const struct domino *found)
{
    size_t ends = analysis->maker->equations.first_end[ranks], count = 0;
    bool *in_set = calloc(ends + 1, sizeof *in_set);
    int64_t least = figure_3_set(analysis, ranks, in_set, ends);
    if (least < analysis->critical->last_time) {
        for (size_t end = 0; end < ends; end++)
            count += in_set[end];
        ck_assert_uint_eq(found->calls.count, count);
        for (size_t i = 0; i < found->calls.count; i++)
            ck_assert(in_set[found->calls.items[i].call.end]);
    } else { /* no wait alone has an effect */
        ck_assert_uint_eq(found->calls.count, 0);
    }
    free(in_set);
}

START_TEST(random_programs)
{
    uint32_t ranks = 2 + (uint32_t)_i % 6;
    struct maker *maker = calloc(1, sizeof *maker);
    struct domino fast = {0}, naive = {0};
    maker->seed = (uint64_t)_i * 77 + 1;
    make_random(maker, ranks);
    int64_t recorded = 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        recorded = maker->now[rank] > recorded ? maker->now[rank] : recorded;
    struct analysis analysis = open_analysis(maker, ranks);
    ck_assert_int_eq(analysis.critical->last_time, recorded);
    ck_assert_int_eq(analysis.critical->least_wait, 1);
    if (_i % 2 == 1)
        analysis.critical->least_wait = 60;
    ck_assert(domino_find(analysis.critical, analysis.evaluator, false, &fast, NULL) == STATUS_OK);
    ck_assert(domino_find(analysis.critical, analysis.evaluator, true, &naive, NULL) == STATUS_OK);
    ck_assert_uint_eq(fast.calls.count, naive.calls.count);
    for (size_t i = 0; i < fast.calls.count; i++) {
        ck_assert_uint_eq(fast.calls.items[i].call.end, naive.calls.items[i].call.end);
        ck_assert_int_eq(fast.calls.items[i].last_time, naive.calls.items[i].last_time);
        ck_assert_int_ge(fast.calls.items[i].call.wait, analysis.critical->least_wait);
    }
    if (analysis.critical->least_wait == 1)
        compare_with_figure_3(&analysis, ranks, &fast);
    ck_assert_int_eq(evaluator_run(analysis.evaluator, NULL), ranks);
    ck_assert_int_eq(evaluator_last_time(analysis.evaluator), recorded);
    free(fast.calls.items);
    free(naive.calls.items);
    close_analysis(&analysis);
}
END_TEST

/* Ranks 0 and 1 hand work to each other: each wait delays the next. Rank 2 waits seven times,
 * longer, for rank 3, which has nothing to do with them and is done early. */
START_TEST(the_point_of_the_paper)
{
    struct maker *maker = calloc(1, sizeof *maker);
    struct domino domino = {0};
    for (uint32_t i = 0; i < 7; i++) {
        compute(maker, i % 2, 1000);
        compute(maker, 1 - i % 2, 100);
        message(maker, i % 2, 1 - i % 2);
    }
    for (uint32_t i = 0; i < 7; i++) {
        compute(maker, 3, 1100);
        message(maker, 3, 2);
    }
    compute(maker, 0, 2000);
    compute(maker, 1, 2000);
    struct analysis analysis = open_analysis(maker, 4);
    ck_assert(domino_find(analysis.critical, analysis.evaluator, false, &domino, NULL) ==
              STATUS_OK);
    size_t count = domino.calls.count, ends[count + 1], longest[count + 1];
    ck_assert_uint_gt(count, 0);
    for (size_t i = 0; i < count; i++)
        ends[i] = domino.calls.items[i].call.end;
    ck_assert_uint_eq(longest_waits(analysis.critical, longest, count), count);
    analysis.critical->least_wait = 1000;
    size_t enough[99]; /* the seven of rank 2 */
    ck_assert_uint_eq(longest_waits(analysis.critical, enough, 99), 7);
    double whole = (double)analysis.critical->last_time;
    double by_path =
        whole - (double)critical_without(analysis.critical, analysis.evaluator, ends, count);
    double by_length =
        whole - (double)critical_without(analysis.critical, analysis.evaluator, longest, count);
    ck_assert_double_gt(by_path, 0.05 * whole);
    ck_assert_double_gt(by_path, 3 * by_length);
    free(domino.calls.items);
    close_analysis(&analysis);
}
END_TEST

/* Rank 0 works 1000 and sends to rank 1, which works 1000 and sends to rank 2: each waits for the
 * whole time before. Without the wait of rank 2, T is that of rank 1, 2012; without the wait of
 * rank 1, the message to rank 2 leaves at 1001 and arrives at 1011: T 1012. So there are two paths,
 * the call of rank 1, and that of rank 2 before it. Without both, rank 1 ends last, at 1002. The
 * chain again on ranks 3 to 5 makes no single wait matter. */
START_TEST(steps_by_hand)
{
    for (uint32_t chains = 1; chains <= 2; chains++) {
        struct maker *maker = calloc(1, sizeof *maker);
        struct domino domino = {0};
        struct domino_steps steps = {0};
        for (uint32_t i = 0; i < chains; i++)
            for (uint32_t rank = 3 * i; rank < 3 * i + 2; rank++) {
                compute(maker, rank, 1000);
                message(maker, rank, rank + 1);
            }
        struct analysis a = open_analysis(maker, 3 * chains);
        ck_assert_int_eq(a.critical->last_time, 2022); /* 1000 + 10 + 1 + 1000 + 10 + 1 */
        ck_assert(domino_find(a.critical, a.evaluator, false, &domino, NULL) == STATUS_OK);
        ck_assert_uint_eq(domino.calls.count, chains == 1 ? 2 : 0);
        ck_assert(domino_repeat(a.critical, a.evaluator, 0.001, &steps, NULL) == STATUS_OK);
        ck_assert_uint_eq(steps.list.count, chains == 1 ? 1 : 0);
        if (chains == 1) {
            ck_assert_uint_eq(domino.calls.items[0].call.rank, 2);
            ck_assert_int_eq(domino.calls.items[1].last_time, 1012);
            ck_assert_uint_eq(domino.path_count, 2);
            ck_assert_uint_eq(domino.first_count, 2); /* the longer one comes first */
            ck_assert_uint_eq(domino.calls.items[1].call.rank, 1);
            ck_assert_int_eq(domino.calls.items[0].last_time, 2012);
            ck_assert_int_eq(steps.list.items[0].last_time, 1002);
            ck_assert_uint_eq(steps.calls.count, 2);
        }
        ck_assert_int_eq(evaluator_run(a.evaluator, NULL), 3 * chains); /* nothing is changed */
        ck_assert_int_eq(evaluator_last_time(a.evaluator), 2022);
        free(domino.calls.items);
        free(steps.list.items);
        free(steps.calls.items);
        close_analysis(&a);
    }
}
END_TEST

/* A tie: rank 0 works 1000, rank 1 works 1000 after its message. Removing either of the two waits
 * on the way to rank 2, of 100 each, gains 100: the path continues from one to the other. */
START_TEST(continues_at_ties)
{
    struct maker *maker = calloc(1, sizeof *maker);
    struct domino domino = {0};
    compute(maker, 0, 1000);
    compute(maker, 1, 910);
    message(maker, 0, 1); /* arrives at 1010: a wait of 100 */
    compute(maker, 1, 1000);
    compute(maker, 2, 1921);
    message(maker, 1, 2); /* sent at 2011, arrives at 2021: a wait of 100 */
    struct analysis a = open_analysis(maker, 3);
    ck_assert_int_eq(a.critical->last_time, 2022);
    ck_assert(domino_find(a.critical, a.evaluator, false, &domino, NULL) == STATUS_OK);
    ck_assert_uint_eq(domino.calls.count, 2);
    ck_assert_uint_eq(domino.calls.items[0].call.rank + domino.calls.items[1].call.rank, 3);
    compare_with_figure_3(&a, 3, &domino);
    free(domino.calls.items);
    close_analysis(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("domino");
    TCase *tests = tcase_create("domino");
    tcase_add_loop_test(tests, random_programs, 0, 60);
    tcase_add_test(tests, the_point_of_the_paper);
    tcase_add_test(tests, steps_by_hand);
    tcase_add_test(tests, continues_at_ties);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
