#include "reduce/assumptions.h"

#include "transform/callpath_marks.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct hypothesis_kind *assumption_kind(const struct assumption *assumption)
{
    assert(assumption->waits || hypothesis_kind_named(assumption->section->kind));
    return assumption->waits ? NULL : hypothesis_kind_named(assumption->section->kind);
}

static const char *hypothesis_kind_name(size_t number)
{
    const struct hypothesis_kind *kind = hypothesis_list()[number];
    return kind ? kind->name : NULL;
}

/* Checks names and values of the keys; a required amount may be missing. */
static enum status check_hypothesis_section(const struct ini_section *section, struct error *error)
{
    enum { KEYS_MOST = 32 };
    const struct hypothesis_kind *kind = hypothesis_kind_named(section->kind);
    const char *names[KEYS_MOST + 1] = {NULL};
    struct hypothesis hypothesis;
    enum status status;
    if (assumption_is_exact(kind->name)) {
        status = hypothesis_read(kind, section, &hypothesis, error);
        hypothesis_clear(&hypothesis);
        return status;
    }
    void *state = calloc(1, kind->state_size);
    if (!state)
        return error_memory(error, "the assumptions");
    for (size_t k = 0; kind->keys[k].name; k++) {
        assert(k < KEYS_MOST);
        names[k] = kind->keys[k].name;
    }
    status = ini_check_keys(section, names, error);
    for (const struct ini_key *key = kind->keys; key->name && status == STATUS_OK; key++)
        status = ini_get(section, key, (char *)state + key->offset, error);
    if (status == STATUS_OK && kind->needs_where && !callpath_marks_wanted(section))
        status = section_error(error, section, NULL, "\"region\" or \"callpath\" is missing");
    ini_values_clear(kind->keys, state);
    free(state);
    return status;
}

const struct assumption_kinds assumable_hypotheses = {
    .name = hypothesis_kind_name, .check = check_hypothesis_section, .files = true, .advice = ""};

/* Reads the assumptions of a trace; none, and `*reduced` false, if it is not reduced. The caller
 * clears them in any case. */
static enum status read_property(const struct trace *trace, struct assumptions *assumptions,
                                 bool *reduced, struct error *error)
{
    const char *text = definitions_property(trace->definitions, SILAS_PROPERTY_ASSUMED);
    char name[500];
    *assumptions = (struct assumptions){0};
    *reduced = text != NULL;
    if (!text)
        return STATUS_OK;
    snprintf(name, sizeof name, "%s: property %s", trace->path ? trace->path : "the trace",
             SILAS_PROPERTY_ASSUMED);
    return assumptions_read(assumptions, &assumable_hypotheses, name, text, error);
}

enum status assumptions_least_wait_of(const struct trace *trace, double *least_wait_s,
                                      struct error *error)
{
    struct assumptions assumptions;
    bool reduced;
    enum status status = read_property(trace, &assumptions, &reduced, error);
    *least_wait_s = reduced ? assumptions_least_wait(&assumptions) : 0;
    assumptions_clear(&assumptions);
    return status;
}

/* Fails because `what` was not assumed; `advice` is what the user can do, apart from using the
 * whole archive. */
static enum status refuse_unassumed(const struct trace *trace, const char *what, const char *advice,
                                    struct error *error)
{
    return error_set(error, STATUS_INPUT,
                     "%s was reduced for the assumptions \"%s\", which do not cover %s: use the "
                     "whole archive%s",
                     trace->path ? trace->path : "the trace",
                     definitions_property(trace->definitions, SILAS_PROPERTY_ASSUMED), what,
                     advice);
}

static enum status refuse_hypothesis(const struct trace *trace, const struct ini_section *section,
                                     struct error *error)
{
    char title[110], name[100], *advice = NULL, quote = '"';
    size_t size = 0;
    for (size_t e = 0; e < section->entry_count; e++)
        if (strpbrk(section->entries[e].value, " \t;\"\\"))
            quote = '\''; /* the text has double quotes inside */
    FILE *text = open_memstream(&advice, &size);
    section_title(section, name, sizeof name);
    snprintf(title, sizeof title, "[%s]", name);
    if (text) {
        fprintf(text, ", or reduce it again with --assume %c", quote);
        assumption_write(text, section);
        putc(quote, text);
    }
    if (!text || fclose(text) != 0) {
        free(advice);
        return error_memory(error, "the assumptions");
    }
    enum status status = refuse_unassumed(trace, title, advice, error);
    free(advice);
    return status;
}

enum status assumptions_check(const struct trace *trace, const struct hypothesis *hypotheses,
                              size_t count, struct error *error)
{
    assert(count == 0 || hypotheses);
    struct assumptions assumptions;
    bool reduced;
    enum status status = read_property(trace, &assumptions, &reduced, error);
    for (size_t i = 0; i < count && reduced && status == STATUS_OK; i++)
        if (!assumptions_cover(&assumptions, hypotheses[i].section))
            status = refuse_hypothesis(trace, hypotheses[i].section, error);
    assumptions_clear(&assumptions);
    return status;
}

enum status assumptions_check_further(const struct trace *trace, const struct assumptions *further,
                                      struct error *error)
{
    struct assumptions assumptions;
    bool reduced;
    enum status status = read_property(trace, &assumptions, &reduced, error);
    for (size_t i = 0; i < further->items.count && reduced && status == STATUS_OK; i++) {
        const struct assumption *item = &further->items.items[i];
        if (item->waits)
            status = assumptions_check_waits(trace, "shorter waits", item->least_wait_s, error);
        else if (!assumptions_cover(&assumptions, item->section))
            status = refuse_hypothesis(trace, item->section, error);
    }
    assumptions_clear(&assumptions);
    return status;
}

enum status assumptions_check_request(const struct trace *trace, const char *request,
                                      struct error *error)
{
    bool reduced = definitions_property(trace->definitions, SILAS_PROPERTY_ASSUMED) != NULL;
    return reduced ? refuse_unassumed(trace, request, "", error) : STATUS_OK;
}

enum status assumptions_check_waits(const struct trace *trace, const char *request,
                                    double least_wait_s, struct error *error)
{
    double least;
    char advice[160];
    enum status status = assumptions_least_wait_of(trace, &least, error);
    if (status != STATUS_OK || least_wait_s >= least || (least_wait_s < 0 && isfinite(least)))
        return status;
    snprintf(advice, sizeof advice, ", or reduce it again with --assume \"waits at_least=%.15g\"",
             fmax(least_wait_s, 0));
    return refuse_unassumed(trace, request, advice, error);
}
