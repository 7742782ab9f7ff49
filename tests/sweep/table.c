/* The table of a sweep: ranks, significance, combinations, and its formats. */
#include "base/json.h"
#include "sweep/table.h"
#include "sweep/verdict.h"
#include "tests/check_tap.h"

#include <math.h>
#include <string.h>

enum { MOST_RUNS = 8, MOST_ROUNDS = 16 };

/* A sweep made by hand: the rounds' machine drifts by 30 %, which all replays of a round share. */
struct made {
    struct sweep_plan sweep;
    struct sweep_run runs[MOST_RUNS];
    struct sweep_setting settings[MOST_RUNS][3];
    size_t parts[MOST_RUNS][2];
    struct run_result results[MOST_RUNS];
    struct run_pair pairs[MOST_RUNS][MOST_ROUNDS];
    char names[MOST_RUNS][8];
    struct sweep_table table;
};

static double drift(size_t round)
{
    return 1 + 0.3 * sin((double)round);
}

/* Small deviations without a pattern, -1 .. 1. */
static double noise(size_t run, size_t round)
{
    return sin(1e4 * (double)(run + 1) * (double)(round + 2));
}

static void add_run(struct made *made, const char *factor, const char *size)
{
    const size_t i = made->sweep.run_count++;
    struct sweep_run *run = &made->runs[i];
    snprintf(made->names[i], sizeof made->names[i], "%03zu", i + 1);
    *run = (struct sweep_run){.name = made->names[i], .settings = made->settings[i]};
    made->settings[i][run->setting_count++] = (struct sweep_setting){"scale foo.factor", factor};
    if (size)
        made->settings[i][run->setting_count++] = (struct sweep_setting){"resize bar.size", size};
    made->settings[i][run->setting_count++] = (struct sweep_setting){"scale foo.ranks", "0..3"};
    made->results[i] = (struct run_result){
        .typical_error = NAN, .model_saving = NAN, .trustworthy = true, .regions = 1, .changes = 1};
}

static void done(struct made *made, size_t run, double saving, double spread, size_t rounds)
{
    struct run_result *result = &made->results[run];
    result->state = RUN_DONE;
    result->engine = "realtime";
    result->pairs = made->pairs[run];
    result->pair_count = rounds;
    for (size_t i = 0; i < rounds; i++) {
        const double unchanged = drift(i) * 2,
                     changed = unchanged * (1 - saving - spread * noise(run, i));
        made->pairs[run][i] = (struct run_pair){unchanged, changed, unchanged, changed};
    }
}

static void computed(struct made *made, size_t run, double saving)
{
    done(made, run, saving, 0, 1);
    made->results[run].engine = "model";
}

static void failed(struct made *made, size_t run, const char *message)
{
    made->results[run] = (struct run_result){
        .state = RUN_FAILED, .message = (char *)message, .typical_error = NAN, .model_saving = NAN};
}

static void combine(struct made *made, size_t run, size_t a, size_t b)
{
    made->parts[run][0] = a;
    made->parts[run][1] = b;
    made->runs[run].parts = made->parts[run];
    made->runs[run].part_count = 2;
}

static void make(struct made *made, const char *objective)
{
    struct error error;
    made->sweep.runs = made->runs;
    made->sweep.options.objective = objective;
    ck_assert_int_eq(table_make(&made->sweep, made->results, "/a/sweep", &made->table, &error),
                     STATUS_OK);
}

static const char *name_at(const struct made *made, size_t rank)
{
    return made->table.rows[rank].run->name;
}

/* Five replayed runs, a failed and an open one. 002 has the larger median, but 001 is safe. */
static void make_usual(struct made *made)
{
    *made = (struct made){0};
    add_run(made, "0.5", "1k");
    add_run(made, "0.25", "1k");
    add_run(made, "1", "1k");
    add_run(made, "2", NULL);
    add_run(made, "0.9", "a, \"b\"");
    add_run(made, "0.1", "1k");
    add_run(made, "0.2", "1k");
    done(made, 0, 0.10, 0.001, 10);
    done(made, 1, 0.11, 0.08, 10);
    done(made, 2, 0, 0.005, 10);
    done(made, 3, -0.2, 0.01, 10);
    done(made, 4, 0.02, 0.001, 10);
    failed(made, 5, "no region of the trace is called \"fooo\"; did you mean \"foo\"?");
    made->results[1].regions = 2;
    made->results[4].trustworthy = false;
    made->results[4].reason = (char *)"4 ranks shared 2 cores";
    make(made, "T");
}

START_TEST(rows_are_ranked_by_the_lower_end)
{
    struct made made;
    make_usual(&made);
    const struct sweep_table *table = &made.table;
    ck_assert_str_eq(name_at(&made, 0), "001");
    ck_assert_str_eq(name_at(&made, 3), "003");
    ck_assert_str_eq(name_at(&made, 4), "004");
    ck_assert_str_eq(name_at(&made, 5), "006");
    ck_assert_str_eq(name_at(&made, 6), "007");
    ck_assert_uint_eq(table->row_count, 7);
    ck_assert_uint_eq(table->done_count, 5);
    ck_assert_uint_eq(table->failed_count, 1);
    ck_assert_uint_eq(table->replayed_count, 5);
    ck_assert_uint_eq(table->rounds, 10);
    for (size_t i = 1; i < 5; i++)
        ck_assert_double_ge(table->rows[i - 1].objective.low, table->rows[i].objective.low);
    ck_assert(isnan(table->rows[5].saving.median) && isnan(table->rows[6].p));
    table_clear(&made.table);
}
END_TEST

START_TEST(pairs_cancel_the_drift)
{
    struct made made;
    make_usual(&made);
    const struct table_row *best = &made.table.rows[0];
    ck_assert_double_eq_tol(best->saving.median, 0.1, 0.001);
    ck_assert_double_lt(best->saving.high - best->saving.low, 0.002);
    ck_assert_double_ge(best->saving.level, 0.95);
    ck_assert_double_eq_tol(best->p, ldexp(1, -9), 1e-12);
    ck_assert_mem_eq(&best->saving, &best->objective, sizeof best->saving);
    ck_assert(best->significant && best->on_front);
    ck_assert(!made.table.rows[3].significant && !made.table.rows[3].on_front);
    ck_assert(made.table.rows[4].significant); /* a loss */
    ck_assert_ptr_eq(table_best_gain(&made.table), best);
    ck_assert_uint_eq(table_rounds_wanted(&made.table), 0);
    table_clear(&made.table);
}
END_TEST

START_TEST(computed_runs_have_no_width)
{
    struct made made = {0};
    for (int i = 0; i < 3; i++)
        add_run(&made, "0.5", NULL);
    computed(&made, 0, 0.07);
    computed(&made, 1, 0);
    done(&made, 2, 0.05, 0.001, 7);
    made.results[2].model_saving = 0.06;
    make(&made, NULL);
    const struct table_row *row = made.table.rows;
    ck_assert_str_eq(row[0].run->name, "001");
    ck_assert(row[0].saving.low == row[0].saving.high && row[0].saving.low == row[0].saving.median);
    ck_assert_double_eq_tol(row[0].saving.median, 0.07, 1e-12);
    ck_assert(row[0].significant && isnan(row[0].p));
    ck_assert(row[1].significant && !row[1].computed); /* alone, so 7 rounds suffice */
    ck_assert(!row[2].significant && row[2].computed);
    table_clear(&made.table);
}
END_TEST

START_TEST(more_efficiency_is_better)
{
    struct made made = {0};
    add_run(&made, "0.5", NULL);
    add_run(&made, "0.6", NULL);
    for (size_t run = 0; run < 2; run++) {
        done(&made, run, 0.1, 0, 8);
        for (size_t i = 0; i < 8; i++) {
            made.pairs[run][i].objective_unchanged = 0.8 + 0.001 * noise(9, i);
            made.pairs[run][i].objective_changed = (run ? 0.88 : 0.72) + 0.001 * noise(run, i);
        }
    }
    make(&made, "efficiency");
    ck_assert_str_eq(name_at(&made, 0), "002");
    ck_assert_double_eq_tol(made.table.rows[0].objective.median, 0.1, 0.003);
    ck_assert_double_eq_tol(made.table.rows[0].saving.median, 0.1, 1e-12);
    ck_assert_double_eq_tol(made.table.rows[0].unchanged, 0.8, 0.002);
    ck_assert_double_eq_tol(made.table.rows[0].changed, 0.88, 0.002);
    ck_assert_double_eq_tol(made.table.rows[1].objective.median, -0.1, 0.003);
    table_clear(&made.table);
}
END_TEST

START_TEST(figures_that_are_missing_or_zero_do_no_harm)
{
    struct made made = {0};
    for (int i = 0; i < 4; i++) {
        add_run(&made, "0.5", NULL);
        done(&made, (size_t)i, 0.1, 0, 8);
    }
    made.results[1].pair_count = 0;
    for (size_t i = 0; i < 8; i++) {
        for (size_t run = 0; run < 4; run++)
            made.pairs[run][i].objective_unchanged = made.pairs[run][i].objective_changed = 0;
        made.pairs[2][i].objective_changed = 3;
        made.pairs[3][i].objective_changed = NAN;
    }
    make(&made, "mpi_latesender");
    ck_assert_str_eq(name_at(&made, 0), "001");
    ck_assert_double_eq(made.table.rows[0].objective.median, 0);
    ck_assert_str_eq(name_at(&made, 1), "003"); /* waits appear where there were none */
    ck_assert_double_eq(made.table.rows[1].objective.median, -1);
    ck_assert(isnan(made.table.rows[2].objective.low) && isnan(made.table.rows[3].objective.low));
    table_clear(&made.table);
    struct error error;
    made.sweep.options.objective = "mpi_latesendr";
    ck_assert_int_eq(table_make(&made.sweep, made.results, NULL, &made.table, &error),
                     STATUS_INPUT);
    table_clear(&made.table);
}
END_TEST

START_TEST(nothing_significant_wants_more_rounds)
{
    struct made made = {0};
    for (int i = 0; i < 8; i++)
        add_run(&made, "0.5", NULL);
    for (size_t i = 0; i < 8; i++)
        done(&made, i, i == 0 ? 0.01 : -0.01, 0.001, 7);
    make(&made, "T");
    ck_assert_ptr_null(table_best_gain(&made.table)); /* 2^-6 > 0.05 / 8 */
    ck_assert_uint_eq(table_rounds_wanted(&made.table), 9);
    table_clear(&made.table);
    done(&made, 0, 0.004, 0.02, 7);
    make(&made, "T");
    ck_assert_uint_gt(table_rounds_wanted(&made.table), 9);
    table_clear(&made.table);
    done(&made, 0, -0.01, 0.001, 7);
    make(&made, "T");
    ck_assert_uint_eq(table_rounds_wanted(&made.table), 0); /* no number of rounds helps */
    table_clear(&made.table);
}
END_TEST

START_TEST(the_verdict_agrees_with_the_intervals)
{
    struct made made = {0};
    char text[500];
    for (int i = 0; i < 4; i++)
        add_run(&made, "0.5", NULL);
    done(&made, 0, 0.41, 0.001, 6);
    for (size_t i = 1; i < 4; i++)
        done(&made, i, -0.01, 0.001, 6);
    make(&made, "T");
    const struct table_row *best = &made.table.rows[0];
    ck_assert(best->objective.low > 0 && !best->significant); /* 2^-5 > 0.05 / 4 */
    table_doubt(&made.table, text, sizeof text);
    ck_assert_msg(strstr(text, "1 run probably makes T better") == text, "%s", text);
    ck_assert_msg(strstr(text, "6 rounds were replayed; about 8 are needed"), "%s", text);
    ck_assert_ptr_null(strstr(text, "No run"));
    table_clear(&made.table);
    done(&made, 0, 0, 0.01, 6); /* an interval on both sides of zero */
    make(&made, "T");
    ck_assert(made.table.rows[0].objective.low < 0);
    table_doubt(&made.table, text, sizeof text);
    ck_assert_msg(strstr(text, "No run makes T significantly better") == text, "%s", text);
    table_clear(&made.table);
    done(&made, 0, 0.41, 0.001, 9);
    make(&made, "T");
    ck_assert_ptr_eq(table_best_gain(&made.table), &made.table.rows[0]);
    ck_assert_str_eq(table_doubt(&made.table, text, sizeof text), "");
    table_clear(&made.table);
}
END_TEST

START_TEST(combinations_that_are_not_additive_are_found)
{
    struct made made = {0};
    for (int i = 0; i < 5; i++)
        add_run(&made, "0.5", NULL);
    done(&made, 0, 0.10, 0.002, 9);
    done(&made, 1, 0.05, 0.002, 9);
    done(&made, 2, 0.12, 0.002, 9); /* 0.03 less than the sum */
    done(&made, 3, 0.15, 0.002, 9); /* the sum */
    done(&made, 4, 0.20, 0.002, 9); /* parts in other rounds */
    combine(&made, 2, 0, 1);
    combine(&made, 3, 0, 1);
    combine(&made, 4, 0, 1);
    for (size_t i = 0; i < 9; i++)
        made.pairs[4][i].unchanged_s *= 1.5, made.pairs[4][i].changed_s *= 1.5;
    make(&made, "T");
    const struct sweep_table *table = &made.table;
    ck_assert_uint_eq(table->combination_count, 2);
    ck_assert_str_eq(table->rows[table->combinations[0].row].run->name, "005");
    ck_assert_str_eq(table->rows[table->combinations[1].row].run->name, "003");
    const struct estimate *difference = &table->combinations[1].difference;
    ck_assert_double_eq_tol(table->combinations[1].sum, 0.15, 0.002);
    ck_assert_double_eq_tol(difference->median, -0.03, 0.003);
    ck_assert(difference->low <= difference->median && difference->median <= difference->high &&
              difference->high < 0);
    /* Widths add up where there are no common rounds. */
    const struct estimate *other = &table->combinations[0].difference;
    double width = 0;
    for (size_t i = 0; i < 5; i++)
        if (strchr("125", table->rows[i].run->name[2]))
            width += table->rows[i].saving.high - table->rows[i].saving.low;
    ck_assert_double_eq_tol(other->high - other->low, width, 1e-12);
    table_clear(&made.table);
}
END_TEST

START_TEST(what_all_parts_have_in_common_counts_once)
{
    struct made made = {0};
    for (int i = 0; i < 4; i++)
        add_run(&made, "0.5", NULL);
    computed(&made, 0, 0.30); /* changes that all have */
    computed(&made, 1, 0.35);
    computed(&made, 2, 0.40);
    computed(&made, 3, 0.45); /* 0.30 + 0.05 + 0.10: additive */
    combine(&made, 3, 1, 2);
    made.runs[3].rest = &made.runs[0];
    make(&made, "T");
    ck_assert_uint_eq(made.table.combination_count, 0);
    table_clear(&made.table);
    computed(&made, 3, 0.70);
    make(&made, "T");
    ck_assert_uint_eq(made.table.combination_count, 1);
    ck_assert_double_eq_tol(made.table.combinations[0].sum, 0.45, 1e-9);
    ck_assert_double_eq_tol(made.table.combinations[0].difference.median, 0.25, 1e-9);
    table_clear(&made.table);
    done(&made, 0, 0.30, 0.001, 9);
    done(&made, 1, 0.35, 0.001, 9);
    done(&made, 2, 0.40, 0.001, 9);
    done(&made, 3, 0.45, 0.001, 9);
    make(&made, "T");
    ck_assert_uint_eq(made.table.combination_count, 0);
    table_clear(&made.table);
    failed(&made, 0, "no");
    make(&made, "T");
    ck_assert_uint_eq(made.table.combination_count, 0); /* not comparable */
    table_clear(&made.table);
}
END_TEST

START_TEST(computed_combinations_ignore_trifles)
{
    struct made made = {0};
    for (int i = 0; i < 4; i++)
        add_run(&made, "0.5", NULL);
    computed(&made, 0, 0.10);
    computed(&made, 1, 0.05);
    computed(&made, 2, 0.149); /* less than a tenth of the sum */
    computed(&made, 3, 0.11);
    combine(&made, 2, 0, 1);
    combine(&made, 3, 0, 1);
    make(&made, "T");
    ck_assert_uint_eq(made.table.combination_count, 1);
    ck_assert_str_eq(made.table.rows[made.table.combinations[0].row].run->name, "004");
    table_clear(&made.table);
    /* A replayed combination of parts that only the model has tried: by the model. */
    done(&made, 3, 0.149, 0.001, 9);
    made.results[3].model_saving = 0.11;
    make(&made, "T");
    ck_assert_uint_eq(made.table.combination_count, 1);
    ck_assert_double_eq_tol(made.table.combinations[0].difference.median, -0.04, 1e-9);
    table_clear(&made.table);
}
END_TEST

static char *written(const struct made *made, const char *format)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    ck_assert(table_format_find(format)->write(&made->table, stream));
    fclose(stream);
    return text;
}

static const json_t *run_called(const json_t *root, const char *name)
{
    size_t i;
    const json_t *run;
    json_array_foreach(json_object_get(root, "runs"), i,
                       run) if (strcmp(json_string_value(json_object_get(run, "name")), name) ==
                                0) return run;
    ck_abort_msg("no run %s", name);
    return NULL;
}

START_TEST(json_has_the_names_that_scripts_rely_on)
{
    struct made made;
    make_usual(&made);
    char *text = written(&made, "json");
    json_error_t detail;
    json_t *root = json_loads(text, 0, &detail);
    ck_assert_msg(root != NULL, "%s", detail.text);
    const json_t *runs = json_object_get(root, "runs"), *best = json_array_get(runs, 0),
                 *saving = json_object_get(best, "saving");
    ck_assert_uint_eq(json_array_size(runs), 7);
    ck_assert_str_eq(
        json_string_value(json_object_get(json_object_get(best, "settings"), "scale foo.factor")),
        "0.5");
    ck_assert(json_is_true(json_object_get(best, "significant")));
    ck_assert_str_eq(json_string_value(json_object_get(best, "engine")), "realtime");
    ck_assert_double_eq_tol(json_number_value(json_object_get(saving, "median")), 0.1, 0.001);
    ck_assert_double_lt(json_number_value(json_object_get(saving, "low")), 0.1);
    ck_assert_double_gt(json_number_value(json_object_get(saving, "high")), 0.1);
    ck_assert_str_eq(json_string_value(json_object_get(best, "config")),
                     "/a/sweep/runs/001/config.ini");
    const json_t *lost = run_called(root, "006"), *open = run_called(root, "007");
    ck_assert(json_is_null(json_object_get(lost, "saving")));
    ck_assert_str_eq(json_string_value(json_object_get(lost, "state")), "failed");
    ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(lost, "message")), "fooo"));
    ck_assert_str_eq(json_string_value(json_object_get(open, "state")), "open");
    ck_assert(json_is_null(json_object_get(open, "report")));
    json_decref(root);
    free(text);
    table_clear(&made.table);
}
END_TEST

/* Reads one field of RFC 4180; returns what follows it and its comma. */
static const char *csv_field(const char *text, char *field, size_t size)
{
    size_t used = 0;
    const bool quoted = *text == '"';
    text += quoted;
    while (*text && (quoted ? *text != '"' || text[1] == '"' : !strchr(",\r", *text))) {
        text += quoted && *text == '"';
        ck_assert_uint_lt(used + 1, size);
        field[used++] = *text++;
    }
    field[used] = 0;
    text += quoted;
    ck_assert(*text == ',' || strncmp(text, "\r\n", 2) == 0);
    return text + 1;
}

START_TEST(typical_runs_have_the_error_of_the_method_too)
{
    struct made made;
    make_usual(&made);
    table_clear(&made.table);
    made.results[0].typical_error = 0.02;
    made.results[0].overstated = 0.01;
    make(&made, "T");
    const struct table_row *row = NULL;
    for (size_t i = 0; i < made.table.row_count; i++)
        if (made.table.rows[i].run == &made.runs[0])
            row = &made.table.rows[i];
        else
            ck_assert(isnan(made.table.rows[i].typical.median));
    ck_assert_ptr_nonnull(row);
    const double below = row->saving.median - row->saving.low;
    ck_assert_double_eq_tol(row->saving.median - row->typical.low, hypot(below, 0.02) + 0.01,
                            1e-12);
    ck_assert_double_eq_tol(row->typical.high - row->saving.median,
                            hypot(row->saving.high - row->saving.median, 0.02), 1e-12);
    table_clear(&made.table);
}
END_TEST

START_TEST(csv_is_what_rfc_4180_says)
{
    struct made made;
    make_usual(&made);
    char *text = written(&made, "csv"), field[256], names[40][40];
    const char *at = text;
    size_t columns = 0, rows = 0;
    for (bool more = true; more; columns++) {
        at = csv_field(at, names[columns], sizeof *names);
        more = at[-1] == ',';
    }
    for (at++; *at; at++, rows++) {
        bool is_fifth = false;
        for (size_t column = 0; column < columns; column++) {
            at = csv_field(at, field, sizeof field);
            ck_assert((at[-1] == ',') == (column + 1 < columns));
            if (strcmp(names[column], "name") == 0)
                is_fifth = strcmp(field, "005") == 0;
            if (strcmp(names[column], "resize bar.size") == 0 && is_fifth)
                ck_assert_str_eq(field, "a, \"b\"");
        }
    }
    ck_assert_uint_eq(rows, 7);
    free(text);
    table_clear(&made.table);
}
END_TEST

START_TEST(text_fits_the_terminal_and_says_what_matters)
{
    struct made made;
    make_usual(&made);
    setenv("COLUMNS", "80", 1);
    char *text = written(&made, "text");
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= 80, "too wide: %.*s", (int)strcspn(line, "\n"), line);
    ck_assert_ptr_nonnull(strstr(text, "7 runs, 1 failed, 1 open; objective T; 10 rounds"));
    ck_assert_ptr_nonnull(strstr(text, "factor=0.5 size=1k"));
    ck_assert_ptr_nonnull(strstr(text, "scale foo.ranks = 0..3")); /* the same in all runs */
    ck_assert_ptr_null(strstr(text, "ranks=0..3"));
    ck_assert_ptr_nonnull(strstr(text, "NOT TRUSTWORTHY (005): 4 ranks shared 2 cores"));
    ck_assert_ptr_nonnull(strstr(text, "did you mean \"foo\"?"));
    ck_assert_ptr_null(strstr(text, "\n\n\n"));
    ck_assert_ptr_nonnull(strstr(text, "silas-sweep resume /a/sweep"));
    ck_assert_ptr_nonnull(strstr(text, "* significant"));
    free(text);
    table_clear(&made.table);
}
END_TEST

START_TEST(text_says_when_nothing_is_significant)
{
    struct made made = {0};
    for (int i = 0; i < 8; i++)
        add_run(&made, "0.5", NULL);
    for (size_t i = 0; i < 8; i++)
        done(&made, i, i == 0 ? 0.01 : -0.01, 0.001, 7);
    combine(&made, 7, 0, 1);
    done(&made, 7, 0.05, 0.0005, 7);
    make(&made, "T");
    char *text = written(&made, "text");
    ck_assert_ptr_nonnull(strstr(text, "2 runs probably make T better"));
    ck_assert_ptr_nonnull(strstr(text, "repeat = 9)"));
    ck_assert_ptr_nonnull(strstr(text, "Not additive: run 008 combines 001, 002, and gains"));
    free(text);
    table_clear(&made.table);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("table of a sweep");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, rows_are_ranked_by_the_lower_end);
    tcase_add_test(tests, pairs_cancel_the_drift);
    tcase_add_test(tests, computed_runs_have_no_width);
    tcase_add_test(tests, more_efficiency_is_better);
    tcase_add_test(tests, figures_that_are_missing_or_zero_do_no_harm);
    tcase_add_test(tests, nothing_significant_wants_more_rounds);
    tcase_add_test(tests, the_verdict_agrees_with_the_intervals);
    tcase_add_test(tests, combinations_that_are_not_additive_are_found);
    tcase_add_test(tests, computed_combinations_ignore_trifles);
    tcase_add_test(tests, what_all_parts_have_in_common_counts_once);
    tcase_add_test(tests, json_has_the_names_that_scripts_rely_on);
    tcase_add_test(tests, typical_runs_have_the_error_of_the_method_too);
    tcase_add_test(tests, csv_is_what_rfc_4180_says);
    tcase_add_test(tests, text_fits_the_terminal_and_says_what_matters);
    tcase_add_test(tests, text_says_when_nothing_is_significant);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
