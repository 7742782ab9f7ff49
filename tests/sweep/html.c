/* The page of a sweep's table: its figures, its links, and names that would be markup. With an
 * argument it prints the page for people: `html grid`, `html computed`. */
#include "sweep/table.h"
#include "tests/check_tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 90, ROUNDS = 12 };

struct made {
    struct sweep sweep;
    struct sweep_run runs[RUNS];
    struct sweep_setting settings[RUNS][3];
    struct run_result results[RUNS];
    struct run_pair pairs[RUNS][ROUNDS];
    size_t parts[RUNS][2];
    char names[RUNS][8], reports[RUNS][32], factors[RUNS][16], sizes[RUNS][16];
    struct table table;
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
    made->results[i] = (struct run_result){.model_saving = NAN, .trustworthy = true};
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

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (; (text = strstr(text, part)); text++)
        found++;
    return found;
}

#define HAS(made, text) \
    ck_assert_msg(strstr((made)->page, text) != NULL, "the page has no %s", text)

static void check_self_contained(const struct made *made)
{
    HAS(made, "content=\"default-src 'none'; style-src 'unsafe-inline'\"");
    ck_assert_uint_eq(count(made->page, "http:"), 0);
    ck_assert_uint_eq(count(made->page, "https:"), 0);
    ck_assert_uint_eq(count(made->page, "<script"), 0);
    ck_assert_uint_eq(count(made->page, "<img"), 0);
    ck_assert_uint_eq(count(made->page, "<link"), 0);
    ck_assert_uint_eq(count(made->page, "url("), 0);
    ck_assert_uint_eq(count(made->page, "@import"), 0);
    ck_assert_uint_eq(count(made->page, "nan"), 0);
    ck_assert_uint_eq(count(made->page, "inf "), 0);
    ck_assert_uint_eq(count(made->page, "<svg"), count(made->page, "</svg>"));
    ck_assert_uint_eq(count(made->page, "<table>"), count(made->page, "</table>"));
    ck_assert_uint_eq(count(made->page, "<title>"), count(made->page, "</title>"));
}

/* The figures of each row, in its order. */
static void check_rows(const struct made *made)
{
    const char *at = strstr(made->page, "<tbody>");
    for (size_t i = 0; i < made->table.done_count; i++) {
        const struct table_row *row = &made->table.rows[i];
        char text[120];
        snprintf(text, sizeof text,
                 "<td class=\"number\">%zu</td><td><a href=\"runs/%s/config.ini\">", i + 1,
                 row->run->name);
        ck_assert_msg((at = strstr(at, text)) != NULL, "row %zu is not in its place", i + 1);
        const char *end = strstr(at, "</tr>");
        snprintf(text, sizeof text, "<b>%.2f</b>", 100 * row->objective.median);
        const char *figure = strstr(at, text);
        ck_assert_msg(figure && figure < end, "row %zu has no %s", i + 1, text);
        snprintf(text, sizeof text, ">%.2f .. %.2f</td>", 100 * row->objective.low,
                 100 * row->objective.high);
        figure = row->computed ? at : strstr(at, text);
        ck_assert_msg(figure && figure < end, "row %zu has no %s", i + 1, text);
        snprintf(text, sizeof text, "href=\"runs/%s/report/r%%20eport.json\"", row->run->name);
        figure = strstr(at, text);
        ck_assert_msg(figure && figure < end, "row %zu has no %s", i + 1, text);
    }
}

START_TEST(replayed_runs)
{
    static struct made made;
    make_grid(&made);
    check_self_contained(&made);
    check_rows(&made);
    char verdict[120];
    const struct table_row *best = &made.table.rows[0];
    ck_assert(best->significant);
    snprintf(verdict, sizeof verdict,
             "<p class=\"verdict\">Run %s saves %.2f %% of T (%.2f .. %.2f)", best->run->name,
             100 * best->saving.median, 100 * best->saving.low, 100 * best->saving.high);
    HAS(&made, verdict);
    HAS(&made, "50 runs: 48 done, <a href=\"#failed\">1 failed</a>, 1 open");
    HAS(&made, "&lt;img src=x onerror=alert(1)&gt;");
    HAS(&made, "main/&lt;script&gt;alert(1)&lt;/script&gt;");
    HAS(&made, "f(int, &quot;x&quot; &amp; &#39;y&#39;)");
    HAS(&made, "4 ranks shared 2 cores &lt;&amp;&gt;");
    HAS(&made, "<h1>&lt;b&gt;-sweep</h1>");
    HAS(&made, "<summary>8 more</summary>");
    ck_assert_uint_eq(count(made.page, "<svg class=\"row\""), 48);
    ck_assert_uint_eq(count(made.page, "<svg class=\"figure\""), 4); /* 3 settings, the front */
    ck_assert_uint_eq(count(made.page, "<circle class=\"mark"), 4 * 48);
    HAS(&made, "size (logarithmic)");
    clear(&made);
}
END_TEST

START_TEST(combinations)
{
    static struct made made;
    make_grid(&made);
    ck_assert_uint_eq(made.table.combination_count, 1);
    char text[160];
    snprintf(text, sizeof text,
             "<td class=\"number\">%.2f</td><td class=\"number\">%.2f</td><td "
             "class=\"number\"><b>%+.2f</b></td>",
             100 * made.table.combinations[0].sum,
             100 * made.table.rows[made.table.combinations[0].row].objective.median,
             100 * made.table.combinations[0].difference.median);
    HAS(&made, text);
    HAS(&made, ">004</a> + <a href=\"runs/007/config.ini\">007</a>");
    clear(&made);
}
END_TEST

START_TEST(computed_runs)
{
    static struct made made;
    make_computed(&made);
    check_self_contained(&made);
    check_rows(&made);
    HAS(&made, ", computed by the model: <b>poll_gap = 340 us</b>");
    ck_assert_uint_eq(count(made.page, "<th>interval"), 0);
    clear(&made);
}
END_TEST

START_TEST(nothing_to_show)
{
    static struct made made;
    made = (struct made){0};
    add_run(&made);
    make(&made);
    check_self_contained(&made);
    HAS(&made, "No run is finished.");
    ck_assert_uint_eq(count(made.page, "<svg"), 0);
    clear(&made);
    made = (struct made){0};
    add_run(&made);
    done(&made, -0.1, 0.001, ROUNDS);
    make(&made);
    HAS(&made, "No run makes T significantly better.");
    clear(&made);
}
END_TEST

int main(int argc, char **argv)
{
    static struct made made;
    if (argc > 1) {
        if (strcmp(argv[1], "grid") == 0)
            make_grid(&made);
        else
            make_computed(&made);
        fputs(made.page, stdout);
        clear(&made);
        return 0;
    }
    Suite *suite = suite_create("html");
    TCase *tests = tcase_create("page");
    tcase_add_test(tests, replayed_runs);
    tcase_add_test(tests, combinations);
    tcase_add_test(tests, computed_runs);
    tcase_add_test(tests, nothing_to_show);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
