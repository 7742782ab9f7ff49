/* Lines that map clocks of hosts to each other, and up to which time while a run is reduced. */
#include "measure/reduce/clock_exchange.h"
#include "measure/reduce/host_clocks.h"

#include "tests/check_tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64];

static clock_line line_of(const struct clock_point *points, size_t count)
{
    clock_line line = {0};
    for (size_t i = 0; i < count; i++)
        ck_assert(array_push(&line, points[i]));
    return line;
}

START_TEST(lines_have_straight_pieces)
{
    static const struct clock_point points[] = {{1000, 50}, {2000, 150}, {4000, 150}};
    clock_line none = line_of(points, 0), one = line_of(points, 1), all = line_of(points, 3);
    ck_assert_uint_eq(clock_line_time(&none, 1234), 1234);
    ck_assert_uint_eq(clock_line_time(&one, 1234), 1284);
    ck_assert_uint_eq(clock_line_time(&all, 1000), 1050);
    ck_assert_uint_eq(clock_line_time(&all, 1500), 1600);
    ck_assert_uint_eq(clock_line_time(&all, 2000), 2150);
    ck_assert_uint_eq(clock_line_time(&all, 3000), 3150);
    ck_assert_uint_eq(clock_line_time(&all, 900), 940);   /* before the first point */
    ck_assert_uint_eq(clock_line_time(&all, 5000), 5150); /* after the last one */
    free(one.items);
    free(all.items);
}
END_TEST

START_TEST(rates_give_the_end_of_a_line)
{
    const struct clock_point first = {1000, 50};
    ck_assert_int_eq(clock_line_end(first, 101000, 1e9, 1.001e9).offset, 150);
    ck_assert_int_eq(clock_line_end(first, 101000, 0, 1e9).offset, 50);
    ck_assert_uint_eq(clock_line_end(first, 500, 1e9, 1e9).time, 1000);
    ck_assert_int_eq(clock_line_end((struct clock_point){1000, 0}, 101000, 1e9, 2e9).offset, 0);
}
END_TEST

static void append(struct record_path path, const void *data, size_t size)
{
    FILE *file = fopen(path.text, "abe");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, size, 1, file), 1);
    ck_assert_int_eq(fclose(file), 0);
}

/* Rank 3 has begun. */
static void define_process(void)
{
    static const uint32_t process[] = {
        DEFINITION_PROCESS, 8 * sizeof(uint32_t), 3, 4, 0, 0, 0, 0, 0, 0};
    append(record_path_of_rank(directory, 3, "definitions"), process, sizeof process);
}

/* It compares its clock in MPI_Init or MPI_Finalize. */
static void compare_by_mpi(struct clock_point point)
{
    const uint32_t head[] = {DEFINITION_CLOCK_OFFSET, sizeof point};
    const struct record_path path = record_path_of_rank(directory, 3, "definitions");
    append(path, head, sizeof head);
    append(path, &point, sizeof point);
}

static void compare_by_keepers(struct clock_point point)
{
    append(clock_exchange_path(directory, "boot-3"), &point, sizeof point);
}

static void make_directory(void)
{
    snprintf(directory, sizeof directory, "/tmp/silas-host-clocks.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(mkdir(record_path(directory, "").text, 0777), 0);
}

static void remove_directory(void)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    ck_assert_int_eq(system(command), 0); /* NOLINT(concurrency-mt-unsafe) */
}

static void update(struct host_clock *clock)
{
    struct error error;
    ck_assert_int_eq(host_clock_update(clock, &error), STATUS_OK);
}

START_TEST(times_are_known_up_to_the_last_comparison)
{
    const uint64_t second = 1000000000;
    struct host_clock clock;
    struct error error;
    make_directory();
    host_clock_open(&clock, directory, "boot-3", 3);
    update(&clock);
    ck_assert(!host_clock_maps(&clock, 1));
    define_process();
    compare_by_mpi((struct clock_point){1 * second, 100});
    update(&clock);
    ck_assert(!host_clock_maps(&clock, 1));
    compare_by_keepers((struct clock_point){3 * second, 300});
    update(&clock);
    ck_assert(host_clock_maps(&clock, 3 * second));
    ck_assert(!host_clock_maps(&clock, 3 * second + 1));
    ck_assert_uint_eq(clock_line_time(&clock.line, 2 * second), 2 * second + 200);
    compare_by_keepers((struct clock_point){7 * second, 300});
    update(&clock);
    ck_assert(host_clock_maps(&clock, 6 * second));
    ck_assert_uint_eq(clock_line_time(&clock.line, 2 * second), 2 * second + 200);
    ck_assert_uint_eq(clock_line_time(&clock.line, 5 * second), 5 * second + 300);

    compare_by_mpi((struct clock_point){9 * second, 500});
    ck_assert_int_eq(host_clock_finish(&clock, 9 * second, 1e9, 1e9, &error), STATUS_OK);
    ck_assert(host_clock_maps(&clock, 100 * second));
    ck_assert_uint_eq(clock_line_time(&clock.line, 8 * second), 8 * second + 400);

    struct rank_definitions definitions;
    ck_assert_int_eq(host_clock_define(&clock, 3, &error), STATUS_OK);
    ck_assert_int_eq(rank_definitions_read(directory, 3, &definitions, &error), STATUS_OK);
    ck_assert(definitions.clock_is_line);
    ck_assert_uint_eq(definitions.clock.count, 4);
    ck_assert_uint_eq(clock_line_time(&definitions.clock, 8 * second), 8 * second + 400);
    rank_definitions_free(&definitions);
    host_clock_close(&clock);
    remove_directory();
}
END_TEST

/* As that of MPI_Finalize right after one of the keepers: the slope between the two would be wrong.
 */
START_TEST(a_comparison_right_after_another_does_not_count)
{
    const uint64_t second = 1000000000;
    struct host_clock clock;
    struct error error;
    make_directory();
    host_clock_open(&clock, directory, "boot-3", 3);
    define_process();
    compare_by_mpi((struct clock_point){1 * second, 0});
    compare_by_keepers((struct clock_point){3 * second, 200});
    compare_by_mpi((struct clock_point){3 * second + 1000, 5200});
    ck_assert_int_eq(host_clock_finish(&clock, 4 * second, 1e9, 1e9, &error), STATUS_OK);
    ck_assert_uint_eq(clock_line_time(&clock.line, 4 * second), 4 * second + 300);
    host_clock_close(&clock);
    remove_directory();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clocks of hosts");
    TCase *tests = tcase_create("clocks");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, lines_have_straight_pieces);
    tcase_add_test(tests, rates_give_the_end_of_a_line);
    tcase_add_test(tests, times_are_known_up_to_the_last_comparison);
    tcase_add_test(tests, a_comparison_right_after_another_does_not_count);
    return check_tap(suite);
}
