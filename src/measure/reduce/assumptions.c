#include "measure/reduce/assumptions.h"

#include "base/ini.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "region=foo, MPI_*" or "at_least=1ms" of an assumption. */
struct word {
    char key[32], value[256];
};

static enum status bad(struct error *error, const char *text, const char *why, const char *what)
{
    return error_set(error, STATUS_USAGE,
                     "option \"--assume\": \"%s\": %s%s%s%s; while a program runs, \"waits "
                     "at_least=1ms\", \"scale region=NAME\" and \"balance region=NAME\" can be "
                     "assumed, separated by \"; \"; for others, record the whole run and use "
                     "silas-reduce",
                     text, what ? "\"" : "", what ? what : "", what ? "\" " : "", why);
}

/* Reads a word up to one of `ends`, or a value between quotes. False if it is too long or open. */
static bool read_word(const char **at, const char *ends, char *word, size_t size)
{
    size_t length = 0;
    bool quoted = **at == '"';
    *at += quoted;
    while (**at && (quoted ? **at != '"' : !strchr(ends, **at))) {
        *at += quoted && **at == '\\' && (*at)[1];
        if (length + 1 == size)
            return false;
        word[length++] = *(*at)++;
    }
    word[length] = '\0';
    bool closed = !quoted || **at == '"';
    *at += quoted && closed;
    return closed;
}

static bool add_region(struct run_assumptions *assumptions, const char *name, size_t length)
{
    char *copy = strndup(name, length);
    if (copy && array_push(&assumptions->regions, copy))
        return true;
    free(copy);
    return false;
}

/* Patterns separated by commas. */
static enum status add_regions(struct run_assumptions *assumptions, const char *text,
                               const char *value, struct error *error)
{
    for (const char *at = value; *at;) {
        at += strspn(at, ", \t");
        size_t length = strcspn(at, ",");
        const char *next = at + length;
        while (length > 0 && strchr(" \t", at[length - 1]))
            length--;
        if (strncmp(at, "MPI", 3) == 0)
            return bad(error, text, "is in MPI, where nothing is computed", value);
        if (length > 0 && !add_region(assumptions, at, length))
            return error_memory(error, "the assumptions");
        at = next;
    }
    return STATUS_OK;
}

static enum status add_waits(struct run_assumptions *assumptions, const char *text,
                             const struct word *word, struct error *error)
{
    static const char *const units[] = {"s", "ms", "us", "ns", NULL};
    static const double factors[] = {1, 1e-3, 1e-6, 1e-9};
    char *end;
    double seconds = strtod(word->value, &end);
    int unit = 0;
    while (*end && units[unit] && strcmp(end, units[unit]) != 0)
        unit++;
    if (end == word->value || !units[unit] || !(seconds >= 0))
        return bad(error, text, "is no time", word->value);
    seconds *= factors[unit];
    if (seconds < assumptions->waits_at_least)
        assumptions->waits_at_least = seconds;
    return STATUS_OK;
}

/* Reads one assumption up to ';'. */
static enum status read_assumption(struct run_assumptions *assumptions, const char *text,
                                   const char **at, struct error *error)
{
    char kind[32];
    struct word word;
    enum status status = STATUS_OK;
    bool chosen = false;
    if (!read_word(at, " \t;", kind, sizeof kind))
        return bad(error, text, "is no kind of assumption", kind);
    bool waits = strcmp(kind, "waits") == 0;
    if (!waits && strcmp(kind, "scale") != 0 && strcmp(kind, "balance") != 0)
        return bad(error, text, "cannot be assumed here", kind);
    if (waits)
        chosen = true;
    const struct word least = {"at_least", "0"};
    bool limited = false;
    for (*at += strspn(*at, " \t"); **at && **at != ';' && !status; *at += strspn(*at, " \t")) {
        bool read = read_word(at, " \t;=", word.key, sizeof word.key) && **at == '=';
        *at += read;
        if (!read || !read_word(at, " \t;", word.value, sizeof word.value))
            return bad(error, text, "expected key=value", NULL);
        if (waits && strcmp(word.key, "at_least") == 0) {
            status = add_waits(assumptions, text, &word, error);
            limited = true;
        } else if (!waits && strcmp(word.key, "region") == 0) {
            status = add_regions(assumptions, text, word.value, error);
            chosen = true;
        } else if (waits || (strcmp(word.key, "factor") != 0 && strcmp(word.key, "mode") != 0)) {
            status = bad(error, text, "is no key that can be used here", word.key);
        }
    }
    if (!status && waits && !limited)
        status = add_waits(assumptions, text, &least, error);
    return status || chosen ? status : bad(error, text, "the key \"region\" is missing", NULL);
}

static enum status read_assumptions(struct run_assumptions *assumptions, const char *text,
                                    struct error *error)
{
    enum status status = STATUS_OK;
    for (const char *at = text + strspn(text, " \t;"); *at && !status; at += strspn(at, " \t;"))
        status = read_assumption(assumptions, text, &at, error);
    return status;
}

/* The form that SILAS::ASSUMED has (doc/otf2-attributes.md). */
static bool make_text(struct run_assumptions *assumptions)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return false;
    if (isfinite(assumptions->waits_at_least))
        fprintf(stream, "waits at_least=%.15g", assumptions->waits_at_least);
    for (size_t i = 0; i < assumptions->regions.count; i++)
        fprintf(stream, "%sscale region=\"%s\"",
                i > 0 || isfinite(assumptions->waits_at_least) ? "; " : "",
                assumptions->regions.items[i]);
    if (fclose(stream) != 0)
        return false;
    assumptions->text = text;
    return true;
}

/* Ranks of one host are at this distance (replay/costs/machine.h); other sections stand in for it,
 * the nearest first. */
static const struct ini_section *find_distance(const struct ini *ini)
{
    static const char *const names[] = {"node", "socket", "cache", "network"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t i = 0; i < ini->section_count; i++)
            if (strcmp(ini->sections[i].kind, "distance") == 0 &&
                strcmp(ini->sections[i].label, names[n]) == 0)
                return &ini->sections[i];
    return NULL;
}

static enum status read_parameters(const struct ini *ini, struct run_machine *machine,
                                   struct error *error)
{
    struct sender {
        double latency, send_overhead, send_per_byte, per_byte; /* per byte: ns */
    } sender = {0};
    static const struct ini_key keys[] = {INI_KEY(sender, latency, DURATION, .highest = 1e9),
                                          INI_KEY(sender, send_overhead, DURATION, .highest = 1e9),
                                          INI_KEY(sender, send_per_byte, NUMBER, .highest = 1e9),
                                          INI_KEY(sender, per_byte, NUMBER, .highest = 1e9),
                                          INI_KEYS_END};
    const struct ini_section *general = ini_find_section(ini, "machine");
    const struct ini_section *distance = find_distance(ini);
    if (!distance)
        return ini_error(error, ini, 0, "a machine file needs at least one [distance NAME]");
    enum status status = ini_read_some(distance, keys, &sender, error);
    if (!status && general)
        status = ini_get_limit(general, "synchronous_from", &machine->synchronous_from, error);
    if (!status)
        status = ini_get_limit(distance, "synchronous_from", &machine->synchronous_from, error);
    machine->latency = sender.latency + sender.send_overhead;
    machine->per_byte = 1e-9 * (sender.per_byte + sender.send_per_byte);
    return status;
}

static enum status read_machine(const char *path, struct run_machine *machine, struct error *error)
{
    struct ini *ini;
    enum status status = ini_load(path, &ini, error);
    if (status)
        return status;
    status = read_parameters(ini, machine, error);
    ini_destroy(ini);
    return status;
}

enum status run_assumptions_read(const char *text, const char *machine,
                                 struct run_assumptions *assumptions, struct error *error)
{
    *assumptions = (struct run_assumptions){.waits_at_least = INFINITY,
                                            .machine = {.synchronous_from = UINT64_MAX}};
    enum status status = read_assumptions(assumptions, text ? text : ASSUMED_BY_DEFAULT, error);
    if (!status && machine)
        status = read_machine(machine, &assumptions->machine, error);
    if (!status && !make_text(assumptions))
        status = error_memory(error, "the assumptions");
    return status;
}

void run_assumptions_clear(struct run_assumptions *assumptions)
{
    for (size_t i = 0; i < assumptions->regions.count; i++)
        free(assumptions->regions.items[i]);
    free(assumptions->regions.items);
    free((char *)assumptions->text);
    *assumptions = (struct run_assumptions){.waits_at_least = INFINITY};
}
