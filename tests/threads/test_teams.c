/* The simulator of teams against closed forms, exact to the tick. */
#include "base/otf2_attributes.h"
#include "tests/check_tap.h"
#include "threads/team_costs.h"
#include "threads/team_program.h"

#include <check.h>
#include <stdlib.h>

enum { MOST_LANES = 128, MOST_STEPS = 8 };

static const uint32_t thread_counts[] = {4, 7, 16, 64, 128};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

static struct thread_step steps[MOST_LANES][MOST_STEPS];
static struct lane_program lanes[MOST_LANES];

static struct thread_step work(int64_t ticks)
{
    return (struct thread_step){.work = ticks, .turn = TURN_NONE};
}

static struct thread_step acting(enum step_kind kind, int64_t cost)
{
    return (struct thread_step){.kind = (uint8_t)kind, .cost = cost, .turn = TURN_NONE};
}

static void append(uint32_t lane, struct thread_step step)
{
    ck_assert_uint_lt(lanes[lane].count, MOST_STEPS);
    steps[lane][lanes[lane].count++] = step;
}

static struct team_program begin(uint32_t count)
{
    for (uint32_t l = 0; l < count; l++)
        lanes[l] = (struct lane_program){.steps = steps[l]};
    return (struct team_program){.lanes = lanes, .lane_count = count, .lock_count = 2};
}

/* The last lane's end. */
static int64_t length_of(struct team_program *program)
{
    int64_t end = 0;
    ck_assert(team_simulate(program));
    for (uint32_t l = 0; l < program->lane_count; l++)
        end = lanes[l].end > end ? lanes[l].end : end;
    return end;
}

START_TEST(serial_part_and_balanced_loop)
{
    /* Amdahl: the master works alone, then all on W; the barrier costs 3. */
    const uint32_t m = thread_counts[_i];
    const int64_t serial = 1000, W = 64 * 7 * 10000;
    struct team_program program = begin(m);
    append(0, work(serial));
    for (uint32_t l = 0; l < m; l++) {
        append(l, acting(STEP_BARRIER, 0));
        append(l, work(W / m));
        append(l, acting(STEP_BARRIER, 3));
    }
    ck_assert_int_eq(length_of(&program), serial + W / m + 3);
}
END_TEST

START_TEST(lock_in_order_of_arrival)
{
    /* All arrive at once: the sections follow each other. Lane l arrives l * gap after the first:
     * with gap >= c nobody waits. */
    const uint32_t m = thread_counts[_i];
    const int64_t w = 5000, c = 70;
    for (int64_t gap = 0; gap <= 2 * c; gap += c / 2) {
        struct team_program program = begin(m);
        for (uint32_t l = 0; l < m; l++) {
            append(l, work(w + gap * (int64_t)l));
            append(l, acting(STEP_ACQUIRE, 0));
            append(l, work(c));
            append(l, acting(STEP_RELEASE, 0));
        }
        const int64_t free = gap > c ? gap : c;
        ck_assert_int_eq(length_of(&program), w + free * (m - 1) + c);
        ck_assert_int_eq(lanes[0].end, w + c);
    }
}
END_TEST

START_TEST(chunks_with_a_lock)
{
    /* k iterations of work w and a section c, dealt to free lanes. Where the lock is the limit, the
     * sections follow each other without a gap: w + k c. Where k = m, each lane has one. */
    const uint32_t m = thread_counts[_i];
    enum { K = 256 };
    const int64_t w = 100, c = 50;
    struct thread_step body[] = {work(w), acting(STEP_ACQUIRE, 0), work(c),
                                 acting(STEP_RELEASE, 0)};
    static struct loop_chunk chunks[K];
    for (int k = 0; k < K; k++)
        chunks[k] = (struct loop_chunk){body, 4};
    struct team_loop loop = {.chunks = chunks, .chunk_count = K};
    struct team_program program = begin(m);
    program.loops = &loop;
    program.loop_count = 1;
    for (uint32_t l = 0; l < m; l++)
        append(l, acting(STEP_LOOP, 0));
    ck_assert_int_eq(length_of(&program), w + K * c);
    body[2].work = 0; /* without the section: k w / m */
    if (K % m == 0)
        ck_assert_int_eq(length_of(&program), w * K / m);
}
END_TEST

/* A loop of N iterations; iteration i takes i + 1 ticks. */
static int64_t triangular(uint32_t m, int64_t N, int64_t chunk, bool dealt)
{
    const uint32_t count = (uint32_t)((N + chunk - 1) / chunk);
    struct thread_step *body = calloc(count, sizeof *body);
    struct loop_chunk *chunks = calloc(count, sizeof *chunks);
    for (uint32_t k = 0; k < count; k++) {
        const int64_t first = k * chunk, end = first + chunk < N ? first + chunk : N;
        body[k] = work(end * (end + 1) / 2 - first * (first + 1) / 2);
        chunks[k] = (struct loop_chunk){&body[k], 1};
    }
    struct team_loop loop = {.chunks = chunks, .chunk_count = count, .dealt = dealt};
    struct team_program program = begin(m);
    program.loops = &loop;
    program.loop_count = 1;
    for (uint32_t l = 0; l < m; l++)
        append(l, acting(STEP_LOOP, 0));
    const int64_t length = length_of(&program);
    free(body);
    free(chunks);
    return length;
}

START_TEST(triangular_loop)
{
    const int64_t m = thread_counts[_i], b = 40, N = m * b;
    /* static: the last block; static,1: the last lane has N, N - m, ...: m b (b + 1) / 2;
     * dynamic,1: the lanes take the next iteration in turn, so the last lane has the same */
    ck_assert_int_eq(triangular((uint32_t)m, N, b, true),
                     N * (N + 1) / 2 - (N - b) * (N - b + 1) / 2);
    ck_assert_int_eq(triangular((uint32_t)m, N, 1, true), m * b * (b + 1) / 2);
    ck_assert_int_eq(triangular((uint32_t)m, N, 1, false), m * b * (b + 1) / 2);
}
END_TEST

START_TEST(dynamic_after_a_late_lane)
{
    /* Lane 0 comes 1000 late to 100 chunks of 10: two lanes have done them all by then. */
    struct thread_step body = work(10);
    struct loop_chunk chunks[100];
    for (int k = 0; k < 100; k++)
        chunks[k] = (struct loop_chunk){&body, 1};
    struct team_loop loop = {.chunks = chunks, .chunk_count = 100, .cost = 2};
    struct team_program program = begin(3);
    program.loops = &loop;
    program.loop_count = 1;
    append(0, work(1000));
    for (uint32_t l = 0; l < 3; l++)
        append(l, acting(STEP_LOOP, 0));
    ck_assert_int_eq(length_of(&program), 1000);
    ck_assert_int_eq(lanes[1].end, 50 * 12);
    ck_assert_int_eq(lanes[2].end, 50 * 12);
}
END_TEST

START_TEST(ordered_turns)
{
    /* The second lane has the first turn. */
    struct team_program program = begin(2);
    for (uint32_t l = 0; l < 2; l++) {
        append(l, work(l == 0 ? 5 : 50));
        append(l, acting(STEP_ACQUIRE, 1));
        steps[l][1].turn = 1 - l;
        append(l, work(10));
        append(l, acting(STEP_RELEASE, 0));
    }
    ck_assert_int_eq(length_of(&program), 50 + 1 + 10 + 1 + 10);
    ck_assert_int_eq(lanes[1].end, 61);
}
END_TEST

static struct thread_step bound_work(int64_t ticks, float share)
{
    struct thread_step step = work(ticks);
    step.share = share;
    return step;
}

START_TEST(equal_works_share_the_bandwidth)
{
    /* m threads with share 1/2: as fast as alone up to two threads, then m / 2 times as long. Work
     * that needs no bandwidth, before it and after, keeps its length. */
    const uint32_t m = thread_counts[_i];
    const int64_t w = 10000;
    struct team_program program = begin(m);
    for (uint32_t l = 0; l < m; l++) {
        lanes[l].begin = (int64_t)1 << 60;
        append(l, work(70));
        append(l, bound_work(w, 0.5F));
        append(l, work(30));
        append(l, acting(STEP_BARRIER, 3));
    }
    ck_assert_int_eq(length_of(&program) - lanes[0].begin, 70 + w * m / 2 + 30 + 3);
    program.lane_count = 2;
    ck_assert_int_eq(length_of(&program) - lanes[0].begin, 70 + w + 30 + 3);
}
END_TEST

START_TEST(unequal_works_share_the_bandwidth)
{
    /* Works a <= b that start together, s = 2 f: s a, and s a + (b - a). The second lane runs the
     * same if its work consists of many steps. */
    const int64_t a = 1000, b = 2500;
    struct team_program program = begin(2);
    append(0, bound_work(a, 0.75F));
    for (int i = 0; i < 5; i++)
        append(1, bound_work(b / 5, 0.75F));
    ck_assert_int_eq(length_of(&program), 3 * a / 2 + b - a);
    ck_assert_int_eq(lanes[0].end, 3 * a / 2);
}
END_TEST

START_TEST(chunks_share_the_bandwidth)
{
    /* Free lanes take chunks; each needs the whole bandwidth, so more lanes gain nothing. */
    const uint32_t m = thread_counts[_i];
    struct thread_step body = bound_work(10, 1);
    struct loop_chunk chunks[128 * 7];
    for (uint32_t k = 0; k < m * 7; k++)
        chunks[k] = (struct loop_chunk){&body, 1};
    struct team_loop loop = {.chunks = chunks, .chunk_count = m * 7};
    struct team_program program = begin(m);
    program.loops = &loop;
    program.loop_count = 1;
    for (uint32_t l = 0; l < m; l++)
        append(l, acting(STEP_LOOP, 0));
    ck_assert_int_eq(length_of(&program), 10 * 7 * (int64_t)m);
}
END_TEST

START_TEST(damaged_teams_end)
{
    /* A lock that is never released; a barrier that one lane does not reach. */
    struct team_program program = begin(3);
    for (uint32_t l = 0; l < 3; l++) {
        append(l, acting(STEP_ACQUIRE, 0));
        append(l, work(10));
        if (l > 0)
            append(l, acting(STEP_BARRIER, 0));
    }
    ck_assert_int_eq(length_of(&program), 10);
}
END_TEST

static struct team_costs costs_in(char *text)
{
    struct property property = {.name = SILAS_PROPERTY_TEAM_COSTS, .value = text};
    const struct definitions definitions = {
        .ticks_per_second = 2000000000, .properties = &property, .property_count = 1};
    return team_costs_read(&definitions);
}

/* Times in the archive are ns, here of two ticks. */
START_TEST(costs_between_and_beyond_the_measured_ones)
{
    char text[] = "100:1100 2:10:20:30:110:220:330 4:30:60:50:130:260:350";
    const struct team_costs costs = costs_in(text);
    struct team_cost cost;
    ck_assert_uint_eq(costs.count, 2);
    cost = team_cost_of(&costs, 1, 200);
    ck_assert(cost.wake == 0 && cost.start == 0 && cost.join == 0);
    cost = team_cost_of(&costs, 2, 0);
    ck_assert(cost.wake == 20 && cost.start == 40 && cost.join == 60);
    cost = team_cost_of(&costs, 3, 200);
    ck_assert(cost.wake == 40 && cost.start == 80 && cost.join == 80);
    cost = team_cost_of(&costs, 7, 200); /* twice as many workers as with 4 */
    ck_assert(cost.wake == 120 && cost.start == 240 && cost.join == 200);
    cost = team_cost_of(&costs, 2, 1200); /* half way between the gaps */
    ck_assert(cost.wake == 120 && cost.start == 240 && cost.join == 360);
    cost = team_cost_of(&costs, 4, 1000000);
    ck_assert(cost.wake == 260 && cost.start == 520 && cost.join == 700);
}
END_TEST

/* Archives of other versions have another number of times without a team. */
START_TEST(costs_at_other_gaps)
{
    char one[] = "100 2:10:20:30", three[] = "10:100:1100 2:1:2:3:10:20:30:110:220:330";
    struct team_costs costs = costs_in(one);
    ck_assert_int_eq(team_cost_of(&costs, 2, 0).wake, 20);
    ck_assert_int_eq(team_cost_of(&costs, 2, 1000000).wake, 20);
    costs = costs_in(three);
    ck_assert_int_eq(team_cost_of(&costs, 2, 5).wake, 2);
    ck_assert_int_eq(team_cost_of(&costs, 2, 110).wake, 11); /* half way from 10 to 100 ns */
    ck_assert_int_eq(team_cost_of(&costs, 2, 1200).wake, 120);
    ck_assert_int_eq(team_cost_of(&costs, 2, 3000).wake, 220);
}
END_TEST

START_TEST(damaged_costs)
{
    char texts[][64] = {"",
                        "100",
                        "100:1100 2:10:20",
                        "100:1100 2:1:2:3:4:5:6 2:1:2:3:4:5:6",
                        "x:y",
                        "100:100 2:1:2:3:4:5:6",
                        "1:2:3:4:5 2:1:2:3",
                        "100:1100 2:1:2:3:4:5:6:7",
                        "100:1100 2:1:2:3:4:5:-6"};
    const uint32_t counts[] = {0, 0, 0, 1, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ck_assert_uint_eq(costs_in(texts[i]).count, counts[i]);
    const struct team_costs none = costs_in(texts[0]);
    ck_assert_int_eq(team_cost_of(&none, 8, 100).wake, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("teams");
    TCase *tests = tcase_create("simulator");
    tcase_add_loop_test(tests, serial_part_and_balanced_loop, 0, THREAD_COUNTS);
    tcase_add_loop_test(tests, lock_in_order_of_arrival, 0, THREAD_COUNTS);
    tcase_add_loop_test(tests, chunks_with_a_lock, 0, THREAD_COUNTS);
    tcase_add_loop_test(tests, triangular_loop, 0, THREAD_COUNTS);
    tcase_add_test(tests, dynamic_after_a_late_lane);
    tcase_add_test(tests, ordered_turns);
    tcase_add_loop_test(tests, equal_works_share_the_bandwidth, 0, THREAD_COUNTS);
    tcase_add_test(tests, unequal_works_share_the_bandwidth);
    tcase_add_loop_test(tests, chunks_share_the_bandwidth, 0, THREAD_COUNTS);
    tcase_add_test(tests, damaged_teams_end);
    tcase_add_test(tests, costs_between_and_beyond_the_measured_ones);
    tcase_add_test(tests, costs_at_other_gaps);
    tcase_add_test(tests, damaged_costs);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
