/* From the sections of a configuration file to hypotheses. Applying them: hypotheses_apply.c. */
#include "transform/hypothesis.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct hypothesis_kind *hypothesis_find(const char *name)
{
    for (size_t i = 0; hypothesis_list[i]; i++)
        if (strcmp(hypothesis_list[i]->name, name) == 0)
            return hypothesis_list[i];
    return NULL;
}

enum status hypotheses_parse(const struct ini *ini, struct hypothesis **hypotheses, size_t *count,
                             struct error *error)
{
    struct hypothesis *fresh = calloc(ini->section_count + 1, sizeof *fresh);
    size_t parsed = 0;
    if (!fresh)
        return error_memory(error, "the hypotheses");
    for (size_t s = 0; s < ini->section_count; s++) {
        const struct ini_section *section = &ini->sections[s];
        const struct hypothesis_kind *kind = hypothesis_find(section->kind);
        if (!kind)
            continue;
        struct hypothesis *hypothesis = &fresh[parsed];
        *hypothesis = (struct hypothesis){.kind = kind, .ref = {ini, section}};
        enum status status = ini_check_keys(ini, section, kind->keys, error);
        if (status == STATUS_OK)
            status = kind->parse(hypothesis->ref, &hypothesis->state, error);
        if (status != STATUS_OK) {
            hypotheses_destroy(fresh, parsed);
            return status;
        }
        parsed++;
    }
    *hypotheses = fresh;
    *count = parsed;
    return STATUS_OK;
}

void hypotheses_destroy(struct hypothesis *hypotheses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hypotheses[i].kind->release(hypotheses[i].state);
    free(hypotheses);
}

void hypothesis_describe(const struct hypothesis *hypothesis,
                         const struct hypothesis_outcome *outcome, char *text, size_t size)
{
    char counts[100] = "";
    if (outcome && outcome->things)
        snprintf(counts, sizeof counts, " (%lld of %lld %s)", (long long)outcome->chosen,
                 (long long)outcome->total, outcome->things);
    assert(size > strlen(counts));
    section_describe(hypothesis->ref, text, size - strlen(counts));
    strcat(text, counts);
}
