#include "base/descriptors.h"
#include "trace/deadlock/preflight.h"
#include "trace/match/match.h"
#include "transform/callpath_marks.h"
#include "transform/kinds.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct hypothesis_kind *const built_in[] = {
#define X(kind) &hypothesis_##kind,
    HYPOTHESIS_KINDS(X)
#undef X
        NULL};

static const struct hypothesis_kind **extended; /* NULL: no plug-in has added a kind */

const struct hypothesis_kind *const *hypothesis_list(void)
{
    return extended ? (const struct hypothesis_kind *const *)extended : built_in;
}

const struct hypothesis_kind *hypothesis_kind_named(const char *name)
{
    const struct hypothesis_kind *const *kind = hypothesis_list();
    while (*kind && strcmp((*kind)->name, name) != 0)
        kind++;
    return *kind;
}

bool hypothesis_list_add(const struct hypothesis_kind *kind)
{
    const struct hypothesis_kind **longer = descriptors_with(hypothesis_list(), kind, 0);
    if (!longer)
        return false;
    free(extended);
    extended = longer;
    return true;
}

const struct ini_key *hypothesis_value_key(const struct hypothesis_kind *kind)
{
    static const struct ini_key where[] = {WHERE_KEYS};
    enum { WHERE_COUNT = sizeof where / sizeof *where };
    const struct ini_key *key = kind->keys;
    for (; key->name; key++)
        if (key->required)
            return key;
    if (key - kind->keys <= WHERE_COUNT || strcmp(kind->keys->name, where->name) != 0)
        return NULL;
    key = &kind->keys[WHERE_COUNT];
    return key->type == INI_INTEGER || key->type == INI_NUMBER ? key : NULL;
}

void hypothesis_clear(struct hypothesis *hypothesis)
{
    if (hypothesis->state)
        ini_values_clear(hypothesis->kind->keys, hypothesis->state);
    free(hypothesis->state);
    hypothesis->state = NULL;
}

enum status hypothesis_read(const struct hypothesis_kind *kind, const struct ini_section *section,
                            struct hypothesis *hypothesis, struct error *error)
{
    assert(kind->state_size >= sizeof section && kind->keys && kind->apply);
    void *state = calloc(1, kind->state_size);
    *hypothesis = (struct hypothesis){kind, section, state};
    if (!state)
        return error_memory(error, "the hypotheses");
    if (kind->initial)
        memcpy(state, kind->initial, kind->state_size);
    *(const struct ini_section **)state = section;
    enum status status = ini_read(section, kind->keys, state, error);
    if (status == STATUS_OK && kind->needs_where && !callpath_marks_wanted(section))
        status = section_error(error, section, NULL, "\"region\" or \"callpath\" is missing");
    if (status == STATUS_OK && kind->check)
        status = kind->check(state, error);
    if (status != STATUS_OK)
        hypothesis_clear(hypothesis);
    return status;
}

enum status hypotheses_parse(const struct ini *ini, struct hypothesis **hypotheses, size_t *count,
                             struct error *error)
{
    struct hypothesis *fresh = calloc(ini->section_count + 1, sizeof *fresh);
    enum status status = fresh ? STATUS_OK : error_memory(error, "the hypotheses");
    size_t parsed = 0;
    for (size_t s = 0; s < ini->section_count && status == STATUS_OK; s++) {
        const struct hypothesis_kind *kind = hypothesis_kind_named(ini->sections[s].kind);
        if (kind)
            status = hypothesis_read(kind, &ini->sections[s], &fresh[parsed++], error);
    }
    if (status != STATUS_OK) {
        hypotheses_destroy(fresh, parsed);
        return status;
    }
    *hypotheses = fresh;
    *count = parsed;
    return STATUS_OK;
}

void hypotheses_destroy(struct hypothesis *hypotheses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hypothesis_clear(&hypotheses[i]);
    free(hypotheses);
}

void hypothesis_describe(const struct hypothesis *hypothesis,
                         const struct hypothesis_outcome *outcome, char *text, size_t size)
{
    const struct ini_section *section = hypothesis->section;
    char counts[100] = "", title[100];
    if (outcome && outcome->things)
        snprintf(counts, sizeof counts, " (%lld of %lld %s)", (long long)outcome->chosen,
                 (long long)outcome->total, outcome->things);
    assert(size > strlen(counts));
    size -= strlen(counts);
    section_title(section, title, sizeof title);
    size_t length = (size_t)snprintf(text, size, "%s", title);
    for (size_t e = 0; e < section->entry_count && length < size; e++)
        length += (size_t)snprintf(text + length, size - length, "%s%s %s", e == 0 ? ": " : ", ",
                                   section->entries[e].key, section->entries[e].value);
    strcat(text, counts);
}

/* Flush times change with the events around them, so the copy needs separate ones. */
static bool copy_flushes(struct trace *trace)
{
    for (uint32_t i = 0; i < trace->owned_count + trace->carried_count; i++) {
        struct stream *stream = trace_any_stream(trace, i);
        stream->flushes = arena_memdup(trace->arena, stream->flushes,
                                       stream->flush_count * sizeof *stream->flushes);
        if (!stream->flushes)
            return false;
    }
    return true;
}

/* Makes a view, which shares unchanged parts with the original. But its rows are separate, and its
 * carried locations move with them, so it is not a view afterwards. */
static struct trace *copy_original(const struct trace *original, struct error *error)
{
    struct trace *copy = trace_view(original, error);
    if (!copy)
        return NULL;
    copy->origin = NULL;
    copy->recording = original->recording ? original->recording : original;
    if (!copy_flushes(copy)) {
        error_memory(error, "a changed copy of the trace");
        trace_destroy(copy);
        return NULL;
    }
    return copy;
}

/* Collective. Matches and checks the changed trace before a replay (doc/methods.md, section 3); an
 * error names the hypothesis. */
static enum status match_changed(const struct hypothesis *hypothesis,
                                 const struct hypothesis_outcome *outcome, struct trace *trace,
                                 struct error *error)
{
    trace->matched = false;
    enum status status = trace_match(trace, error);
    if (status == STATUS_INPUT && error) {
        char title[500], text[sizeof error->text];
        hypothesis_describe(hypothesis, outcome, title, sizeof title);
        snprintf(text, sizeof text, "%s", error->text);
        error_set(error, status, "after \"%s\": %s", title, text);
    }
    return status;
}

enum status hypotheses_apply(const struct hypothesis *hypotheses, size_t count,
                             const struct trace *original, struct trace **changed,
                             struct hypothesis_outcome *outcomes, struct error *error)
{
    bool operations_changed = false;
    assert(count == 0 || original->matched);
    struct trace *copy = copy_original(original, error);
    enum status status =
        processes_agree(original->processes, copy ? STATUS_OK : STATUS_ENVIRONMENT, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct hypothesis_outcome outcome = {0};
        status = hypotheses[i].kind->apply(hypotheses[i].state, copy, &outcome, error);
        if (status == STATUS_OK && outcome.operations_changed)
            status = match_changed(&hypotheses[i], &outcome, copy, error);
        if (status == STATUS_OK)
            trace_update_span(copy);
        operations_changed |= outcome.operations_changed;
        if (outcomes)
            outcomes[i] = outcome;
    }
    if (status == STATUS_OK && operations_changed)
        status = trace_preflight(copy, error);
    if (status != STATUS_OK) {
        trace_destroy(copy);
        return status;
    }
    *changed = copy;
    return STATUS_OK;
}
