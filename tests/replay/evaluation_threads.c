/* Evaluations of the model with several threads equal those with one thread, to the tick: random
 * programs with messages, collective operations of all and of some ranks, and ranks that wait for
 * each other forever. */
#include "replay/model/evaluate.h"

#include "tests/check_tap.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 40, MOST_STEPS = 4000, INSTANCES = 60, SLOTS = 20000 };

static unsigned state;

static unsigned draw(unsigned below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

struct program {
    struct equations equations;
    struct step steps[RANKS][MOST_STEPS];
    size_t counts[RANKS];
};

static void add(struct program *program, uint32_t rank, enum step_code code, uint32_t slot,
                int64_t time)
{
    program->steps[rank][program->counts[rank]++] =
        (struct step){.time = time, .slot = slot, .code = (uint8_t)code};
}

/* In an order in which it can run; then steps are exchanged if it shall not. */
static void make(struct program *program, unsigned rounds, bool spoil)
{
    struct equations *equations = &program->equations;
    uint32_t slots = 0, instances = 0;
    memset(program, 0, sizeof *program);
    for (unsigned round = 0; round < rounds; round++) {
        const unsigned kind = draw(10);
        if (kind == 0 && instances < INSTANCES) { /* some arrive, others wait */
            const unsigned all = draw(2);
            for (uint32_t rank = 0; rank < RANKS; rank++)
                if (all || draw(3) == 0)
                    add(program, rank, STEP_ARRIVE, instances, draw(1000));
            for (uint32_t rank = 0; rank < RANKS; rank++)
                if (all || draw(2) == 0)
                    add(program, rank, STEP_AWAIT, instances, (int64_t)draw(1000) - 900);
            instances++;
        } else {
            const uint32_t from = draw(RANKS), to = draw(RANKS);
            add(program, from, STEP_POST, slots, draw(1000));
            add(program, to, STEP_WAIT, slots++, (int64_t)draw(1000) - 500);
            add(program, to, STEP_END, 0, (int64_t)draw(100) - 50);
        }
    }
    for (uint32_t rank = 0; spoil && rank < RANKS; rank += 7)
        if (program->counts[rank] > 10) {
            struct step *steps = program->steps[rank], kept = steps[2];
            steps[2] = steps[program->counts[rank] - 1];
            steps[program->counts[rank] - 1] = kept;
        }
    equations->rank_count = RANKS;
    equations->slot_count = slots;
    equations->instance_count = instances;
    equations->first = calloc(RANKS + 1, sizeof *equations->first);
    equations->first_end = calloc(RANKS + 1, sizeof *equations->first_end);
    equations->last_event = calloc(RANKS + 1, sizeof *equations->last_event);
    equations->steps = calloc((size_t)RANKS * MOST_STEPS, sizeof *equations->steps);
    size_t at = 0, ends = 0;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        equations->first[rank] = at;
        equations->first_end[rank] = ends;
        for (size_t i = 0; i < program->counts[rank]; i++) {
            equations->steps[at++] = program->steps[rank][i];
            ends += program->steps[rank][i].code == STEP_END;
        }
    }
    equations->first[RANKS] = at;
    equations->first_end[RANKS] = ends;
}

static void clear(struct program *program)
{
    free(program->equations.steps);
    free(program->equations.first);
    free(program->equations.first_end);
    free(program->equations.last_event);
}

static void compare(struct program *program, int threads)
{
    struct equations *equations = &program->equations;
    const size_t size = (equations->first_end[RANKS] + 1) * sizeof(int64_t);
    int64_t *alone = calloc(1, size), *together = calloc(1, size);
    struct evaluator *one, *several;
    ck_assert_int_eq(evaluator_create(equations, &one, NULL), STATUS_OK);
    const uint32_t stuck = evaluator_run(one, alone);
    ck_assert_int_eq(evaluator_create(equations, &several, NULL), STATUS_OK);
    ck_assert_int_eq(evaluator_use_threads(several, equations, threads), threads);
    for (int run = 0; run < 2; run++) {
        memset(together, 0, size);
        ck_assert_uint_eq(evaluator_run(several, together), stuck);
        ck_assert_int_eq(memcmp(alone, together, size), 0);
        ck_assert_int_eq(evaluator_last_time(several), evaluator_last_time(one));
        for (uint32_t rank = 0; rank < RANKS; rank++)
            ck_assert_uint_eq(evaluator_steps_done(several, rank), evaluator_steps_done(one, rank));
    }
    evaluator_destroy(one);
    evaluator_destroy(several);
    free(alone);
    free(together);
}

static struct program program;

START_TEST(as_with_one_thread)
{
    for (unsigned seed = 1; seed < 4000; seed += 131) {
        state = seed;
        make(&program, 200 + draw(3000), draw(3) == 0);
        compare(&program, 2 + (int)draw(4));
        clear(&program);
    }
}
END_TEST

/* More news at once than a queue has room for, in both directions. */
START_TEST(queues_run_full)
{
    memset(&program, 0, sizeof program);
    make(&program, 0, false);
    struct equations *equations = &program.equations;
    equations->slot_count = SLOTS;
    size_t at = 0;
    for (uint32_t rank = 0; rank < RANKS; rank++) { /* every rank sends to the other half first */
        equations->first[rank] = at;
        for (uint32_t i = 0; i < 300; i++)
            equations->steps[at++] = (struct step){
                .time = i, .slot = (rank + RANKS / 2) % RANKS * 300 + i, .code = STEP_POST};
        for (uint32_t i = 0; i < 300; i++)
            equations->steps[at++] =
                (struct step){.time = 5, .slot = rank * 300 + i, .code = STEP_WAIT};
    }
    equations->first[RANKS] = at;
    compare(&program, 2);
    clear(&program);
}
END_TEST

START_TEST(few_ranks_have_one_thread)
{
    make(&program, 100, false);
    ck_assert_int_eq(evaluator_threads_for(&program.equations, 8), 1);
    clear(&program);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("evaluation_threads");
    TCase *tests = tcase_create("model");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, as_with_one_thread);
    tcase_add_test(tests, queues_run_full);
    tcase_add_test(tests, few_ranks_have_one_thread);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
