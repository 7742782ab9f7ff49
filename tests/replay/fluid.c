/* Computation that shares bandwidth, against closed forms. */
#include "replay/model/fluid.h"
#include "tests/check_tap.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, MOST = 32 };

/* Ranks that each compute in pieces, with gaps between them in which they need no bandwidth. */
struct program {
    struct fluid_piece pieces[MOST];
    size_t first[RANKS + 1];
    uint32_t domains[RANKS];
    struct step steps[2 * MOST];
    size_t first_step[RANKS + 1], first_end[RANKS + 1];
    int64_t last_event[RANKS];
    struct fluid fluid;
    struct equations equations;
    size_t pieces_count, steps_count;
};

static void begin(struct program *program)
{
    memset(program, 0, sizeof *program);
    program->fluid = (struct fluid){.pieces = program->pieces,
                                    .first = program->first,
                                    .domains = program->domains,
                                    .domain_count = 1};
}

static void add_rank(struct program *program)
{
    uint32_t rank = program->fluid.rank_count++;
    program->first[rank + 1] = program->first[rank];
    program->first_step[rank + 1] = program->first_step[rank];
}

static void add_step(struct program *program, enum step_code code, uint32_t slot, int64_t time)
{
    program->steps[program->steps_count++] =
        (struct step){.time = time, .slot = slot, .code = (uint8_t)code};
    program->first_step[program->fluid.rank_count] = program->steps_count;
}

/* A piece of the last rank, with the length that it would have alone. */
static void add_piece(struct program *program, int64_t begins, int64_t length, double share)
{
    uint32_t rank = program->fluid.rank_count - 1;
    program->pieces[program->pieces_count++] = (struct fluid_piece){
        .begin = begins, .length = length, .work = (double)length, .share = share};
    program->first[rank + 1] = program->pieces_count;
    program->last_event[rank] = begins + length;
    add_step(program, STEP_SHARED, 0, begins);
}

static int64_t solve(struct program *program, int64_t *lengths)
{
    uint32_t stuck = 0;
    int64_t last = 0;
    struct error error;
    program->equations = (struct equations){.steps = program->steps,
                                            .first = program->first_step,
                                            .first_end = program->first_end,
                                            .last_event = program->last_event,
                                            .rank_count = program->fluid.rank_count,
                                            .slot_count = program->equations.slot_count};
    ck_assert_int_eq(
        fluid_solve(&program->fluid, &program->equations, lengths, &stuck, &last, &error),
        STATUS_OK);
    ck_assert_uint_eq(stuck, program->fluid.rank_count);
    return last;
}

/* Two ranks that need `share` each are slowed down by max(1, 2 share) while both run. One has 1,000
 * to do, the other 3,000: the first takes 1,000 s, the second 1,000 s + 2,000. */
START_TEST(two_ranks)
{
    static const double shares[] = {0.3, 0.5, 0.75, 0.9, 1};
    static struct program program;
    int64_t lengths[MOST];
    double slowdown = fluid_slowdown(2 * shares[_i]);
    begin(&program);
    add_rank(&program);
    add_piece(&program, 0, 1000, shares[_i]);
    add_rank(&program);
    add_piece(&program, 0, 3000, shares[_i]);
    int64_t last = solve(&program, lengths);
    ck_assert_int_eq(lengths[0], (int64_t)(1000 * slowdown + 0.5));
    ck_assert_int_eq(lengths[1], (int64_t)(1000 * slowdown + 2000 + 0.5));
    ck_assert_int_eq(last, lengths[1]);
}
END_TEST

/* The second rank begins when the first has done 400 of 1,000; both need all of the bandwidth. The
 * first then takes 600 x 2 more; the second has done 600 by then, and has 200 left alone. */
START_TEST(later_begin)
{
    static struct program program;
    int64_t lengths[MOST];
    begin(&program);
    add_rank(&program);
    add_piece(&program, 0, 1000, 1);
    add_rank(&program);
    add_piece(&program, 400, 800, 1);
    ck_assert_int_eq(solve(&program, lengths), 1800);
    ck_assert_int_eq(lengths[0], 1600);
    ck_assert_int_eq(lengths[1], 1400);
}
END_TEST

/* A rank alone in its domain is not slowed down, nor is one by computation that needs nothing. */
START_TEST(apart)
{
    static struct program program;
    int64_t lengths[MOST];
    begin(&program);
    for (uint32_t rank = 0; rank < 3; rank++) {
        add_rank(&program);
        add_piece(&program, 0, 1000 + rank, rank == 2 ? 0 : 1);
    }
    program.domains[1] = 1;
    program.fluid.domain_count = 2;
    solve(&program, lengths);
    for (int rank = 0; rank < 3; rank++)
        ck_assert_int_eq(lengths[rank], 1000 + rank);
}
END_TEST

/* A message makes the second rank begin when the first has ended: they never meet. Without it they
 * take twice as long, and nothing is gained. */
START_TEST(chain)
{
    static struct program program;
    int64_t lengths[MOST];
    for (int chained = 0; chained < 2; chained++) {
        begin(&program);
        program.equations.slot_count = 1;
        add_rank(&program);
        add_piece(&program, 0, 1000, 1);
        add_step(&program, STEP_POST, 0, 1000);
        add_rank(&program);
        if (chained) {
            add_step(&program, STEP_WAIT, 0, -10); /* posted at R = 0, received at R = 10 */
            add_piece(&program, 10, 1000, 1);
        } else {
            add_piece(&program, 0, 1000, 1);
        }
        ck_assert_int_eq(solve(&program, lengths), 2000);
        ck_assert_int_eq(lengths[1], chained ? 1000 : 2000);
    }
}
END_TEST

/* What a solution says is what its recording would say: from its lengths follows the work, whatever
 * the shares, and whoever runs when. */
START_TEST(there_and_back)
{
    static struct program program, recorded;
    int64_t lengths[MOST], again[MOST];
    double works[MOST];
    uint64_t seed = (uint64_t)_i * 1234567 + 1;
    begin(&program);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        int64_t time = 0;
        add_rank(&program);
        for (int p = 0; p < 6; p++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            int64_t gap = (int64_t)(seed >> 33) % 1000, length = (int64_t)(seed >> 40) % 5000 + 1;
            add_piece(&program, time + gap, length, (double)((seed >> 20) % 101) / 100);
            time += gap + length;
        }
        program.domains[rank] = rank % 2;
    }
    program.fluid.domain_count = 2;
    solve(&program, lengths);

    recorded = program;
    recorded.fluid.pieces = recorded.pieces;
    recorded.fluid.first = recorded.first;
    recorded.fluid.domains = recorded.domains;
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (size_t p = program.first[rank], shift = 0; p < program.first[rank + 1]; p++) {
            recorded.pieces[p].begin += (int64_t)shift;
            recorded.pieces[p].length = lengths[p];
            shift += (size_t)(lengths[p] - program.pieces[p].length);
        }
    struct fluid_history *history;
    ck_assert_int_eq(fluid_history_create(&recorded.fluid, &history, NULL), STATUS_OK);
    fluid_history_works(history, works);
    fluid_history_destroy(history);
    for (size_t p = 0; p < program.pieces_count; p++) {
        ck_assert_double_eq_tol(works[p], program.pieces[p].work, 12); /* ends are whole ticks */
        program.pieces[p].work = works[p];
    }
    /* with the exact work, each length comes out to the tick */
    solve(&program, again);
    for (size_t p = 0; p < program.pieces_count; p++)
        ck_assert_int_eq(again[p], lengths[p]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fluid");
    TCase *tests = tcase_create("fluid");
    tcase_add_loop_test(tests, two_ranks, 0, 5);
    tcase_add_test(tests, later_begin);
    tcase_add_test(tests, apart);
    tcase_add_test(tests, chain);
    tcase_add_loop_test(tests, there_and_back, 0, 20);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
