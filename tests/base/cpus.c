/* Cores of many CPUs, and of CPUs that share them. */
#include "base/cpus.h"
#include "tests/check_tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add(struct cpu_mask *mask, int cpu)
{
    mask->bits[cpu / 8] |= (unsigned char)(1 << cpu % 8);
}

/* As the system says it. */
static void describe(const char *folder, int cpu, const char *siblings)
{
    char path[300];
    snprintf(path, sizeof path, "%s/cpu%d", folder, cpu);
    mkdir(path, 0700);
    strcat(path, "/topology");
    mkdir(path, 0700);
    strcat(path, "/thread_siblings_list");
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%s\n", siblings);
    fclose(file);
}

START_TEST(test_own)
{
    struct cpu_mask mask;
    cpus_of_process(&mask);
    int cores = cpus_count_cores(&mask, CPUS_FOLDER), all = cpus_count_cores(&mask, "/nowhere");
    ck_assert_int_ge(cores, 1);
    ck_assert_int_ge(all, cores);
}
END_TEST

START_TEST(test_many)
{
    struct cpu_mask mask = {{0}};
    for (int cpu = 0; cpu < 3000; cpu += 2)
        add(&mask, cpu);
    ck_assert_int_eq(cpus_count_cores(&mask, "/nowhere"), 1500);
}
END_TEST

START_TEST(test_threads_of_cores)
{
    char folder[] = "/tmp/silas-cpus.XXXXXX", command[100];
    struct cpu_mask mask = {{0}};
    ck_assert_ptr_nonnull(mkdtemp(folder));
    describe(folder, 0, "0,2");
    describe(folder, 1, "1,3");
    describe(folder, 2, "0,2");
    describe(folder, 3, "1,3");
    describe(folder, 4, "4-5");
    describe(folder, 5, "4-5");
    for (int cpu = 0; cpu < 4; cpu++)
        add(&mask, cpu);
    ck_assert_int_eq(cpus_count_cores(&mask, folder), 2);
    add(&mask, 5); /* its core, although the first CPU of it is not ours */
    ck_assert_int_eq(cpus_count_cores(&mask, folder), 3);
    add(&mask, 6); /* not described */
    ck_assert_int_eq(cpus_count_cores(&mask, folder), 4);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpus");
    TCase *tests = tcase_create("cpus");
    tcase_add_test(tests, test_own);
    tcase_add_test(tests, test_many);
    tcase_add_test(tests, test_threads_of_cores);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
