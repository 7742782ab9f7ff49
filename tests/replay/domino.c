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
    ck_assert_uint_eq(fast.path.count, naive.path.count);
    for (size_t i = 0; i < fast.path.count; i++) {
        ck_assert_uint_eq(fast.path.items[i].call.end, naive.path.items[i].call.end);
        ck_assert_int_eq(fast.path.items[i].last_time, naive.path.items[i].last_time);
        ck_assert_int_ge(fast.path.items[i].call.wait, analysis.critical->least_wait);
    }
    ck_assert_int_eq(evaluator_run(analysis.evaluator, NULL), ranks);
    ck_assert_int_eq(evaluator_last_time(analysis.evaluator), recorded);
    free(fast.path.items);
    free(naive.path.items);
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
    size_t count = domino.path.count, ends[count + 1], longest[count + 1];
    ck_assert_uint_gt(count, 0);
    for (size_t i = 0; i < count; i++)
        ends[i] = domino.path.items[i].call.end;
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
    free(domino.path.items);
    close_analysis(&analysis);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("domino");
    TCase *tests = tcase_create("domino");
    tcase_add_loop_test(tests, random_programs, 0, 60);
    tcase_add_test(tests, the_point_of_the_paper);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
