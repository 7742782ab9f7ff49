/* Errors of the matching and of the pre-flight check name events by rank and number. The
 * author of a script needs the line. */
#include "predict/evaluate.h"

#include <stdio.h>
#include <string.h>

/* Writes "FILE:LINE:COLUMN"; false if no statement makes the event. */
static bool describe(const struct evaluation *evaluation, uint32_t rank, unsigned event, char *text,
                     size_t size)
{
    struct script_position place = {0, 0};
    if (rank < evaluation->ranks)
        place = script_place(evaluation, rank, event);
    if (place.line == 0)
        return false;
    snprintf(text, size, "%s:%u:%u", evaluation->script->path, place.line, place.column);
    return true;
}

/* Copies the text, with the place before each "event N" of a rank. The first place goes to `first`.
 */
static void insert_places(const struct evaluation *evaluation, const char *from, FILE *to,
                          char *first, size_t size)
{
    char place[512];
    for (;;) {
        const char *rank_at = strstr(from, "rank ");
        unsigned rank, event;
        int length = 0;
        if (!rank_at) {
            fputs(from, to);
            return;
        }
        bool found = sscanf(rank_at, "rank %u, event %u%n", &rank, &event, &length) == 2 &&
                     describe(evaluation, rank, event, place, sizeof place);
        if (found && !*first)
            snprintf(first, size, "%s", place);
        if (!found)
            length = (int)strlen("rank ");
        fprintf(to, "%.*s%.*s", (int)(rank_at - from), from, length, rank_at);
        if (found)
            fprintf(to, " at %s", place);
        from = rank_at + length;
    }
}

void script_locate(const struct evaluation *evaluation, struct error *error)
{
    struct error located = {.status = error->status};
    char first[512] = "", text[sizeof error->text];
    size_t name = strlen(evaluation->script->name);
    const char *from = error->text;
    if (strncmp(from, evaluation->script->name, name) == 0 && strncmp(from + name, ": ", 2) == 0)
        from += name + 2;
    FILE *file = fmemopen(text, sizeof text, "w");
    if (!file)
        return;
    insert_places(evaluation, from, file, first, sizeof first);
    fclose(file);
    text[sizeof text - 1] = '\0';
    if (*first) {
        error_set(&located, error->status, "%s: %s", first, text);
        *error = located;
    }
}
