/* Prints a file as the INI reader understands it, or its error: the golden tests in tests/base/ini
 * compare that with NAME.expected. Keys of a section [typed] are read as the type of their name. */
#include "base/ini.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct typed {
    const char *string;
    bool bool_;
    int64_t integer;
    double number, duration;
    int choice;
    uint64_t bytes;
};

static const char *const choices[] = {"realtime", "model", NULL};
static const struct ini_key typed_keys[] = {
    INI_KEY(typed, string, STRING),
    INI_KEY_AT("bool", typed, bool_, BOOL),
    INI_KEY(typed, integer, INTEGER, .least = -5, .most = 1000),
    INI_KEY(typed, number, NUMBER, .highest = 10),
    INI_KEY(typed, choice, CHOICE, .choices = choices),
    INI_KEY(typed, duration, DURATION),
    INI_KEY(typed, bytes, BYTES),
    INI_KEYS_END,
};

static enum status read_typed(struct ini_section *section, struct error *error)
{
    struct typed typed = {
        .string = "(default)", .integer = -1, .number = -1, .duration = -1, .choice = -1};
    enum status status = ini_read(section, typed_keys, &typed, error);
    if (status == STATUS_OK)
        printf("typed: %s %d %" PRId64 " %g %d %g %" PRIu64 "\n", typed.string, typed.bool_,
               typed.integer, typed.number, typed.choice, typed.duration, typed.bytes);
    return status;
}

int main(int argc, char **argv)
{
    struct ini *ini;
    struct error error;
    if (argc != 2)
        return STATUS_USAGE;
    enum status status = ini_load(argv[1], &ini, &error);
    if (status != STATUS_OK) {
        puts(error.text);
        return (int)status;
    }
    for (size_t s = 0; s < ini->section_count && status == STATUS_OK; s++) {
        struct ini_section *section = &ini->sections[s];
        printf("%d: [%s] \"%s\"\n", section->line, section->kind, section->label);
        for (size_t e = 0; e < section->entry_count; e++)
            printf("%d: %s = \"%s\"\n", section->entries[e].line, section->entries[e].key,
                   section->entries[e].value);
        if (strcmp(section->kind, "typed") == 0)
            status = read_typed(section, &error);
    }
    if (status != STATUS_OK)
        puts(error.text);
    ini_destroy(ini);
    return (int)status;
}
