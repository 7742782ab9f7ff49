/* The page of a sweep's table: its data, and names that would be markup. With an
 * argument it prints the page: grid, computed, open or worse (page.sh). */
#include "sweep/output/formats.h"
#include "tests/check_tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 90, ROUNDS = 12 };

struct made {
    struct sweep_plan sweep;
    struct sweep_run runs[RUNS];
    struct sweep_setting settings[RUNS][3];
    struct run_result results[RUNS];
    struct run_pair pairs[RUNS][ROUNDS];
    size_t parts[RUNS][2];
    char names[RUNS][8], reports[RUNS][32], factors[RUNS][16], sizes[RUNS][16];
    struct sweep_table table;
    char *page;
};

static const char *const regions[] = {"main/<script>alert(1)</script>", "f(int, \"x\" & 'y')",
                                      "ein sehr langer Name einer Region mit Umlauten äöü ßßß"};

static struct sweep_run *add_run(struct made *made)
{
    const size_t i = made->sweep.run_count++;
    struct sweep_run *run = &made->runs[i];
    snprintf(made->names[i], sizeof made->names[i], "%03zu", i + 1);
    *run = (struct sweep_run){.name = made->names[i], .settings = made->settings[i]};
    made->results[i] =
        (struct run_result){.typical_error = NAN, .model_saving = NAN, .trustworthy = true};
    return run;
}

static void set(struct sweep_run *run, const char *key, const char *value)
{
    run->settings[run->setting_count++] = (struct sweep_setting){key, value};
}

/* Done with a saving that differs from round to round by up to `spread`. */
static void done(struct made *made, double saving, double spread, size_t rounds)
{
    const size_t i = made->sweep.run_count - 1;
    struct run_result *result = &made->results[i];
    snprintf(made->reports[i], sizeof made->reports[i], "runs/%03zu/report/r eport.json", i + 1);
    result->state = RUN_DONE;
    result->engine = rounds > 1 ? "realtime" : "model";
    result->report = made->reports[i];
    result->pairs = made->pairs[i];
    result->pair_count = rounds;
    result->changes = 1;
    result->regions = 1 + i % 4;
    for (size_t r = 0; r < rounds; r++) {
        const double unchanged = 2 + 0.3 * sin((double)r);
        const double noise = sin(1e4 * (double)(i + 1) * (double)(r + 2));
        const double changed = unchanged * (1 - saving - spread * noise);
        result->pairs[r] = (struct run_pair){unchanged, changed, unchanged, changed};
    }
}

/* Also outside of tests, where Check cannot report. */
static void make(struct made *made)
{
    struct error error;
    size_t size;
    made->sweep.runs = made->runs;
    made->sweep.options.objective = "T";
    const struct table_format *format = table_format_find("html");
    FILE *stream = open_memstream(&made->page, &size);
    if (!stream || !format ||
        table_make(&made->sweep, made->results, "/a/<b>-sweep", &made->table, &error) !=
            STATUS_OK ||
        !format->write(&made->table, stream) || fclose(stream) != 0)
        abort();
}

static void clear(struct made *made)
{
    table_clear(&made->table);
    free(made->page);
}

/* Replayed: factors by sizes by regions, a failed run, an untrustworthy one, a combination. */
static void make_grid(struct made *made)
{
    *made = (struct made){.sweep.options = {.engine = SWEEP_MODEL_THEN_REALTIME}};
    for (int factor = 0; factor < 4; factor++)
        for (int size = 0; size < 4; size++)
            for (int region = 0; region < 3; region++) {
                struct sweep_run *run = add_run(made);
                const size_t i = made->sweep.run_count - 1;
                snprintf(made->factors[i], sizeof made->factors[i], "%g", 0.25 * (factor + 1));
                snprintf(made->sizes[i], sizeof made->sizes[i], "%dk", 1 << 3 * size);
                set(run, "scale kernel.factor", made->factors[i]);
                set(run, "cut m.size", made->sizes[i]);
                set(run, "scale kernel.region", regions[region]);
                done(made, 0.03 * (3 - factor) + 0.004 * size - 0.02 * region, 0.012, ROUNDS);
                made->results[i].model_saving = 0.03 * (3 - factor);
            }
    made->results[5].trustworthy = false;
    made->results[5].reason = "4 ranks shared 2 cores <&>";
    made->parts[0][0] = 3;
    made->parts[0][1] = 6;
    made->runs[0].parts = made->parts[0];
    made->runs[0].part_count = 2;
    set(add_run(made), "scale kernel.factor", "2");
    made->results[made->sweep.run_count - 1].state = RUN_FAILED;
    made->results[made->sweep.run_count - 1].message = "sweep.ini:3: <img src=x onerror=alert(1)>";
    set(add_run(made), "scale kernel.factor", "4");
    make(made);
}

static void make_computed(struct made *made)
{
    *made = (struct made){.sweep.options = {.mode = SWEEP_ONE_AT_A_TIME}};
    for (int i = 0; i < 60; i++) {
        struct sweep_run *run = add_run(made);
        snprintf(made->factors[i], sizeof made->factors[i], "%d us", 20 * (i + 1));
        set(run, "replay.poll_gap", made->factors[i]);
        done(made, 0.2 * sin(0.1 * i), 0, 1);
    }
    make(made);
}

/* One run: not finished, or finished and slower. */
static void make_nothing(struct made *made, bool finished)
{
    *made = (struct made){.sweep.options = {.engine = SWEEP_REALTIME}};
    add_run(made);
    if (finished)
        done(made, -0.1, 0.001, ROUNDS);
    make(made);
}

/* The data in the page. */
static json_t *data_of(const struct made *made)
{
    static const char tag[] = "id=\"data\">";
    const char *begin = strstr(made->page, tag), *end = begin ? strstr(begin, "</script>") : NULL;
    ck_assert_ptr_nonnull(end);
    begin += strlen(tag);
    json_error_t detail;
    json_t *data = json_loadb(begin, (size_t)(end - begin), 0, &detail);
    ck_assert_msg(data != NULL, "%s", detail.text);
    return data;
}

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (; (text = strstr(text, part)); text++)
        found++;
    return found;
}

static double number_at(const json_t *object, const char *outer, const char *inner,
                        const char *name)
{
    return json_number_of(json_object_get(json_object_get(object, outer), inner), name);
}

/* The runs in the order of the table, with their figures. */
static void check_runs(const struct made *made, const json_t *data)
{
    const json_t *runs = json_object_get(data, "runs");
    for (size_t i = 0; i < made->table.done_count; i++) {
        const struct table_row *row = &made->table.rows[i];
        const json_t *run = json_array_get(runs, i);
        ck_assert_str_eq(json_text_of(run, "name"), row->run->name);
        ck_assert_double_eq(json_number_of(run, "rank"), (double)i + 1);
        ck_assert_double_eq_tol(number_at(run, "objective", "gain", "median"),
                                row->objective.median, 1e-11);
        ck_assert_double_eq_tol(number_at(run, "objective", "gain", "low"), row->objective.low,
                                1e-11);
        ck_assert_ptr_nonnull(strstr(json_text_of(run, "report"), "/report/r eport.json"));
    }
}

START_TEST(replayed_runs)
{
    static struct made made;
    make_grid(&made);
    json_t *data = data_of(&made);
    check_runs(&made, data);
    ck_assert(made.table.rows[0].significant);
    ck_assert_double_eq(json_number_of(data, "done"), 48);
    ck_assert_double_eq(json_number_of(data, "failed"), 1);
    ck_assert_double_eq(json_number_of(data, "open"), 1);
    ck_assert_double_eq(json_number_of(data, "replayed"), 48);
    size_t gains = 0;
    for (size_t i = 0; i < made.table.done_count; i++)
        gains += made.table.rows[i].significant && made.table.rows[i].objective.median > 0;
    ck_assert_double_eq(json_number_of(data, "gains"), (double)gains);
    const json_t *key = json_array_get(json_object_get(data, "keys"), 1);
    ck_assert_str_eq(json_text_of(key, "name"), "cut m.size");
    ck_assert_str_eq(json_text_of(key, "label"), "size");
    ck_assert(json_is_true(json_object_get(key, "varies")));
    ck_assert_uint_eq(json_array_size(json_object_get(data, "combinations")), 1);
    json_decref(data);
    clear(&made);
}
END_TEST

START_TEST(names_cannot_end_the_script_around_them)
{
    static struct made made;
    make_grid(&made);
    ck_assert_uint_eq(count(made.page, "<script>alert"), 0);
    ck_assert_uint_eq(count(made.page, "<img src"), 0);
    ck_assert_uint_eq(count(made.page, "<b>-sweep"), 0);
    ck_assert_uint_eq(count(made.page, "<script"), count(made.page, "</script>"));
    ck_assert_uint_eq(count(made.page, "content=\"default-src 'none'; script-src"), 1);
    clear(&made);
}
END_TEST

START_TEST(computed_runs)
{
    static struct made made;
    make_computed(&made);
    json_t *data = data_of(&made);
    check_runs(&made, data);
    ck_assert_double_eq(json_number_of(data, "replayed"), 0);
    json_decref(data);
    clear(&made);
}
END_TEST

/* A page has room for so many runs; those of the front are among them wherever they rank. */
START_TEST(the_rest_is_left_to_other_formats)
{
    static struct made made;
    make_grid(&made);
    size_t front = 0;
    for (size_t i = 10; i < made.table.row_count; i++)
        front += made.table.rows[i].on_front;
    json_t *some = table_json(&made.table, 10), *all = table_json(&made.table, 0);
    ck_assert_uint_eq(json_array_size(json_object_get(some, "runs")), 10 + front);
    ck_assert_uint_eq(json_array_size(json_object_get(all, "runs")), made.table.row_count);
    json_decref(some);
    json_decref(all);
    clear(&made);
}
END_TEST

int main(int argc, char **argv)
{
    static struct made made;
    if (argc > 1) {
        if (strcmp(argv[1], "grid") == 0)
            make_grid(&made);
        else if (strcmp(argv[1], "computed") == 0)
            make_computed(&made);
        else
            make_nothing(&made, strcmp(argv[1], "worse") == 0);
        fputs(made.page, stdout);
        clear(&made);
        return 0;
    }
    Suite *suite = suite_create("html");
    TCase *tests = tcase_create("page");
    tcase_add_test(tests, replayed_runs);
    tcase_add_test(tests, names_cannot_end_the_script_around_them);
    tcase_add_test(tests, computed_runs);
    tcase_add_test(tests, the_rest_is_left_to_other_formats);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
