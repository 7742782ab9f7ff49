/* T as a function of the latency, against evaluating the program again at many latencies: random
 * programs of messages, collective operations and prefix reductions, to the tick. And the envelopes
 * alone, against all of their lines. */
#include "replay/model/evaluate.h"
#include "replay/model/parametric.h"
#include "tests/check_tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 5, STEPS = 2000, ROUNDS = 50 };

struct maker {
    struct equations equations;
    struct step steps[RANKS][STEPS];
    struct growth growth[RANKS][STEPS];
    size_t counts[RANKS];
    int64_t now[RANKS];
    uint64_t seed;
};

static int64_t random_below(struct maker *maker, int64_t limit)
{
    maker->seed = maker->seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((maker->seed >> 33) % (uint64_t)limit);
}

static void add(struct maker *maker, uint32_t rank, enum step_code code, uint32_t slot,
                int64_t time, int64_t slope, int64_t floor)
{
    size_t i = maker->counts[rank]++;
    maker->steps[rank][i] =
        (struct step){.time = time > floor ? time : floor, .slot = slot, .code = (uint8_t)code};
    maker->growth[rank][i] =
        (struct growth){.time = time, .floor = floor, .slope = (uint32_t)slope};
}

/* A call that is left `late` ticks after the arrivals that it waits for, of which some are
 * latencies. */
static void end(struct maker *maker, uint32_t rank)
{
    int64_t length = 5 + random_below(maker, 60);
    add(maker, rank, STEP_END, 0, random_below(maker, 40) - length, random_below(maker, 4),
        -length);
}

static void message(struct maker *maker, uint32_t from, uint32_t to)
{
    uint32_t slot = maker->equations.slot_count++;
    add(maker, from, STEP_POST, slot, maker->now[from] + random_below(maker, 30),
        1 + random_below(maker, 2), INT64_MIN);
    add(maker, to, STEP_WAIT, slot, -maker->now[to], 0, INT64_MIN);
    end(maker, to);
}

static void meeting(struct maker *maker)
{
    uint32_t instance = maker->equations.instance_count++;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        add(maker, rank, STEP_ARRIVE, instance, maker->now[rank], 0, INT64_MIN);
        add(maker, rank, STEP_AWAIT, instance, -maker->now[rank], 0, INT64_MIN);
        end(maker, rank);
    }
}

static void prefix_reduction(struct maker *maker)
{
    uint32_t first = maker->equations.slot_count;
    maker->equations.slot_count += 2 * RANKS + 2;
    add(maker, 0, STEP_POST, first, -((int64_t)1 << 62), 0, INT64_MIN);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        uint32_t arrival = first + 1 + 2 * rank;
        add(maker, rank, STEP_POST_SCAN, arrival, maker->now[rank], 0, INT64_MIN);
        add(maker, rank, STEP_WAIT, arrival + 1, -maker->now[rank], 0, INT64_MIN);
        end(maker, rank);
    }
}

static void make_random(struct maker *maker)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t rank = 0; rank < RANKS; rank++)
            maker->now[rank] += random_below(maker, 200);
        uint32_t from = (uint32_t)random_below(maker, RANKS);
        message(maker, from, (from + 1 + (uint32_t)random_below(maker, RANKS - 1)) % RANKS);
        if (random_below(maker, 10) == 0)
            meeting(maker);
        if (random_below(maker, 15) == 0)
            prefix_reduction(maker);
    }
}

static void finish(struct maker *maker)
{
    struct equations *equations = &maker->equations;
    size_t at = 0;
    equations->rank_count = RANKS;
    equations->steps = malloc(sizeof maker->steps);
    equations->growth = malloc(sizeof maker->growth);
    equations->first = calloc(RANKS + 1, sizeof *equations->first);
    equations->first_end = calloc(RANKS + 1, sizeof *equations->first_end);
    equations->last_event = calloc(RANKS, sizeof *equations->last_event);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        memcpy(equations->steps + at, maker->steps[rank],
               maker->counts[rank] * sizeof(struct step));
        memcpy(equations->growth + at, maker->growth[rank],
               maker->counts[rank] * sizeof(struct growth));
        at += maker->counts[rank];
        equations->first[rank + 1] = at;
        equations->last_event[rank] = maker->now[rank];
    }
}

static void clear(struct maker *maker)
{
    free(maker->equations.steps);
    free(maker->equations.growth);
    free(maker->equations.first);
    free(maker->equations.first_end);
    free(maker->equations.last_event);
    free(maker);
}

/* T when the latency is x ticks longer, by evaluating the program anew. */
static int64_t evaluate_at(struct maker *maker, int64_t x)
{
    struct equations *equations = &maker->equations;
    struct evaluator *evaluator;
    for (size_t i = 0; i < equations->first[RANKS]; i++) {
        int64_t time = equations->growth[i].time + (int64_t)equations->growth[i].slope * x;
        equations->steps[i].time =
            time > equations->growth[i].floor ? time : equations->growth[i].floor;
    }
    ck_assert(evaluator_create(equations, &evaluator, NULL) == STATUS_OK);
    ck_assert_uint_eq(evaluator_run(evaluator, NULL), RANKS);
    int64_t last = evaluator_last_time(evaluator);
    evaluator_destroy(evaluator);
    return last;
}

static double pieces_at(const struct latency_pieces *pieces, double x)
{
    struct straight line = pieces->lines[latency_piece_at(pieces, x)];
    return (double)line.value + (double)line.slope * x;
}

START_TEST(random_programs)
{
    struct maker *maker = calloc(1, sizeof *maker);
    struct latency_pieces pieces;
    maker->seed = (uint64_t)_i * 91 + 3;
    make_random(maker);
    finish(maker);
    struct envelope_range range = {-25, 3000};
    ck_assert(parametric_evaluate(&maker->equations, range, &pieces, NULL) == STATUS_OK);
    ck_assert_uint_gt(pieces.count, 1);
    for (size_t i = 0; i + 1 < pieces.count; i++) {
        ck_assert_int_lt(pieces.lines[i].slope, pieces.lines[i + 1].slope);
        ck_assert_double_lt(pieces.starts[i], pieces.starts[i + 1]);
    }
    for (int64_t x = range.low; x <= range.high; x += x < 100 ? 1 : 37)
        ck_assert_double_eq(pieces_at(&pieces, (double)x), (double)evaluate_at(maker, x));
    latency_pieces_clear(&pieces);
    clear(maker);
}
END_TEST

START_TEST(tolerance_is_where_time_has_grown)
{
    struct maker *maker = calloc(1, sizeof *maker);
    struct latency_pieces pieces;
    maker->seed = (uint64_t)_i * 13 + 5;
    make_random(maker);
    finish(maker);
    double time = (double)evaluate_at(maker, 0);
    ck_assert(parametric_tolerance(&maker->equations, 20, 0.05, &pieces, NULL) == STATUS_OK);
    ck_assert_int_eq(pieces.range.low, -20);
    for (double share = 0.01; share < 0.055; share += 0.02) {
        double x = latency_reaching(&pieces, time * (1 + share));
        ck_assert(isfinite(x));
        ck_assert_double_ge((double)evaluate_at(maker, (int64_t)ceil(x)),
                            time * (1 + share) - 1e-6);
        if (x >= 1)
            ck_assert_double_lt((double)evaluate_at(maker, (int64_t)ceil(x) - 1),
                                time * (1 + share) + 1e-6);
    }
    ck_assert_double_eq(latency_reaching(&pieces, time), 0);
    latency_pieces_clear(&pieces);
    clear(maker);
}
END_TEST

START_TEST(envelopes_are_the_largest_line)
{
    struct maker *maker = calloc(1, sizeof *maker); /* for its numbers */
    struct envelope_range range = {-10, 50};
    struct envelopes envelopes;
    ck_assert(envelopes_open(&envelopes, range));
    maker->seed = (uint64_t)_i;
    for (int round = 0; round < 100; round++) {
        struct straight lines[12];
        struct envelope sum = {0};
        int count = 1 + (int)random_below(maker, 12);
        for (int i = 0; i < count; i++) {
            lines[i] = (struct straight){random_below(maker, 100), random_below(maker, 8)};
            struct envelope one = envelope_plus(envelope_zero(), lines[i]);
            if (i == 0)
                sum = one;
            else
                ck_assert(envelope_max(&envelopes, &sum, &one, &sum));
        }
        for (int64_t x = range.low; x <= range.high; x++) {
            int64_t largest = INT64_MIN;
            for (int i = 0; i < count; i++)
                if (lines[i].value + lines[i].slope * x > largest)
                    largest = lines[i].value + lines[i].slope * x;
            ck_assert_int_eq(envelope_at(&sum, x), largest);
        }
        for (size_t i = 1; i < sum.count; i++) /* no line that is never the largest */
            ck_assert_int_lt(envelope_line(&sum, i - 1).slope, envelope_line(&sum, i).slope);
    }
    envelopes_close(&envelopes);
    free(maker);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("latency");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, envelopes_are_the_largest_line, 0, 5);
    tcase_add_loop_test(tests, random_programs, 0, 30);
    tcase_add_loop_test(tests, tolerance_is_where_time_has_grown, 0, 10);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
