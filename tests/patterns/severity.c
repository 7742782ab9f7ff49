/* The severity store: values, sums along the call tree, names, and the difference of two. */
#include "../check_tap.h"

#include "severity/severity.h"

#include <string.h>

static const struct severity_path paths[] = {{.parent = SEVERITY_NONE, .name = "main"},
                                             {.parent = 0, .name = "a/b"},
                                             {.parent = 1, .name = "MPI_Recv", .mpi = true},
                                             {.parent = 0, .name = "c"}};
static const struct severity_location locations[] = {{0, 0, "n0"}, {1, 0, "n1"}};

static struct severity *example(void)
{
    struct severity *severity = severity_create(paths, 4, locations, 2);
    ck_assert_ptr_nonnull(severity);
    ck_assert(severity_add(severity, METRIC_TIME, 0, 0, 1));
    ck_assert(severity_add(severity, METRIC_TIME, 1, 0, 2));
    ck_assert(severity_add(severity, METRIC_TIME, 2, 1, 4));
    ck_assert(severity_add(severity, METRIC_TIME, 2, 1, 8));
    ck_assert(severity_add(severity, METRIC_TIME, 3, 1, 16));
    return severity;
}

START_TEST(values_add_up)
{
    struct severity *severity = example();
    ck_assert_double_eq(severity_get(severity, METRIC_TIME, 2, 1), 12);
    ck_assert_double_eq(severity_get(severity, METRIC_TIME, 2, 0), 0);
    ck_assert_double_eq(severity_get(severity, METRIC_VISITS, 2, 0), 0);
    ck_assert_double_eq(severity_path_total(severity, METRIC_TIME, 2), 12);
    ck_assert_double_eq(severity_path_inclusive(severity, METRIC_TIME, 1), 14);
    ck_assert_double_eq(severity_path_inclusive(severity, METRIC_TIME, 0), 31);
    ck_assert_double_eq(severity_path_inclusive(severity, METRIC_TIME, 3), 16);
    ck_assert_double_eq(severity_total(severity, METRIC_TIME), 31);
    severity_destroy(severity);
}
END_TEST

enum { MANY = 1000 };

static struct severity *store_of_many(void)
{
    static struct severity_location many[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        many[i] = (struct severity_location){i, 0, ""};
    struct severity *severity = severity_create(paths, 4, many, MANY);
    ck_assert_ptr_nonnull(severity);
    return severity;
}

/* Adds to every `step`-th location, in ascending or descending order, and compares with `known`. */
static void add_and_compare(struct severity *severity, uint32_t step, bool descending,
                            double *known)
{
    double sum = 0;
    for (uint32_t i = 0; i < MANY; i += step) {
        const uint32_t location = descending ? MANY - 1 - i : i;
        ck_assert(severity_add(severity, METRIC_TIME, 1, location, location + 0.5));
        known[location] += location + 0.5;
    }
    const struct severity_row row = severity_row(severity, METRIC_TIME, 1);
    uint32_t next = 0;
    for (uint32_t location = 0; location < MANY; location++) {
        ck_assert_double_eq(severity_get(severity, METRIC_TIME, 1, location), known[location]);
        ck_assert_double_eq(severity_row_at(&row, &next, location), known[location]);
        sum += known[location];
    }
    ck_assert_double_eq(severity_path_total(severity, METRIC_TIME, 1), sum);
    ck_assert_double_eq(severity_path_total(severity, METRIC_TIME, 2), 0);
}

/* Of few locations a row keeps only those; of most of them, or in another order, all. */
START_TEST(rows_keep_what_they_need)
{
    static const uint32_t steps[] = {100, 3, 7, 1};
    struct severity *severity = store_of_many();
    double known[MANY] = {0};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        add_and_compare(severity, steps[i], false, known);
        if (i == 0)
            ck_assert_uint_eq(severity_row(severity, METRIC_TIME, 1).count, 10);
    }
    ck_assert_uint_eq(severity_row(severity, METRIC_TIME, 1).count, MANY);
    severity_destroy(severity);
    severity = store_of_many();
    memset(known, 0, sizeof known);
    add_and_compare(severity, 100, true, known);
    add_and_compare(severity, 9, true, known);
    severity_row_clear(severity, METRIC_TIME, 1);
    const struct severity_row row = severity_row(severity, METRIC_TIME, 1);
    ck_assert(severity_row_is_zero(&row));
    ck_assert_double_eq(severity_get(severity, METRIC_TIME, 1, 99), 0);
    severity_destroy(severity);
}
END_TEST

enum { VALUES = 3 * 80 };

/* Values of a location, more than are taken at once: most rows get one at each location, some at
 * few, some two. Returns how many. */
static size_t values_of(uint32_t location, struct severity_value values[VALUES])
{
    size_t count = 0;
    for (uint32_t metric = 0; metric < 80; metric++)
        for (uint32_t path = 0; path < 3; path++)
            if (path == 0 || location % (7 + metric) == path) {
                values[count] = (struct severity_value){
                    (enum metric)(metric - metric % (path == 2 ? 2 : 1)), path, count + 0.25};
                count++;
            }
    return count;
}

START_TEST(values_of_a_location_add_up_as_one_by_one)
{
    struct severity *one_by_one = store_of_many(), *together = store_of_many();
    struct severity_value values[VALUES];
    for (uint32_t i = 0; i < 2 * MANY; i++) {
        const uint32_t location = i < MANY ? i : 7 * i % MANY; /* in order first */
        const size_t count = values_of(location, values);
        for (size_t k = 0; k < count; k++)
            ck_assert(severity_add(one_by_one, values[k].metric, values[k].path, location,
                                   values[k].value));
        ck_assert(severity_add_all(together, location, values, count));
    }
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        for (uint32_t path = 0; path < 4; path++) {
            const struct severity_row a = severity_row(one_by_one, (enum metric)metric, path);
            const struct severity_row b = severity_row(together, (enum metric)metric, path);
            ck_assert_uint_eq(a.count, b.count);
            ck_assert_int_eq(a.locations == NULL, b.locations == NULL);
            for (uint32_t i = 0; i < a.count; i++) {
                ck_assert_uint_eq(severity_row_location(&a, i), severity_row_location(&b, i));
                ck_assert_double_eq(a.values[i], b.values[i]);
            }
        }
    severity_destroy(one_by_one);
    severity_destroy(together);
}
END_TEST

START_TEST(slashes_in_names_are_escaped)
{
    struct severity *severity = example();
    char text[64];
    ck_assert_uint_eq(severity_path_format(severity, 2, text, sizeof text), 18);
    ck_assert_str_eq(text, "main/a\\/b/MPI_Recv");
    for (size_t size = 1; size < sizeof text; size++) {
        char cut[sizeof text];
        memset(cut, '#', sizeof cut);
        ck_assert_uint_eq(severity_path_format(severity, 2, cut, size), 18);
        ck_assert_uint_eq(strlen(cut), size <= 18 ? size - 1 : 18);
        ck_assert(strncmp(cut, text, strlen(cut)) == 0);
        for (size_t i = size; i < sizeof cut; i++)
            ck_assert_int_eq(cut[i], '#');
    }
    ck_assert_uint_eq(severity_path_format(severity, 2, NULL, 0), 18);
    severity_destroy(severity);
}
END_TEST

/* The other run has its paths in another order, one that only it has, and another set of ranks. */
START_TEST(difference_joins_by_name)
{
    static const struct severity_path other_paths[] = {{.parent = SEVERITY_NONE, .name = "main"},
                                                       {.parent = 0, .name = "c"},
                                                       {.parent = 0, .name = "d"}};
    static const struct severity_location other_locations[] = {{2, 0, ""}, {1, 0, ""}};
    struct severity *a = example(), *b = severity_create(other_paths, 3, other_locations, 2);
    ck_assert(severity_add(b, METRIC_TIME, 1, 1, 6));   /* main/c, rank 1 */
    ck_assert(severity_add(b, METRIC_TIME, 2, 0, 3));   /* main/d, rank 2 */
    ck_assert(severity_add(b, METRIC_VISITS, 0, 1, 5)); /* main, rank 1 */
    a->total_seconds = 10;
    b->total_seconds = 7;
    struct severity *difference;
    struct error error;
    ck_assert_int_eq(severity_difference(a, b, &difference, &error), STATUS_OK);
    ck_assert_uint_eq(difference->path_count, 5);
    ck_assert_uint_eq(difference->location_count, 3);
    ck_assert_double_eq(severity_get(difference, METRIC_TIME, 3, 1), 10);
    ck_assert_double_eq(severity_get(difference, METRIC_TIME, 4, 2), -3);
    ck_assert_str_eq(difference->paths[4].name, "d");
    ck_assert_double_eq(severity_get(difference, METRIC_VISITS, 0, 1), -5);
    ck_assert_double_eq(severity_get(difference, METRIC_TIME, 0, 0), 1);
    ck_assert_double_eq(difference->total_seconds, 3);
    severity_destroy(difference);
    severity_destroy(a);
    severity_destroy(b);
}
END_TEST

/* Metrics of other tools' reports: kept by name and unit, beside those of the list. */
START_TEST(stores_hold_foreign_metrics)
{
    struct metric_info energy = {.name = "energy",
                                 .unit = UNIT_OTHER,
                                 .unit_name = "J",
                                 .parent = METRIC_NONE,
                                 .title = "Energy",
                                 .description = "Energy used"};
    struct metric_info fastest = {.name = "min_time",
                                  .unit = UNIT_SECONDS,
                                  .parent = METRIC_NONE,
                                  .title = "Fastest",
                                  .description = "",
                                  .merge = MERGE_MIN};
    struct severity *a = example(), *b = example();
    enum metric a_energy = severity_metric_add(a, &energy);
    ck_assert_int_ge(a_energy, METRIC_COUNT);
    ck_assert_int_eq(severity_metric_add(a, &energy), a_energy);
    ck_assert_int_eq(severity_metric_find(a, "energy", "J"), a_energy);
    ck_assert_int_eq(severity_metric_find(a, "energy", "kJ"), METRIC_NONE);
    ck_assert_int_eq(severity_metric_find(a, "time", "sec"), METRIC_TIME);
    enum metric b_fastest = severity_metric_add(b, &fastest), b_energy = METRIC_NONE;
    for (char name[] = "part_a"; name[5] <= 'e'; name[5]++) { /* enough for the table to grow */
        struct metric_info part = energy;
        part.name = name;
        part.parent = b_energy;
        b_energy = severity_metric_add(b, &part);
    }
    b_energy = severity_metric_add(b, &energy);
    ck_assert_int_ne(a_energy, b_energy);
    ck_assert(severity_add(a, a_energy, 2, 1, 7) && severity_add(b, b_energy, 2, 1, 4));
    ck_assert(severity_add(b, b_fastest, 0, 0, 3) && severity_add(b, b_fastest, 3, 1, 2));
    ck_assert_double_eq(severity_total(b, b_fastest), 2);
    ck_assert_double_eq(severity_path_inclusive(b, b_fastest, 0), 2);

    struct severity *difference;
    struct error error;
    ck_assert_int_eq(severity_difference(a, b, &difference, &error), STATUS_OK);
    ck_assert_uint_eq(difference->metric_count, METRIC_COUNT + 7);
    enum metric both = severity_metric_find(difference, "energy", "J");
    ck_assert_double_eq(severity_get(difference, both, 2, 1), 3);
    enum metric part = severity_metric_find(difference, "part_e", "J");
    ck_assert_str_eq(difference->metrics[difference->metrics[part].parent].name, "part_d");
    ck_assert_double_eq(severity_total(difference, METRIC_TIME), 0);
    severity_destroy(difference);
    severity_destroy(a);
    severity_destroy(b);
}
END_TEST

START_TEST(metrics_are_named_once)
{
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        ck_assert_int_eq(metric_from_name(metric_infos[metric].name), metric);
        ck_assert(metric_infos[metric].parent == METRIC_NONE ||
                  (int)metric_infos[metric].parent < metric);
    }
    ck_assert_int_eq(metric_from_name("mpi_latesend"), METRIC_NONE);
    ck_assert_str_eq(metric_unit_name(metric_infos[METRIC_BYTES_SENT].unit), "bytes");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("severity");
    TCase *tests = tcase_create("severity");
    tcase_add_test(tests, values_add_up);
    tcase_add_test(tests, rows_keep_what_they_need);
    tcase_add_test(tests, values_of_a_location_add_up_as_one_by_one);
    tcase_add_test(tests, slashes_in_names_are_escaped);
    tcase_add_test(tests, difference_joins_by_name);
    tcase_add_test(tests, stores_hold_foreign_metrics);
    tcase_add_test(tests, metrics_are_named_once);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
