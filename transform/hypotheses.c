/* From the sections of a configuration file to hypotheses. Applying them: hypotheses_apply.c. */
#include "transform/hypothesis.h"

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
        enum status status = ini_check_keys(ini, section, kind->keys, error);
        if (status == STATUS_OK)
            status = kind->parse(ini, section, &hypothesis->state, error);
        if (status != STATUS_OK) {
            hypotheses_destroy(fresh, parsed);
            return status;
        }
        hypothesis->kind = kind;
        hypothesis->label = section->label;
        hypothesis->line = section->line;
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
