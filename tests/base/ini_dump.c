/* Prints what the INI reader makes of a file, or its error: the golden tests in tests/base/ini
 * compare that with NAME.expected. Keys of a section [typed] are read by the getter of their name.
 */
#include "base/ini.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum status read_typed(struct ini_section *section, struct error *error)
{
    static const char *const known[] = {"string", "bool",     "integer", "number",
                                        "choice", "duration", "bytes",   NULL};
    static const char *const choices[] = {"realtime", "model", NULL};
    const char *string = "(default)";
    bool flag = false;
    int64_t integer = -1;
    double number = -1, seconds = -1;
    int choice = -1;
    uint64_t bytes = 0;
    enum status status = ini_check_keys(section, known, error);
    if (status == STATUS_OK)
        status = ini_get_string(section, "string", &string, error);
    if (status == STATUS_OK)
        status = ini_get_bool(section, "bool", &flag, error);
    if (status == STATUS_OK)
        status = ini_get_integer(section, "integer", -5, 1000, &integer, error);
    if (status == STATUS_OK)
        status = ini_get_number(section, "number", 0, 10, &number, error);
    if (status == STATUS_OK)
        status = ini_get_choice(section, "choice", choices, &choice, error);
    if (status == STATUS_OK)
        status = ini_get_duration(section, "duration", &seconds, error);
    if (status == STATUS_OK)
        status = ini_get_bytes(section, "bytes", &bytes, error);
    if (status == STATUS_OK)
        printf("typed: %s %d %" PRId64 " %g %d %g %" PRIu64 "\n", string, flag, integer, number,
               choice, seconds, bytes);
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
