/* Severity files: what each format keeps, and what readers do with damaged files. */
#include "tests/report/severity_case.h"

#include "report/format.h"

#include <silas/plugin.h>
#include <string.h>
#include <unistd.h>

/* What a format wrote, as its reader gets it. */
static char *write_text(const struct severity *severity, const char *format, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    ck_assert_ptr_nonnull(stream);
    const struct report_format *found = report_format_find(format);
    ck_assert(found->write ? found->write(&(struct report){.run = severity}, NULL, stream)
                           : found->write_run(severity, stream));
    ck_assert_int_eq(fclose(stream), 0);
    return text;
}

static enum status read_text(const char *format, const char *text, size_t size,
                             struct severity **severity, struct error *error)
{
    unsigned char *copy = malloc(size + 1); /* its own block: reading past it shows */
    memcpy(copy, text, size);
    copy[size] = '\0';
    struct severity_file file = {"file", copy, size};
    *severity = NULL;
    enum status status = report_format_find(format)->read(&file, severity, error);
    free(copy);
    ck_assert_int_eq(status == STATUS_OK, *severity != NULL);
    return status;
}

/* Compares all values, joined by name: they are equal to the last bit. */
static void check_same_values(const struct severity *a, const struct severity *b)
{
    struct severity *difference;
    struct error error;
    ck_assert_int_eq(severity_difference(a, b, &difference, &error), STATUS_OK);
    ck_assert_uint_eq(difference->metric_count, a->metric_count);
    ck_assert_uint_eq(difference->path_count, a->path_count);
    ck_assert_uint_eq(difference->location_count, a->location_count);
    for (uint32_t metric = 0; metric < a->metric_count; metric++)
        for (uint32_t path = 0; path < CASE_PATHS; path++) {
            const struct severity_row row = severity_row(difference, (enum metric)metric, path);
            ck_assert_msg(severity_row_is_zero(&row), "%s differs at %u", a->metrics[metric].name,
                          path);
        }
    severity_destroy(difference);
}

static void check_same_descriptions(const struct severity *a, const struct severity *b)
{
    ck_assert_double_eq(a->total_seconds, b->total_seconds);
    for (uint32_t metric = METRIC_COUNT; metric < a->metric_count; metric++) {
        const struct metric_info *info = &a->metrics[metric];
        enum metric other = severity_metric_find(b, info->name, metric_info_unit(info));
        ck_assert_int_ne(other, METRIC_NONE);
        ck_assert_str_eq(b->metrics[other].title, info->title);
        ck_assert_str_eq(b->metrics[other].description, info->description);
        ck_assert_int_eq(b->metrics[other].merge, info->merge);
        ck_assert_str_eq(metric_info_unit(&b->metrics[other]), metric_info_unit(info));
        enum metric parent = b->metrics[other].parent;
        if (info->parent == METRIC_NONE)
            ck_assert_int_eq(parent, METRIC_NONE);
        else
            ck_assert_str_eq(b->metrics[parent].name, a->metrics[info->parent].name);
    }
    for (uint32_t i = 0; i < a->location_count; i++)
        for (uint32_t j = 0; j < b->location_count; j++)
            if (a->locations[i].rank == b->locations[j].rank &&
                a->locations[i].thread == b->locations[j].thread)
                ck_assert_str_eq(a->locations[i].host, b->locations[j].host);
    unsigned mpi = 0;
    for (uint32_t i = 0; i < b->path_count; i++)
        mpi += b->paths[i].mpi && strcmp(b->paths[i].name, "MPI_Recv") == 0;
    ck_assert_uint_eq(mpi, 2);
}

static const char *const stored[] = {"tsv", "json", "cubex"};
enum { STORED = 3 };

START_TEST(formats_keep_every_value)
{
    struct severity *original = severity_case(), *copy;
    struct error error;
    size_t size;
    char *text = write_text(original, stored[_i], &size);
    ck_assert_int_eq(read_text(stored[_i], text, size, &copy, &error), STATUS_OK);
    check_same_values(original, copy);
    if (_i > 0) /* TSV has values only */
        check_same_descriptions(original, copy);
    free(text);
    severity_destroy(copy);
    severity_destroy(original);
}
END_TEST

/* Through all formats, and to the same bytes again. */
START_TEST(a_second_copy_is_the_same_file)
{
    struct severity *original = severity_case(), *first, *second;
    struct error error;
    size_t size, again_size;
    char *text = write_text(original, stored[_i], &size);
    ck_assert_int_eq(read_text(stored[_i], text, size, &first, &error), STATUS_OK);
    free(text);
    text = write_text(first, stored[_i], &size);
    ck_assert_int_eq(read_text(stored[_i], text, size, &second, &error), STATUS_OK);
    char *again = write_text(second, stored[_i], &again_size);
    ck_assert_uint_eq(again_size, size);
    ck_assert_mem_eq(again, text, size);
    free(again);
    free(text);
    severity_destroy(second);
    severity_destroy(first);
    severity_destroy(original);
}
END_TEST

START_TEST(names_in_other_encodings_become_utf8)
{
    static const struct severity_path path = {.parent = SEVERITY_NONE, .name = "gr\xfc\xdf\x01"};
    struct severity *original = severity_create(&path, 1, case_locations, 1), *copy;
    struct error error;
    size_t size;
    ck_assert(severity_add(original, METRIC_TIME, 0, 0, 1));
    char *text = write_text(original, stored[_i], &size);
    ck_assert_int_eq(read_text(stored[_i], text, size, &copy, &error), STATUS_OK);
    ck_assert_str_eq(copy->paths[0].name, strcmp(stored[_i], "json") == 0 ? "gr\xc3\xbc\xc3\x9f\x01"
                                                                          : "gr\xc3\xbc\xc3\x9f?");
    free(text);
    severity_destroy(copy);
    severity_destroy(original);
}
END_TEST

START_TEST(an_empty_store_is_kept)
{
    struct severity *original = severity_create(NULL, 0, NULL, 0), *copy;
    struct error error;
    size_t size;
    char *text = write_text(original, stored[_i], &size);
    ck_assert_int_eq(read_text(stored[_i], text, size, &copy, &error), STATUS_OK);
    ck_assert_uint_eq(copy->path_count, 0);
    ck_assert_uint_eq(copy->metric_count, METRIC_COUNT);
    free(text);
    severity_destroy(copy);
    severity_destroy(original);
}
END_TEST

/* A file that ends anywhere is an error with a message. Not so only where no more than the end mark
 * of the tar archive is lost, or all but a whole number of lines. */
START_TEST(cut_off_files_are_refused)
{
    struct severity *original = severity_case(), *copy;
    size_t size;
    char *text = write_text(original, stored[_i], &size);
    size_t needed = strcmp(stored[_i], "cubex") == 0 ? size - 1024 : size - 1;
    for (size_t length = 1; length < size; length += length < 2000 ? 1 : 37) {
        struct error error = {STATUS_OK, ""};
        if (read_text(stored[_i], text, length, &copy, &error) == STATUS_OK) {
            bool whole_lines = strcmp(stored[_i], "tsv") == 0 && text[length - 1] == '\n';
            ck_assert_msg(whole_lines || length + 512 > needed, "%zu of %zu bytes", length, size);
        } else {
            ck_assert_int_eq(error.status, STATUS_INPUT);
            ck_assert_msg(strncmp(error.text, "file:", 5) == 0, "%s", error.text);
        }
        severity_destroy(copy);
    }
    free(text);
    severity_destroy(original);
}
END_TEST

static uint32_t random_state = 12345;

static uint32_t next_random(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 8;
}

/* Reading must end with a store or with a message. Run this with --enable-sanitizers, too. */
START_TEST(damaged_files_do_no_harm)
{
    struct severity *original = severity_case(), *copy;
    size_t size;
    char *text = write_text(original, stored[_i], &size);
    for (int round = 0; round < 3000; round++) {
        char *damaged = malloc(size);
        struct error error = {STATUS_OK, ""};
        memcpy(damaged, text, size);
        for (uint32_t bytes = 1 + next_random() % 4; bytes > 0; bytes--)
            damaged[next_random() % size] = (char)next_random();
        if (read_text(stored[_i], damaged, size, &copy, &error) != STATUS_OK)
            ck_assert(error.status != STATUS_OK && error.text[0]);
        severity_destroy(copy);
        free(damaged);
    }
    free(text);
    severity_destroy(original);
}
END_TEST

/* The whole of a file, which is removed; to be freed. */
static char *take_file(const char *directory, const char *name)
{
    char path[256], *text = calloc(1, 4096);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "there is no %s", path);
    ck_assert_uint_lt(fread(text, 1, 4095, file), 4095);
    fclose(file);
    unlink(path);
    return text;
}

/* A format needs no more than write_run: what each program gives it to write. */
START_TEST(the_template_works_in_all_programs)
{
    const struct report_format *template = silas_plugin.formats[0];
    struct severity *before = severity_case(), *after = severity_case();
    struct replay_report replay = {.rank_count = 1};
    const struct report reports[] = {{.run = before}, {.before = before, .after = after}};
    char directory[] = "severity_files.XXXXXX", path[64], *text;
    struct error error = {STATUS_OK, ""};
    ck_assert_ptr_null(report_format_find(template->name));
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert(severity_add(after, METRIC_VISITS, 0, 0, 3));
    snprintf(path, sizeof path, "%s/file", directory);
    ck_assert_int_eq(report_write(&reports[0], template, path, &error), STATUS_OK);
    text = take_file(directory, "file");
    ck_assert_ptr_nonnull(strstr(text, "core_energy 0.1"));
    free(text);
    ck_assert_int_eq(report_write(&reports[1], template, path, &error), STATUS_OK);
    text = take_file(directory, "file");
    ck_assert_str_eq(text, "visits 3 occ\n");
    free(text);
    ck_assert_int_eq(comparison_create(before, after, &replay.comparison, &error), STATUS_OK);
    ck_assert_int_eq(
        report_write_replay(&(struct report){.replay = &replay}, template, directory, &error),
        STATUS_OK);
    for (int i = 0; i < 2; i++) {
        text = take_file(directory, template->replay_files[i]);
        ck_assert_ptr_nonnull(strstr(text, "core_energy 0.1"));
        free(text);
    }
    ck_assert_int_eq(rmdir(directory), 0);
    comparison_destroy(&replay.comparison);
    severity_destroy(before);
    severity_destroy(after);
}
END_TEST

START_TEST(every_format_can_write_all_there_is)
{
    char names[REPORT_FORMAT_NAMES];
    for (const struct report_format *const *format = report_format_list(); *format; format++) {
        ck_assert_ptr_eq(report_format_find((*format)->name), *format);
        ck_assert(((*format)->write_run || (*format)->write) && (*format)->replay_files[0]);
        ck_assert_int_eq((*format)->replay_files[1] == NULL,
                         (*format)->write_replay || (*format)->write);
        ck_assert_int_eq((*format)->read == NULL, (*format)->recognises == NULL);
    }
    ck_assert_str_eq(report_format_names(false, names), "text, html, json, cubex or tsv");
    ck_assert_str_eq(report_format_names(true, names), "json, cubex or tsv");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("severity files");
    TCase *tests = tcase_create("formats");
    tcase_add_loop_test(tests, formats_keep_every_value, 0, STORED);
    tcase_add_loop_test(tests, a_second_copy_is_the_same_file, 0, STORED);
    tcase_add_loop_test(tests, names_in_other_encodings_become_utf8, 1, STORED);
    tcase_add_loop_test(tests, an_empty_store_is_kept, 0, STORED);
    tcase_add_loop_test(tests, cut_off_files_are_refused, 0, STORED);
    tcase_add_loop_test(tests, damaged_files_do_no_harm, 0, STORED);
    tcase_add_test(tests, the_template_works_in_all_programs);
    tcase_add_test(tests, every_format_can_write_all_there_is);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
