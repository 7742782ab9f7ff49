/* Text, for people: a row for each finished run, best first, followed by sentences about the table.
 * Lines have at most COLUMNS columns (100 if that is not set). */
#include "base/plural.h"
#include "sweep/output/formats.h"
#include "sweep/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NARROWEST = 60,
    USUAL_WIDTH = 100,
    MOST_ROWS = 60, /* of finished runs that are shown on a screen */
    MOST_NAMES = 8, /* of runs in a sentence */
    MOST_SENTENCES = 5,
    INDENT = 2,
};

struct text_table {
    const struct sweep_table *table;
    FILE *stream;
    const char *bold, *plain;
    int width;
    bool noted;      /* a sentence has been written */
    int column;      /* of the next word */
    bool other_goal; /* the objective is not T */
    bool models;     /* replayed runs have a saving by the model, too */
};

/* The number of columns that a text in UTF-8 takes. */
static int columns_of(const char *text, size_t size)
{
    int columns = 0;
    for (size_t i = 0; i < size; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

/* Writes a word after the last one, or on the next line at `indent`. */
static void write_word(struct text_table *out, int indent, const char *word, size_t size)
{
    const int columns = columns_of(word, size);
    if (out->column > indent && out->column + 1 + columns > out->width) {
        fputc('\n', out->stream);
        out->column = 0;
    }
    if (out->column == 0)
        out->column = fprintf(out->stream, "%*s", indent, "");
    else if (out->column > indent)
        out->column += fprintf(out->stream, " ");
    fwrite(word, 1, size, out->stream);
    out->column += columns;
}

/* Writes a text word by word; line ends in it count as blanks. */
static void write_wrapped(struct text_table *out, int indent, const char *text)
{
    while (*(text += strspn(text, " \n\t\r"))) {
        const size_t size = strcspn(text, " \n\t\r");
        write_word(out, indent, text, size);
        text += size;
    }
}

static void end_line(struct text_table *out)
{
    fputc('\n', out->stream);
    out->column = 0;
}

/* Writes a paragraph. */
static void write_sentence(struct text_table *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void write_sentence(struct text_table *out, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!out->noted)
        fputc('\n', out->stream);
    out->noted = true;
    write_wrapped(out, INDENT, text);
    end_line(out);
}

/* "factor=0.5 size=1k": the settings that differ between runs; none is broken over lines. False
 * when out of memory. */
static bool write_varying_settings(struct text_table *out, int indent, const struct sweep_run *run)
{
    const struct sweep_table *table = out->table;
    bool any = false;
    for (size_t i = 0; i < table->key_count; i++) {
        const char *value = run_setting(run, table->keys[i].name);
        if (!table->keys[i].varies || !value)
            continue;
        const size_t size = strlen(table->keys[i].label) + strlen(value) + 2;
        char *word = malloc(size);
        if (!word)
            return false;
        snprintf(word, size, "%s=%s", table->keys[i].label, value);
        write_word(out, indent, word, size - 1);
        free(word);
        any = true;
    }
    if (!any)
        write_word(out, indent, "-", 1);
    return true;
}

/* Writes the settings that all runs share. */
static void write_shared_settings(struct text_table *out)
{
    const struct sweep_table *table = out->table;
    const struct sweep_run *run = &table->sweep->runs[0];
    bool any = false;
    for (size_t i = 0; i < table->key_count; i++)
        any = any || !table->keys[i].varies;
    if (!any || table->row_count < 2)
        return;
    write_wrapped(out, INDENT, "The same in all runs:");
    for (size_t i = 0; i < table->key_count; i++)
        if (!table->keys[i].varies) {
            write_wrapped(out, INDENT, table->keys[i].name);
            write_wrapped(out, INDENT, "=");
            write_wrapped(out, INDENT, run_setting(run, table->keys[i].name));
        }
    end_line(out);
    end_line(out);
}

static void write_summary_line(struct text_table *out)
{
    const struct sweep_table *table = out->table;
    const size_t open = table->row_count - table->done_count - table->failed_count;
    fprintf(out->stream, "%s%s%s: %zu run%s", out->bold, table_name(table), out->plain,
            table->row_count, plural(table->row_count));
    if (table->failed_count > 0)
        fprintf(out->stream, ", %zu failed", table->failed_count);
    if (open > 0)
        fprintf(out->stream, ", %zu open", open);
    fprintf(out->stream, "; objective %s", table->goal.name);
    if (table->replayed_count > 0 && table->rounds == table->most_rounds)
        fprintf(out->stream, "; %zu round%s", table->rounds, plural(table->rounds));
    else if (table->replayed_count > 0)
        fprintf(out->stream, "; %zu to %zu rounds", table->rounds, table->most_rounds);
    fputs("\n\n", out->stream);
}

static void write_column_titles(struct text_table *out)
{
    fprintf(out->stream, "  %5s %5s %9s %18s ", "rank", "run",
            out->other_goal ? "gain %" : "saving %", "interval");
    if (out->other_goal)
        fprintf(out->stream, "%9s ", "of T %");
    if (out->models)
        fprintf(out->stream, "%8s ", "model %");
    fputs("   settings\n", out->stream);
}

/* "12.10 .. 12.55", "computed", or "too few rounds". */
static void interval_text(const struct table_row *row, char *text, size_t size)
{
    const struct estimate *gain = &row->objective;
    if (row->computed)
        snprintf(text, size, "computed");
    else if (gain->level > 0)
        snprintf(text, size, "%.2f .. %.2f", table_percent(gain->low), table_percent(gain->high));
    else
        snprintf(text, size, "too few rounds");
}

/* False when out of memory. */
static bool write_text_row(struct text_table *out, size_t index)
{
    const struct table_row *row = &out->table->rows[index];
    char interval[64], rank[24];
    snprintf(rank, sizeof rank, "%zu", index + 1);
    interval_text(row, interval, sizeof interval);
    int used = fprintf(out->stream, "  %5s %5s %9.2f %18s ", rank, row->run->name,
                       table_percent(row->objective.median), interval);
    if (out->other_goal)
        used += fprintf(out->stream, "%9.2f ", table_percent(row->saving.median));
    if (out->models && !row->computed && isfinite(row->result->model_saving))
        used += fprintf(out->stream, "%8.2f ", table_percent(row->result->model_saving));
    else if (out->models)
        used += fprintf(out->stream, "%8s ", "");
    used += fprintf(out->stream, "%c%c ", row->significant && !row->computed ? '*' : ' ',
                    row->result->trustworthy ? ' ' : '!');
    out->column = used;
    const bool written = write_varying_settings(out, used, row->run);
    end_line(out);
    return written;
}

/* False when out of memory. */
static bool write_text_rows(struct text_table *out)
{
    const size_t count = table_figures_count(out->table);
    const size_t shown = count > MOST_ROWS ? MOST_ROWS : count;
    bool written = true;
    if (count > 0)
        write_column_titles(out);
    for (size_t i = 0; i < shown && written; i++)
        written = write_text_row(out, i);
    if (shown < count)
        fprintf(out->stream, "  ... and %zu more; csv and json have all of them\n", count - shown);
    return written;
}

static void explain_significance(struct text_table *out)
{
    const struct sweep_table *table = out->table;
    char doubt[1024];
    bool marked = false;
    for (size_t i = 0; i < table->done_count; i++)
        marked = marked || (table->rows[i].significant && !table->rows[i].computed);
    if (marked)
        write_sentence(out,
                       "* significant: not by chance, with 95 %% confidence for all %zu replayed "
                       "run%s together.",
                       table->replayed_count, plural(table->replayed_count));
    if (table->replayed_count > 0 && *table_doubt(table, doubt, sizeof doubt))
        write_sentence(out, "%s", doubt);
}

/* Names of runs, "001, 004 and 2 more". */
struct name_text {
    char text[512];
    size_t used, count;
};

static void add_run_name(struct name_text *names, const char *name)
{
    if (names->count++ < MOST_NAMES && names->used < sizeof names->text)
        names->used += (size_t)snprintf(names->text + names->used, sizeof names->text - names->used,
                                        "%s%s", names->count > 1 ? ", " : "", name);
}

static const char *end_names(struct name_text *names)
{
    if (names->count > MOST_NAMES && names->used < sizeof names->text)
        snprintf(names->text + names->used, sizeof names->text - names->used, " and %zu more",
                 names->count - MOST_NAMES);
    return names->text;
}

/* Writes one sentence for each reason, with its runs. */
static void explain_distrust(struct text_table *out)
{
    const struct sweep_table *table = out->table;
    const size_t count = table_figures_count(table);
    int sentences = 0;
    for (size_t i = 0; i < count; i++) {
        const struct table_row *row = &table->rows[i];
        struct name_text names = {.used = 0};
        bool explained = row->result->trustworthy;
        for (size_t j = 0; j < i && !explained; j++)
            explained = rows_share_reason(row, &table->rows[j]);
        if (explained || sentences++ >= MOST_SENTENCES)
            continue;
        for (size_t j = i; j < count; j++)
            if (rows_share_reason(row, &table->rows[j]))
                add_run_name(&names, table->rows[j].run->name);
        write_sentence(out, "! NOT TRUSTWORTHY (%s): %s", end_names(&names),
                       row->result->reason ? row->result->reason : "no reason was given");
    }
}

static void explain_combinations(struct text_table *out)
{
    const struct sweep_table *table = out->table;
    for (size_t i = 0; i < table->combination_count && i < MOST_SENTENCES; i++) {
        const struct table_combination *combination = &table->combinations[i];
        const struct table_row *row = &table->rows[combination->row];
        const struct estimate *difference = &combination->difference;
        struct name_text parts = {.used = 0};
        char interval[80] = "";
        for (size_t j = 0; j < row->run->part_count; j++)
            add_run_name(&parts, table->sweep->runs[row->run->parts[j]].name);
        if (difference->low < difference->high)
            snprintf(interval, sizeof interval, " (%+.2f .. %+.2f)", 100 * difference->low,
                     100 * difference->high);
        write_sentence(out,
                       "Not additive: run %s combines %s, and gains %.2f points %s%s than the sum "
                       "of their single gains (%.2f %%).",
                       row->run->name, end_names(&parts), 100 * fabs(difference->median),
                       difference->median < 0 ? "less" : "more", interval, 100 * combination->sum);
    }
    if (table->combination_count > MOST_SENTENCES)
        write_sentence(out, "%zu more combinations are not additive; the format json lists all.",
                       table->combination_count - MOST_SENTENCES);
}

/* Says how far the model was from the replays. */
static void compare_with_model(struct text_table *out)
{
    const struct sweep_table *table = out->table;
    double largest = 0;
    const struct table_row *worst = NULL;
    size_t count = 0;
    for (size_t i = 0; i < table->done_count; i++) {
        const struct table_row *row = &table->rows[i];
        const double distance = fabs(row->result->model_saving - row->saving.median);
        if (row->computed || !isfinite(distance))
            continue;
        count++;
        if (!worst || distance > largest) {
            largest = distance;
            worst = row;
        }
    }
    if (worst)
        write_sentence(out,
                       "Model and replay of %zu run%s differ by at most %.2f points of T (%s: "
                       "%.2f %% computed, %.2f %% replayed).",
                       count, plural(count), 100 * largest, worst->run->name,
                       100 * worst->result->model_saving, 100 * worst->saving.median);
}

/* Names the runs of the front, if there are several. */
static void name_front(struct text_table *out)
{
    const struct sweep_table *table = out->table;
    struct name_text names = {.used = 0};
    for (size_t i = 0; i < table->done_count; i++) {
        const struct table_row *row = &table->rows[i];
        char text[128];
        if (!row->on_front)
            continue;
        snprintf(text, sizeof text, "%s (%zu region%s, %.2f %%)", row->run->name,
                 row->result->regions, plural(row->result->regions), 100 * row->saving.median);
        add_run_name(&names, text);
    }
    if (names.count > 1)
        write_sentence(out, "Largest saving for each number of changed regions: %s.",
                       end_names(&names));
}

static bool same_message(const struct table_row *a, const struct table_row *b)
{
    const char *x = a->result->message, *y = b->result->message;
    return x && y ? strcmp(x, y) == 0 : x == y;
}

/* Writes the failed runs from the i-th row on that have the message of that row, and the message.
 * False when out of memory. */
static bool write_failed_alike(struct text_table *out, size_t i)
{
    const struct sweep_table *table = out->table;
    const struct table_row *first = &table->rows[i];
    const size_t end = table->done_count + table->failed_count;
    size_t alike = 0;
    for (; i < end; i++) {
        const struct table_row *row = &table->rows[i];
        if (!same_message(first, row) || alike++ >= MOST_NAMES)
            continue;
        out->column = fprintf(out->stream, "  %5s ", row->run->name);
        if (!write_varying_settings(out, out->column, row->run))
            return false;
        end_line(out);
    }
    if (alike > MOST_NAMES)
        fprintf(out->stream, "  %5s and %zu more\n", "", alike - MOST_NAMES);
    write_wrapped(out, 8,
                  first->result->message ? first->result->message : "no reason was recorded");
    end_line(out);
    return true;
}

/* Writes each message once, with its runs. False when out of memory. */
static bool write_failed_runs(struct text_table *out)
{
    const struct sweep_table *table = out->table;
    bool written = true;
    if (table->failed_count > 0)
        fprintf(out->stream, "\n%sFailed%s\n", out->bold, out->plain);
    for (size_t i = table->done_count; i < table->done_count + table->failed_count && written;
         i++) {
        bool written_before = false;
        for (size_t j = table->done_count; j < i && !written_before; j++)
            written_before = same_message(&table->rows[i], &table->rows[j]);
        if (!written_before)
            written = write_failed_alike(out, i);
    }
    return written;
}

static void name_open_runs(struct text_table *out)
{
    const struct sweep_table *table = out->table;
    struct name_text names = {.used = 0};
    for (size_t i = table->done_count + table->failed_count; i < table->row_count; i++)
        add_run_name(&names, table->rows[i].run->name);
    if (names.count == 0)
        return;
    out->noted = false; /* so that an empty line comes first */
    write_sentence(out, "%zu run%s open: %s. silas-sweep resume%s%s continues with %s.",
                   names.count, names.count == 1 ? " is" : "s are", end_names(&names),
                   table->folder ? " " : "", table->folder ? table->folder : "",
                   names.count == 1 ? "it" : "them");
}

static int terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    const int width = columns ? atoi(columns) : 0;
    return width <= 0 ? USUAL_WIDTH : width < NARROWEST ? NARROWEST : width;
}

static bool write_text_table(const struct sweep_table *table, FILE *stream)
{
    const bool terminal = isatty(fileno(stream));
    struct text_table out = {.table = table,
                             .stream = stream,
                             .bold = terminal ? "\033[1m" : "",
                             .plain = terminal ? "\033[0m" : "",
                             .width = terminal_width(),
                             .other_goal = !table->goal.is_time,
                             .models = table_compares_models(table)};
    write_summary_line(&out);
    write_shared_settings(&out);
    bool written = write_text_rows(&out);
    explain_significance(&out);
    explain_combinations(&out);
    compare_with_model(&out);
    name_front(&out);
    explain_distrust(&out);
    written = written && write_failed_runs(&out);
    name_open_runs(&out);
    return written && !ferror(stream);
}

const struct table_format text_table = {"text", "for people", write_text_table};
