#include "programs/question_options.h"

#include "transform/hypothesis.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>

/* "REGION=FACTOR", "REGION" or "KEY=VALUE": what the user most likely writes for this kind. */
static void write_argument(const struct hypothesis_kind *kind, char *text, size_t size)
{
    const struct ini_key *value = hypothesis_value_key(kind);
    const char *required = value ? value->name : "";
    bool has_region = false;
    for (const struct ini_key *key = kind->keys; key->name; key++)
        has_region |= strcmp(key->name, "region") == 0;
    snprintf(text, size, "%s%s%s", has_region ? "REGION" : "KEY=VALUE",
             has_region && *required ? "=" : "", has_region ? required : "");
    for (char *c = text; *c; c++)
        *c = (char)toupper((unsigned char)*c);
}

void question_options_list(const struct option_spec *own, struct question *question,
                           struct option_spec options[QUESTION_OPTIONS_MOST])
{
    assert(own && question->hypotheses.count == 0);
    static char arguments[QUESTION_OPTIONS_MOST][24];
    size_t count = 0;
    for (; own->name; own++)
        options[count++] = *own;
    options[count++] = (struct option_spec){
        's', "set", "SECTION.KEY=VALUE ...", "set a key of the configuration", question->sets,
        NULL};
    options[count++] = (struct option_spec){
        'o', "output", "DIR", "folder for the results (default: NAME-replay)", &question->directory,
        NULL};
    for (const struct hypothesis_kind *const *kind = hypothesis_list(); *kind; kind++) {
        assert(count < QUESTION_OPTIONS_MOST - 1);
        write_argument(*kind, arguments[count], sizeof *arguments);
        options[count] = (struct option_spec){
            .name = (*kind)->name, .argument = arguments[count], .help = (*kind)->description};
        count++;
    }
    options[count] = (struct option_spec){0};
}
