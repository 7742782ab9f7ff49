#include "base/names.h"
#include "base/plural.h"
#include "base/units.h"
#include "patterns/explain.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_TEXT = 400, LABEL_MAX = 40, DIGITS = 4 };

static struct time_text ticks_text(const struct trace *trace, double ticks)
{
    return time_text_alone(trace_seconds(trace, ticks), DIGITS);
}

static const char *callpath_in(const struct trace *trace, uint32_t path, char *text)
{
    callpath_format(&trace->calltree, trace->definitions, path, text, PATH_TEXT);
    return text;
}

static void write_causes(const struct explanation *e, const struct trace *trace, FILE *file)
{
    char path[PATH_TEXT];
    if (e->cause_count == 0) {
        fputs("   No rank was busy for longer: transfers, or causes outside the trace.\n", file);
        return;
    }
    fputs("   because these ranks compute or communicate longer than those that wait for them:\n",
          file);
    for (uint32_t i = 0; i < e->cause_count; i++)
        fprintf(file, "     %10s  %5.1f %%  rank %u in %s%s\n",
                ticks_text(trace, e->causes[i].ticks).text,
                100 * e->causes[i].ticks / (double)e->ticks, e->causes[i].rank,
                callpath_in(trace, e->causes[i].path, path),
                callpath_communicates(trace, e->causes[i].path) ? " (communication)" : "");
}

static void write_way(const struct explanation *e, const struct trace *trace, FILE *file)
{
    char path[PATH_TEXT];
    fputs("   The longest of these waits:\n", file);
    for (uint32_t i = 0; i < e->step_count; i++) {
        const struct explained_step *s = &e->steps[i];
        fprintf(file, "     at %.6f s rank %u waits %s for rank %u in %s (%s)%s\n",
                trace_seconds(trace, (double)(s->at - (int64_t)trace->begin)), s->rank,
                ticks_text(trace, (double)s->wait).text, s->culprit,
                callpath_in(trace, s->path, path), sync_kind_name(s->kind),
                i + 1 < e->step_count ? ", which has itself waited:" : ",");
    }
    if (e->cut_off)
        fputs("     (earlier waits in this chain are not shown)\n", file);
    else if (e->last.path != CALLPATH_NONE)
        fprintf(file, "     which has been %s for %s longer in %s\n",
                callpath_communicates(trace, e->last.path) ? "communicating" : "busy",
                ticks_text(trace, e->last.ticks).text, callpath_in(trace, e->last.path, path));
    else
        fputs("     which has not been busy for longer: the message itself takes this long\n",
              file);
}

/* The first explanation with the same test; `index` itself if there is none before. */
static uint32_t same_test(const struct explanations *explanations, uint32_t index)
{
    const struct explanation *items = explanations->items;
    uint32_t i = 0;
    while (i < index && (items[i].region != items[index].region ||
                         items[i].of_messages != items[index].of_messages))
        i++;
    return i;
}

static bool balances_visits(const struct explanation *e)
{
    return !e->of_messages && e->region_ranks > 1 && e->by_visits;
}

/* A region's name as the label of a section: cut in the middle, and without the characters that
 * section names do not have. */
static void section_label(const char *region, char *label)
{
    static const char omission[] = "...";
    const size_t length = strlen(region), dots = strlen(omission);
    const size_t head = (LABEL_MAX - dots + 1) / 2, tail = LABEL_MAX - dots - head;
    if (length <= LABEL_MAX)
        strcpy(label, region);
    else
        sprintf(label, "%.*s%s%s", (int)head, region, omission, region + length - tail);
    for (char *c = label; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.')
            *c = '_';
}

static char *write_hypothesis(const struct explanation *e, const char *label, const char *pattern)
{
    char *text;
    const int length =
        e->of_messages ? asprintf(&text, "[resize %s]\nregion = %s\nbytes = 0\n", label, pattern)
        : e->region_ranks > 1
            ? asprintf(&text, "[balance %s]\nregion = %s\n%s", label, pattern,
                       balances_visits(e) ? "mode = instance\n" : "")
            : asprintf(&text, "[scale %s]\nregion = %s\nfactor = 0.5\n", label, pattern);
    return length < 0 ? NULL : text;
}

bool explanation_test(const struct explanations *explanations, uint32_t index,
                      const struct trace *trace, char **text)
{
    assert(index < explanations->count);
    const struct explanation *e = &explanations->items[index];
    if (e->region == INDEX_NONE || same_test(explanations, index) < index)
        return false;
    const char *name = trace->definitions->regions[e->region].name;
    char label[LABEL_MAX + 1], *pattern = name_to_pattern(name);
    section_label(name, label);
    *text = pattern ? write_hypothesis(e, label, pattern) : NULL;
    free(pattern);
    return true;
}

/* Writes a complete configuration, for any folder, that predicts the program without the first
 * cause that can be changed. */
static void write_test(const struct explanations *explanations, uint32_t index,
                       const struct trace *trace, const char *config_path, FILE *file)
{
    const struct explanation *e = &explanations->items[index];
    char *test;
    if (e->region == INDEX_NONE)
        return;
    if (!explanation_test(explanations, index, trace, &test)) {
        fprintf(file, "   To test it: the configuration of %u.\n",
                same_test(explanations, index) + 1);
        return;
    }
    if (!test)
        return;
    if (!isnan(e->saving))
        fprintf(file,
                "   With the change below, T is smaller by %.2f %% (model; silas-advise tries "
                "others).\n",
                100 * e->saving);
    if (config_path) {
        fprintf(file, "   To test it%s: the section %.*s of %s.\n",
                balances_visits(e) ? ", visit by visit" : "", (int)strcspn(test, "\n"), test,
                config_path);
        free(test);
        return;
    }
    char *absolute = realpath(trace->path, NULL);
    fprintf(file, "   To test it (silas-replay, silas-model)%s:\n\n[trace]\npath = %s\n\n%s",
            balances_visits(e) ? ", visit by visit, because the slow rank changes" : "",
            absolute ? absolute : trace->path, test);
    free(absolute);
    free(test);
}

void explanations_write(const struct explanations *explanations, const struct trace *trace,
                        const char *config_path, FILE *file)
{
    char path[PATH_TEXT];
    if (explanations->count == 0)
        fputs("No rank waits: there is nothing to explain.\n", file);
    for (uint32_t i = 0; i < explanations->count; i++) {
        const struct explanation *e = &explanations->items[i];
        fprintf(file, "%s%u. %s: %s in %s (%u wait%s, %u rank%s)\n", i ? "\n" : "", i + 1,
                sync_kind_name(e->kind), ticks_text(trace, (double)e->ticks).text,
                callpath_in(trace, e->path, path), e->waits, plural(e->waits), e->ranks,
                plural(e->ranks));
        write_causes(e, trace, file);
        write_way(e, trace, file);
        write_test(explanations, i, trace, config_path, file);
    }
}

/* As comments: the user removes the comment signs. */
static void write_commented(const char *text, FILE *file)
{
    while (*text) {
        const int length = (int)strcspn(text, "\n");
        fprintf(file, "# %.*s\n", length, text);
        text += length + (text[length] == '\n');
    }
}

void explanations_write_config(const struct explanations *explanations, const struct trace *trace,
                               FILE *file)
{
    char *test;
    bool is_first = true;
    char *absolute = realpath(trace->path, NULL);
    fprintf(file,
            "# Tests of the explanations by silas-analyze --explain. Run: silas-replay or "
            "silas-model.\n# Each test is a section. The first is active; to try another, move the "
            "comment signs.\n\n[trace]\npath = %s\n",
            absolute ? absolute : trace->path);
    for (uint32_t i = 0; i < explanations->count; i++) {
        if (!explanation_test(explanations, i, trace, &test) || !test)
            continue;
        fprintf(file, "\n# Explanation %u: %s.", i + 1,
                sync_kind_name(explanations->items[i].kind));
        if (!isnan(explanations->items[i].saving))
            fprintf(file, " T is smaller by %.2f %% (model).", 100 * explanations->items[i].saving);
        fputc('\n', file);
        if (is_first)
            fputs(test, file);
        else
            write_commented(test, file);
        free(test);
        is_first = false;
    }
    free(absolute);
}
