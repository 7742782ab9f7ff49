/* Fitting of expressions: planted ones are found again, hold where nothing was observed, and what
 * is random becomes a table. */
#include "predict/from/fit_formula.h"

#include "tests/check_tap.h"
#include "tests/predict/text_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A program that runs at some points: the value there, and whether the rank takes part. */
struct point {
    double rank, size, n, m, i, px; /* px: first extent of the balanced grid in two dimensions */
};
typedef double planted(struct point point);

struct run {
    uint32_t size;
    double n, m;
};

struct plan {
    enum fit_kind kind;
    planted *value, *present; /* present NULL: always */
    const struct run *runs;   /* recorded */
    uint32_t count;
    const struct run *unseen;
    uint32_t unseen_count;
    uint32_t steps; /* of the loop variable i; 0: no loop */
};

static double extent_of(uint32_t size)
{
    uint32_t extent = 1;
    while (extent * extent < size || size % extent != 0)
        extent++;
    return extent;
}

static struct point point_of(const struct run *run, uint32_t rank, uint32_t i)
{
    return (struct point){rank, run->size, run->n, run->m, i, extent_of(run->size)};
}

static struct observation observe(const struct plan *plan, uint32_t recording, uint32_t rank,
                                  uint32_t i)
{
    struct observation observation = {.recording = recording, .rank = rank, .weight = 1};
    observation.indices[0] = plan->steps == 0 ? 0 : (int32_t)i;
    observation.value = plan->value(point_of(&plan->runs[recording], rank, i));
    return observation;
}

static uint32_t collect(const struct plan *plan, struct observation *observations)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < plan->count; k++)
        for (uint32_t rank = 0; rank < plan->runs[k].size; rank++)
            for (uint32_t i = 0; i < plan->steps || i == 0; i++)
                if (plan->present == NULL || plan->present(point_of(&plan->runs[k], rank, i)) != 0)
                    observations[count++] = observe(plan, k, rank, i);
    return count;
}

#define MOST 20000

/* Fits the observations, whose context the plan gives. The caller clears `*fitted`. */
static void fit_observations(const struct plan *plan, const struct observation *observations,
                             uint32_t count, struct fitted *fitted)
{
    uint32_t sizes[8];
    double n[8], m[8];
    bool has_n = false, has_m = false;
    for (uint32_t i = 0; i < plan->count; i++) {
        sizes[i] = plan->runs[i].size;
        n[i] = plan->runs[i].n;
        m[i] = plan->runs[i].m;
        has_n = has_n || n[i] != 0;
        has_m = has_m || m[i] != 0;
    }
    struct fit_parameter parameters[2] = {{"n", n}, {"m", m}};
    const char *loops[] = {"i"};
    struct fit_context context = {.recordings = plan->count,
                                  .sizes = sizes,
                                  .parameters = parameters,
                                  .parameter_count = has_m ? 2 : has_n,
                                  .loops = loops,
                                  .loop_count = plan->steps > 0};
    ck_assert(fit_expression(plan->kind, &context, observations, count, "t", fitted));
}

/* Fits what the plan says; the number of observations. */
static uint32_t fit_plan(const struct plan *plan, struct observation *observations,
                         struct fitted *fitted)
{
    uint32_t count = collect(plan, observations);
    fit_observations(plan, observations, count, fitted);
    return count;
}

static double value_at(const struct fitted *fitted, struct point point)
{
    const struct text_name items[] = {
        {"rank", point.rank}, {"size", point.size}, {"n", point.n}, {"m", point.m}, {"i", point.i}};
    struct text_names names = {items, 5, "t", fitted->table};
    return text_value(fitted->text, &names);
}

/* The number of points of these runs at which the text is wrong. */
static uint32_t count_wrong(const struct plan *plan, const struct fitted *fitted,
                            const struct run *runs, uint32_t count)
{
    uint32_t wrong = 0;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t rank = 0; rank < runs[k].size; rank++)
            for (uint32_t i = 0; i < plan->steps || i == 0; i++) {
                struct point point = point_of(&runs[k], rank, i);
                if (plan->present != NULL && plan->present(point) == 0)
                    continue;
                wrong += value_at(fitted, point) != plan->value(point);
            }
    return wrong;
}

static void check_plan(const struct plan *plan, const char *name)
{
    static struct observation observations[MOST];
    struct fitted fitted;
    uint32_t count = fit_plan(plan, observations, &fitted);
    if (getenv("FIT_SHOW") != NULL)
        fprintf(stderr, "%-28s %s%s %s\n", name, fitted.text, fitted.weak ? " (weak)" : "",
                fitted.table != NULL ? fitted.table : "");
    ck_assert(count > 0 && fitted.exact);
    ck_assert_msg(!fitted.tabulated, "%s: a table: %s %s", name, fitted.text, fitted.table);
    ck_assert_msg(count_wrong(plan, &fitted, plan->runs, plan->count) == 0, "%s: %s", name,
                  fitted.text);
    ck_assert_msg(count_wrong(plan, &fitted, plan->unseen, plan->unseen_count) == 0,
                  "%s, where nothing was recorded: %s", name, fitted.text);
    fitted_clear(&fitted);
}

#define ARRAY_AND_COUNT(array) array, sizeof(array) / sizeof(array)[0]

/* Recordings of two and three sizes, of two and three parameters, and of sizes and parameters. */
static const struct run p4_p16[] = {{4, 0, 0}, {16, 0, 0}};
static const struct run p6_p12_p16[] = {{6, 0, 0}, {12, 0, 0}, {16, 0, 0}};
static const struct run p4_p8_p16[] = {{4, 0, 0}, {8, 0, 0}, {16, 0, 0}};
static const struct run unseen_p[] = {{2, 0, 0}, {8, 0, 0}, {9, 0, 0}, {30, 0, 0}, {64, 0, 0}};
static const struct run powers[] = {{2, 0, 0}, {8, 0, 0}, {32, 0, 0}, {64, 0, 0}};
static const struct run evens[] = {{2, 0, 0}, {6, 0, 0}, {18, 0, 0}, {64, 0, 0}};
static const struct run n64_n128[] = {{4, 64, 0}, {4, 128, 0}};
static const struct run n200_n300[] = {{2, 200, 0}, {2, 300, 0}};
static const struct run n_of_both[] = {{4, 64, 0}, {4, 128, 0}, {8, 128, 0}};
static const struct run grids_of_n[] = {{4, 64, 0}, {4, 128, 0}, {8, 128, 0}, {16, 128, 0}};
static const struct run n_odd[] = {{4, 66, 0}, {4, 101, 0}, {6, 101, 0}};
static const struct run unseen_n[] = {{4, 200, 0}, {4, 640, 0}};
static const struct run unseen_both[] = {{4, 320, 0}, {8, 256, 0}, {64, 1024, 0}};
static const struct run unseen_odd[] = {{4, 320, 0}, {8, 77, 0}, {30, 1001, 0}};
static const struct run n_and_m[] = {{4, 64, 20}, {4, 128, 20}, {4, 128, 50}, {16, 64, 100}};
static const struct run unseen_n_and_m[] = {{8, 512, 30}, {64, 1024, 7}};

#define PLANT(name, expression)        \
    static double name(struct point p) \
    {                                  \
        (void)p;                       \
        return (expression);           \
    }

static double mod(double a, double b)
{
    return a - b * floor(a / b);
}

#define ROW(p)    floor((p).rank / ((p).size / (p).px))
#define WIDTH(p)  ((p).size / (p).px)
#define COLUMN(p) mod((p).rank, WIDTH(p))

PLANT(root, 0)
PLANT(last, p.size - 1)
PLANT(next, p.rank + 1)
PLANT(has_next, p.rank < p.size - 1)
PLANT(ring, mod(p.rank + 1, p.size))
PLANT(ring_back, mod(p.rank - 1, p.size))
PLANT(ring_half, mod(p.rank + p.size / 2, p.size))
PLANT(partner, (double)((int)p.rank ^ 1))
PLANT(mirror, p.size - 1 - p.rank)
PLANT(south, p.rank + WIDTH(p))
PLANT(has_south, ROW(p) < p.px - 1)
PLANT(north, p.rank - WIDTH(p))
PLANT(has_north, ROW(p) > 0)
PLANT(east, p.rank + 1)
PLANT(has_east, COLUMN(p) < WIDTH(p) - 1)
PLANT(torus_east, ROW(p) * WIDTH(p) + mod(COLUMN(p) + 1, WIDTH(p)))
PLANT(torus_west, ROW(p) * WIDTH(p) + mod(COLUMN(p) - 1, WIDTH(p)))
PLANT(torus_south, mod(p.rank + WIDTH(p), p.size))
PLANT(diagonal, p.rank + WIDTH(p) + 1)
PLANT(has_diagonal, ROW(p) < p.px - 1 && COLUMN(p) < WIDTH(p) - 1)
PLANT(antidiagonal, p.rank + WIDTH(p) - 1)
PLANT(has_antidiagonal, ROW(p) < p.px - 1 && COLUMN(p) > 0)
PLANT(torus_diagonal, mod(ROW(p) + 1, p.px) * WIDTH(p) + mod(COLUMN(p) + 1, WIDTH(p)))
PLANT(transposed, COLUMN(p) * p.px + ROW(p))
PLANT(row_root, ROW(p) * WIDTH(p))
PLANT(column_root, COLUMN(p))
PLANT(node_root, floor(p.rank / 4) * 4)
PLANT(parent, floor((p.rank - 1) / 2))
PLANT(no_root, p.rank > 0)
PLANT(child, 2 * p.rank + 1)
PLANT(has_child, 2 * p.rank + 1 < p.size)

/* Grids with as many columns as rows, or twice as many: px is the larger extent. */
#define RATIO(p) ((p).px * (p).px / (p).size)
PLANT(image, floor(mod(p.rank, p.px) / RATIO(p)) * p.px + RATIO(p) * floor(p.rank / p.px) +
                 mod(p.rank, RATIO(p)))
PLANT(has_image, image(p) != p.rank)

static void check_peer(planted *value, planted *present, const struct run *runs, uint32_t count,
                       const struct run *unseen, uint32_t unseen_count, const char *name)
{
    struct plan plan = {FIT_RANK, value, present, runs, count, unseen, unseen_count, 0};
    check_plan(&plan, name);
    if (present == NULL)
        return;
    struct plan truth = {FIT_TRUTH, present, NULL, runs, count, unseen, unseen_count, 0};
    check_plan(&truth, name);
}

#define PEER(value, present, runs, unseen) \
    check_peer(value, present, ARRAY_AND_COUNT(runs), ARRAY_AND_COUNT(unseen), #value)

START_TEST(peers_of_two_sizes)
{
    PEER(root, NULL, p4_p16, unseen_p);
    PEER(last, NULL, p4_p16, unseen_p);
    PEER(next, has_next, p4_p16, unseen_p);
    PEER(ring, NULL, p4_p16, unseen_p);
    PEER(ring_back, NULL, p4_p16, unseen_p);
    PEER(ring_half, NULL, p4_p16, evens);
    PEER(partner, NULL, p4_p16, evens);
    PEER(mirror, NULL, p4_p16, unseen_p);
    PEER(parent, no_root, p4_p16, unseen_p);
    PEER(child, has_child, p4_p16, unseen_p);
    PEER(node_root, NULL, p4_p16, evens);
}
END_TEST

START_TEST(peers_in_grids)
{
    PEER(south, has_south, p6_p12_p16, unseen_p);
    PEER(north, has_north, p6_p12_p16, unseen_p);
    PEER(east, has_east, p6_p12_p16, unseen_p);
    PEER(torus_east, NULL, p6_p12_p16, unseen_p);
    PEER(torus_west, NULL, p6_p12_p16, unseen_p);
    PEER(torus_south, NULL, p6_p12_p16, unseen_p);
    PEER(diagonal, has_diagonal, p6_p12_p16, unseen_p);
    PEER(antidiagonal, has_antidiagonal, p6_p12_p16, unseen_p);
    PEER(torus_diagonal, NULL, p6_p12_p16, unseen_p);
    PEER(transposed, NULL, p6_p12_p16, unseen_p);
    PEER(image, NULL, p4_p8_p16, powers);
    PEER(image, has_image, p4_p8_p16, powers);
    PEER(row_root, NULL, p6_p12_p16, unseen_p);
    PEER(column_root, NULL, p6_p12_p16, unseen_p);
}
END_TEST

PLANT(hypercube, (double)((int)p.rank ^ 1 << (int)p.i))
PLANT(in_hypercube, (1 << (int)p.i) < p.size)
PLANT(dissemination, mod(p.rank + exp2(p.i), p.size))
PLANT(all_pairs, mod(p.rank + p.i, p.size))
PLANT(all_pairs_xor, (double)((int)p.rank ^ (int)p.i))
PLANT(in_xor, p.i < p.size)
PLANT(tree_child, p.rank + exp2(p.i))
PLANT(in_tree, mod(p.rank, exp2(p.i + 1)) == 0 && p.rank + exp2(p.i) < p.size)
PLANT(column_owner, mod(p.i, p.size))
PLANT(round_bytes, 8 * exp2(p.i))
PLANT(level_bytes, 8 * (floor(p.n / exp2(p.i)) + 2))
PLANT(level_plane, 8 * pow(floor(p.n / exp2(p.i)) + 2, 2))
PLANT(column_bytes, 8 * (p.n - p.i))
PLANT(linear_bytes, 100 + 16 * p.i)
PLANT(halved, floor(1024 / exp2(p.i)))

START_TEST(loop_variables)
{
    struct plan plan = {
        FIT_RANK, hypercube, in_hypercube, ARRAY_AND_COUNT(p4_p16), ARRAY_AND_COUNT(powers), 4};
    check_plan(&plan, "hypercube");
    /* steps 1 and 2 could also be i + 1 */
    plan.count = 1;
    check_plan(&plan, "hypercube of four ranks");
    plan.count = 2;
    plan.value = dissemination;
    check_plan(&plan, "dissemination");
    plan.value = tree_child, plan.present = in_tree;
    check_plan(&plan, "tree_child");
    plan.kind = FIT_TRUTH, plan.value = in_tree, plan.present = NULL;
    check_plan(&plan, "in_tree");
    plan.kind = FIT_RANK, plan.steps = 16;
    plan.value = all_pairs, plan.present = NULL;
    check_plan(&plan, "all_pairs");
    plan.value = all_pairs_xor, plan.present = in_xor;
    check_plan(&plan, "all_pairs_xor");
    plan.value = column_owner, plan.present = NULL;
    check_plan(&plan, "column_owner");
    struct plan sizes = {
        FIT_WHOLE, round_bytes, NULL, ARRAY_AND_COUNT(n64_n128), ARRAY_AND_COUNT(unseen_n), 5};
    check_plan(&sizes, "round_bytes");
    sizes.value = level_bytes;
    check_plan(&sizes, "level_bytes");
    sizes.value = level_plane;
    check_plan(&sizes, "level_plane");
    sizes.value = column_bytes;
    check_plan(&sizes, "column_bytes");
    sizes.value = linear_bytes;
    check_plan(&sizes, "linear_bytes");
    sizes.value = halved;
    check_plan(&sizes, "halved");
}
END_TEST

PLANT(line, 8 * p.n)
PLANT(plane, 8 * p.n * p.n)
PLANT(volume, p.n *p.n *p.n)
PLANT(shared, 8 * p.n / p.size)
PLANT(bordered, 8 * (p.n + 2))
PLANT(fields_bordered, 8 * 5 * (p.n + 5))
PLANT(fields_inside, 8 * 3 * (p.n - 2))
PLANT(block, 8 * (floor(p.n / p.px) + 2) * (floor(p.n / WIDTH(p)) + 2))
PLANT(block_side, 8 * floor(p.n / p.px))
PLANT(unnamed_side, floor(15360 / p.px))
PLANT(unnamed_share, floor(15360 / p.size))
PLANT(rounds, ceil(log2(p.size)))
PLANT(others, p.size - 1)
PLANT(remainder_first, floor(p.n / p.size) + (p.rank < mod(p.n, p.size)))
PLANT(remainder_bytes, 8 * p.n * (floor(p.n / p.size) + (p.rank < mod(p.n, p.size))))
PLANT(remainder_spread, floor((p.rank + 1) * p.n / p.size) - floor(p.rank * p.n / p.size))
PLANT(remainder_last, floor(p.n / p.size) + (p.rank == p.size - 1) * mod(p.n, p.size))
PLANT(rounded_up, ceil(p.n / p.size))
PLANT(of_rank, 100 + 8 * p.rank)
PLANT(two_parameters, 8 * p.n * p.m)
PLANT(sum_of_parameters, 8 * p.n + 4 * p.m)
PLANT(mixed_block, 8 * (p.n / p.px) * p.m)
PLANT(root_gets_more, p.rank == 0 ? 8 * p.n : 16)
PLANT(border_less, p.rank == 0 || p.rank == p.size - 1 ? 8 * p.n : 16 * p.n)

static void check_whole(planted *value, const struct run *runs, uint32_t count,
                        const struct run *unseen, uint32_t unseen_count, const char *name)
{
    struct plan plan = {FIT_WHOLE, value, NULL, runs, count, unseen, unseen_count, 0};
    check_plan(&plan, name);
}

#define WHOLE(value, runs, unseen) \
    check_whole(value, ARRAY_AND_COUNT(runs), ARRAY_AND_COUNT(unseen), #value)

START_TEST(whole_numbers_of_two_recordings)
{
    WHOLE(line, n64_n128, unseen_n);
    WHOLE(plane, n64_n128, unseen_n);
    WHOLE(volume, n64_n128, unseen_n);
    WHOLE(bordered, n64_n128, unseen_n);
    WHOLE(fields_bordered, n200_n300, unseen_n);
    WHOLE(fields_inside, n200_n300, unseen_n);
    WHOLE(others, p4_p16, unseen_p);
    WHOLE(rounds, p4_p16, powers);
    WHOLE(of_rank, n64_n128, unseen_both);
    WHOLE(root_gets_more, n64_n128, unseen_n);
    WHOLE(border_less, n64_n128, unseen_n);
}
END_TEST

START_TEST(whole_numbers_of_three_recordings)
{
    WHOLE(shared, n_of_both, unseen_both);
    WHOLE(block, grids_of_n, unseen_both);
    WHOLE(block_side, grids_of_n, unseen_both);
    WHOLE(plane, n_of_both, unseen_both);
    WHOLE(remainder_first, n_odd, unseen_odd);
    WHOLE(remainder_bytes, n_odd, unseen_odd);
    WHOLE(remainder_spread, n_odd, unseen_odd);
    WHOLE(remainder_last, n_odd, unseen_odd);
    WHOLE(rounded_up, n_odd, unseen_odd);
    WHOLE(root_gets_more, n_of_both, unseen_both);
    WHOLE(border_less, n_of_both, unseen_both);
    WHOLE(unnamed_side, p4_p8_p16, powers);
    WHOLE(unnamed_share, p6_p12_p16, unseen_p);
}
END_TEST

START_TEST(whole_numbers_of_two_parameters)
{
    WHOLE(two_parameters, n_and_m, unseen_n_and_m);
    WHOLE(sum_of_parameters, n_and_m, unseen_n_and_m);
    WHOLE(mixed_block, n_and_m, unseen_n_and_m);
}
END_TEST

/* Standard normal, by Box and Muller. */
static double normal(void)
{
    return sqrt(-2 * log(1 - drand48())) * cos(2 * M_PI * drand48());
}

PLANT(linear_s, 2e-8 * p.n)
PLANT(quadratic_s, 1.5e-9 * p.n * p.n)
PLANT(cubic_s, 1e-10 * pow(p.n, 3))
PLANT(log_s, 5e-9 * p.n * log2(p.n))
PLANT(strong_s, 1e-9 * p.n * p.n / p.size)
PLANT(overhead_s, 3e-6 + 1e-9 * p.n * p.n)
PLANT(slower_border_s, (p.rank == 0 || p.rank == p.size - 1 ? 0.8 : 1) * 1e-9 * p.n * p.n)
PLANT(imbalanced_s, (1 + 0.1 * mod(p.rank * 3, 4)) * 1e-9 * p.n * p.n)
PLANT(remainder_s, 1e-6 * (floor(p.n / p.size) + (p.rank < mod(p.n, p.size))))

/* Fits with noise: `noise` of each recording, and `rank_noise` of each value. */
static double error_at_unseen(struct plan plan, double noise, double rank_noise,
                              struct fitted *fitted)
{
    static struct observation observations[MOST];
    double factors[8] = {0};
    uint32_t count = collect(&plan, observations);
    for (uint32_t k = 0; k < plan.count; k++)
        factors[k] = exp(noise * normal());
    for (uint32_t i = 0; i < count; i++)
        observations[i].value *= factors[observations[i].recording] * exp(rank_noise * normal());
    fit_observations(&plan, observations, count, fitted);
    double worst = 0;
    for (uint32_t k = 0; k < plan.unseen_count; k++)
        for (uint32_t rank = 0; rank < plan.unseen[k].size; rank++) {
            struct point point = point_of(&plan.unseen[k], rank, 0);
            worst = fmax(worst, fabs(value_at(fitted, point) / plan.value(point) - 1));
        }
    if (getenv("FIT_SHOW") != NULL)
        fprintf(stderr, "error %.3g: %s %s\n", worst, fitted->text,
                fitted->table != NULL ? fitted->table : "");
    return worst;
}

static const struct run n_three[] = {{4, 64, 0}, {4, 128, 0}, {4, 256, 0}};
static const struct run far_n[] = {{4, 4096, 0}};
static const struct run n_p_four[] = {{4, 128, 0}, {4, 256, 0}, {8, 256, 0}, {16, 512, 0}};
static const struct run far_both[] = {{64, 4096, 0}};

/* Laws are recovered if the value at 16 times the largest n is right but for twice the noise. */
static void check_law(planted *value, const struct run *runs, uint32_t count,
                      const struct run *unseen, const char *name)
{
    struct plan plan = {FIT_SECONDS, value, NULL, runs, count, unseen, 1, 0};
    uint32_t good = 0, trials = 200;
    srand48(2);
    for (uint32_t i = 0; i < trials; i++) {
        struct fitted fitted;
        good += error_at_unseen(plan, 0.02, 0.002, &fitted) < 0.06;
        ck_assert(fitted.error < 0.2);
        fitted_clear(&fitted);
    }
    ck_assert_msg(good >= 0.95 * trials, "%s: %u of %u", name, good, trials);
}

#define LAW(value, runs, unseen) check_law(value, ARRAY_AND_COUNT(runs), unseen, #value)

START_TEST(laws_of_three_recordings_under_noise)
{
    LAW(linear_s, n_three, far_n);
    LAW(quadratic_s, n_three, far_n);
    LAW(cubic_s, n_three, far_n);
    LAW(log_s, n_three, far_n);
    LAW(strong_s, n_p_four, far_both);
}
END_TEST

/* Two recordings: simple laws are found; what has an overhead is predicted for twice the n. */
START_TEST(laws_of_two_recordings)
{
    struct fitted fitted;
    struct plan plan = {FIT_SECONDS, quadratic_s, NULL, ARRAY_AND_COUNT(n64_n128), far_n, 1, 0};
    ck_assert(error_at_unseen(plan, 0, 0.001, &fitted) < 0.01 && !fitted.weak);
    fitted_clear(&fitted);
    static const struct run twice_n[] = {{4, 256, 0}};
    plan.value = overhead_s;
    plan.unseen = twice_n;
    ck_assert(error_at_unseen(plan, 0, 0, &fitted) < 0.02 && fitted.weak);
    fitted_clear(&fitted);
}
END_TEST

/* The text of the law of two recordings with n = 200 and 300, between which a part grows by 3.2
 * while all computation grows by `growth`; 0: unknown. Free it. */
static char *law_of_part(double growth)
{
    double n[] = {200, 300}, work[] = {1, growth};
    uint32_t sizes[] = {1, 1};
    struct fit_parameter parameter = {"n", n};
    const struct fit_context context = {.recordings = 2,
                                        .sizes = sizes,
                                        .parameters = &parameter,
                                        .parameter_count = 1,
                                        .work = growth > 0 ? work : NULL};
    const struct observation seen[] = {
        {.recording = 0, .value = 1e-3, .weight = 10, .spread = 3e-4},
        {.recording = 1, .value = 3.2e-3, .weight = 10, .spread = 9e-4}};
    struct fitted fitted;
    ck_assert(fit_expression(FIT_SECONDS, &context, seen, 2, "t", &fitted));
    char *text = strdup(fitted.text);
    fitted_clear(&fitted);
    return text;
}

/* Noise in one of two recordings does not make a part grow faster than the program. */
START_TEST(parts_grow_with_the_whole)
{
    char *unknown = law_of_part(0), *square = law_of_part(2.1), *cube = law_of_part(3.1);
    ck_assert_msg(strstr(unknown, "n ^ 3") != NULL, "%s", unknown);
    ck_assert_msg(strstr(square, "n ^ 2") != NULL, "%s", square);
    ck_assert_msg(strstr(cube, "n ^ 3") != NULL, "%s", cube);
    free(unknown);
    free(square);
    free(cube);
}
END_TEST

START_TEST(ranks_that_differ)
{
    struct fitted fitted;
    struct plan plan = {
        FIT_SECONDS, slower_border_s, NULL, ARRAY_AND_COUNT(n_p_four), far_both, 1, 0};
    ck_assert(error_at_unseen(plan, 0, 0.005, &fitted) < 0.03);
    ck_assert_msg(!fitted.tabulated, "%s", fitted.text);
    fitted_clear(&fitted);
    /* a table of factors by rank */
    struct plan table = {FIT_SECONDS, imbalanced_s, NULL, ARRAY_AND_COUNT(n_three), far_n, 1, 0};
    ck_assert(error_at_unseen(table, 0, 0.005, &fitted) < 0.03);
    ck_assert(fitted.tabulated && !fitted.bound);
    fitted_clear(&fitted);
    /* noise does not count as a difference */
    plan.value = quadratic_s;
    ck_assert(error_at_unseen(plan, 0, 0.005, &fitted) < 0.03);
    ck_assert_msg(strstr(fitted.text, "rank") == NULL, "%s", fitted.text);
    fitted_clear(&fitted);
    /* shares of n items */
    static const struct run small[] = {{4, 10, 0}, {4, 21, 0}, {6, 21, 0}};
    static const struct run unseen[] = {{5, 32, 0}, {12, 40, 0}};
    struct plan shares = {
        FIT_SECONDS, remainder_s, NULL, ARRAY_AND_COUNT(small), ARRAY_AND_COUNT(unseen), 0};
    ck_assert(error_at_unseen(shares, 0, 0.005, &fitted) < 0.03);
    fitted_clear(&fitted);
}
END_TEST

/* One recording: the ranks' seconds come back. */
START_TEST(seconds_of_one_recording)
{
    struct fitted fitted;
    struct plan plan = {FIT_SECONDS, imbalanced_s, NULL, n_three, 1, n_three, 1, 0};
    ck_assert(error_at_unseen(plan, 0, 0, &fitted) < 1e-3);
    ck_assert(fitted.tabulated && !fitted.bound);
    fitted_clear(&fitted);
    plan.value = quadratic_s;
    ck_assert(error_at_unseen(plan, 0, 0, &fitted) < 1e-3);
    ck_assert_str_eq(fitted.text, "6.144 us");
    fitted_clear(&fitted);
}
END_TEST

static double scattered(struct point p)
{
    /* Only conversions of numbers that fit are the same on all processors. */
    uint32_t x = (uint32_t)p.rank * 2654435761u ^ (uint32_t)p.size * 40503u ^
                 (uint32_t)p.n * 9176u ^ (uint32_t)p.i * 7919u;
    x = (x ^ x >> 15) * 2246822519u;
    x = (x ^ x >> 13) * 3266489917u;
    return (x ^ x >> 16) % 100000;
}

PLANT(scattered_peer, mod(scattered(p), p.size))
PLANT(scattered_truth, mod(scattered(p), 2))

START_TEST(random_numbers_become_tables)
{
    const enum fit_kind kinds[] = {FIT_WHOLE, FIT_RANK, FIT_TRUTH};
    planted *const values[] = {scattered, scattered_peer, scattered_truth};
    static struct observation observations[MOST];
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t steps = 0; steps <= 3; steps += 3) {
            struct fitted fitted;
            struct plan plan = {kinds[k], values[k], NULL, ARRAY_AND_COUNT(n_of_both),
                                NULL,     0,         steps};
            fit_plan(&plan, observations, &fitted);
            ck_assert_msg(fitted.tabulated && fitted.bound && fitted.exact, "%s", fitted.text);
            ck_assert(count_wrong(&plan, &fitted, plan.runs, plan.count) == 0);
            /* outside of the table at other points */
            ck_assert(isnan(value_at(&fitted, (struct point){.size = 4, .n = 65})));
            fitted_clear(&fitted);
        }
    /* With one recording, a table by rank does not exclude other parameters. */
    struct fitted fitted;
    struct plan one = {FIT_WHOLE, scattered, NULL, grids_of_n + 2, 1, NULL, 0, 0};
    fit_plan(&one, observations, &fitted);
    ck_assert(fitted.tabulated && !fitted.bound);
    ck_assert_str_eq(fitted.text, "t[rank]");
    fitted_clear(&fitted);
}
END_TEST

/* Random pairs of numbers are not explained by formulas as long as themselves. */
START_TEST(two_random_numbers_are_rarely_explained)
{
    uint32_t explained = 0, trials = 200;
    srand48(3);
    for (uint32_t i = 0; i < trials; i++) {
        double n[] = {64, 128};
        uint32_t sizes[] = {4, 4};
        struct fit_parameter parameter = {"n", n};
        struct fit_context context = {
            .recordings = 2, .sizes = sizes, .parameters = &parameter, .parameter_count = 1};
        struct observation observations[2] = {
            {.value = floor(1e5 * drand48()), .weight = 1},
            {.recording = 1, .value = floor(1e5 * drand48()), .weight = 1}};
        struct fitted fitted;
        ck_assert(fit_expression(FIT_WHOLE, &context, observations, 2, "t", &fitted));
        explained += !fitted.tabulated;
        fitted_clear(&fitted);
    }
    ck_assert_msg(explained <= trials / 20, "%u of %u", explained, trials);
}
END_TEST

START_TEST(contradictions_are_not_exact)
{
    struct fit_context context = {.sizes = (uint32_t[]){2}, .recordings = 1};
    struct observation observations[] = {{.value = 8, .weight = 1},
                                         {.rank = 1, .value = 8, .weight = 1},
                                         {.rank = 1, .value = 9, .weight = 1}};
    struct fitted fitted;
    ck_assert(fit_expression(FIT_WHOLE, &context, observations, 3, "t", &fitted));
    ck_assert(!fitted.exact);
    fitted_clear(&fitted);
}
END_TEST

/* Grids that one expression needs are declared once, and others use them. */
START_TEST(helpers_are_shared)
{
    static struct observation observations[MOST];
    struct fit_helpers helpers = {0};
    struct plan plan = {FIT_RANK, south, has_south, ARRAY_AND_COUNT(p6_p12_p16), NULL, 0, 0};
    uint32_t sizes[] = {6, 12, 16}, count = collect(&plan, observations);
    struct fit_context context = {.recordings = 3, .sizes = sizes, .helpers = &helpers};
    for (uint32_t i = 0; i < 2; i++) {
        struct fitted fitted;
        ck_assert(fit_expression(FIT_RANK, &context, observations, count, "t", &fitted));
        ck_assert_str_eq(fitted.text, "rank + plane_y");
        ck_assert(helpers.list.count == 1);
        ck_assert_str_eq(helpers.list.items[0].name, "plane_y");
        ck_assert_str_eq(helpers.list.items[0].value, "dims(size, 2, 1)");
        fitted_clear(&fitted);
    }
    free(helpers.list.items);
}
END_TEST

/* Peers of which some are MPI_PROC_NULL. */
PLANT(neighbour_or_none, ROW(p) < p.px - 1 ? p.rank + WIDTH(p) : -1)

PLANT(next_or_none, p.rank < p.size - 1 ? p.rank + 1 : -1)
PLANT(before_or_none, p.rank - 1)
PLANT(both_or_none, p.rank + 2 * p.i - 1 < p.size ? p.rank + 2 * p.i - 1 : -1)

START_TEST(missing_peers)
{
    struct plan plan = {
        FIT_RANK, neighbour_or_none, NULL, ARRAY_AND_COUNT(p6_p12_p16), ARRAY_AND_COUNT(unseen_p),
        0};
    check_plan(&plan, "neighbour_or_none");
    plan.value = next_or_none;
    check_plan(&plan, "next_or_none");
    plan.value = before_or_none;
    check_plan(&plan, "before_or_none");
    plan.value = both_or_none, plan.steps = 2;
    check_plan(&plan, "both_or_none");
}
END_TEST

/* A text means what its formula means, whichever parentheses it was put together from. */
START_TEST(texts_keep_the_value)
{
    static const char *const patterns[] = {"5 - 3 * (a // 4 * (a < b - 1))",
                                           "7 * (a % 3 * a)",
                                           "7 * (a * (a // 2))",
                                           "b * (a / 4 * 2)",
                                           "b - (a - 3)",
                                           "b - (a + 3)",
                                           "b + (a - 3)",
                                           "(b - a) * (a - 1)",
                                           "b // (a // 2 + 1)",
                                           "b // ((a + 1) * 2)",
                                           "b % (a % 3 + 1)",
                                           "2 ^ (a % 3) ^ 2",
                                           "(a < 2) == (b > a + 1)",
                                           "(a < 3 ? a : b) + 1"};
    const uint32_t size = 8;
    const struct fit_context context = {.recordings = 1, .sizes = &size};
    struct formulas formulas = {.arena = arena_create(), .context = &context};
    ck_assert(formulas.arena);
    ck_assert(setjmp(formulas.out_of_memory) == 0);
    formulas_begin(&formulas);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const struct formula *formula =
            FORMULA(&formulas, patterns[i], formula_variable(&formulas, POINT_RANK),
                    formula_variable(&formulas, POINT_SIZE));
        char *text = formula_print(&formulas, formula, "t");
        for (uint32_t rank = 0; rank < size; rank++) {
            const double point[] = {rank, size};
            const struct text_name items[] = {{"rank", rank}, {"size", size}};
            const struct text_names names = {items, 2, NULL, NULL};
            const double wanted = formula_value(&formulas, formula, point);
            const double written = text_value(text, &names);
            ck_assert_msg(wanted == written, "%s was written as %s: %g instead of %g on rank %u",
                          patterns[i], text, written, wanted, rank);
        }
        free(text);
    }
    arena_destroy(formulas.arena);
}
END_TEST

static Suite *fit_suite(void)
{
    Suite *suite = suite_create("fit");
    TCase *exact = tcase_create("exact");
    tcase_add_test(exact, peers_of_two_sizes);
    tcase_add_test(exact, peers_in_grids);
    tcase_add_test(exact, loop_variables);
    tcase_add_test(exact, whole_numbers_of_two_recordings);
    tcase_add_test(exact, whole_numbers_of_three_recordings);
    tcase_add_test(exact, whole_numbers_of_two_parameters);
    tcase_add_test(exact, random_numbers_become_tables);
    tcase_add_test(exact, two_random_numbers_are_rarely_explained);
    tcase_add_test(exact, contradictions_are_not_exact);
    tcase_add_test(exact, helpers_are_shared);
    tcase_add_test(exact, missing_peers);
    tcase_add_test(exact, texts_keep_the_value);
    suite_add_tcase(suite, exact);
    TCase *noisy = tcase_create("seconds");
    tcase_add_test(noisy, laws_of_three_recordings_under_noise);
    tcase_add_test(noisy, laws_of_two_recordings);
    tcase_add_test(noisy, parts_grow_with_the_whole);
    tcase_add_test(noisy, ranks_that_differ);
    tcase_add_test(noisy, seconds_of_one_recording);
    suite_add_tcase(suite, noisy);
    return suite;
}

int main(void)
{
    return check_tap(fit_suite());
}
