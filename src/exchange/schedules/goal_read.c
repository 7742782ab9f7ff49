#include "exchange/schedules/goal_read.h"

#include "exchange/schedules/goal_parser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether the first word is num_ranks, after blanks and comments. */
static bool begins_with_ranks(FILE *file)
{
    static const char word[] = "num_ranks";
    char text[4096], *at = text;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    for (;;) {
        at += strspn(at, " \t\r\n");
        char *end = strncmp(at, "//", 2) == 0   ? strchr(at, '\n')
                    : strncmp(at, "/*", 2) == 0 ? strstr(at + 2, "*/")
                                                : NULL;
        if (!end)
            return strncmp(at, word, strlen(word)) == 0;
        at = end + (*end == '*' ? 2 : 1);
    }
}

bool goal_recognises(const char *path)
{
    size_t length = strlen(path);
    if (length > 5 && strcmp(path + length - 5, ".goal") == 0)
        return true;
    FILE *file = fopen(path, "r");
    bool recognised = file && begins_with_ranks(file);
    if (file)
        fclose(file);
    return recognised;
}

/* Not collective. */
static enum status build_ranks(const char *path, FILE *file, const struct goal_index *index,
                               struct trace_builder *builder, struct error *error)
{
    enum status status = STATUS_OK;
    uint32_t first = builder_first_rank(builder), count = builder_owned_ranks(builder);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        struct goal_rank rank = {0};
        status = goal_parse_rank(path, file, index, &index->blocks.items[first + i], &rank, error);
        if (status == STATUS_OK) {
            builder_begin_rank(builder, 0);
            status = goal_rank_build(&rank, path, builder, error);
            if (status == STATUS_OK)
                builder_end_rank(builder, 0);
        }
        goal_rank_clear(&rank);
    }
    return status;
}

enum status goal_read(const char *path, struct processes *processes,
                      const struct hardware *hardware, struct trace **trace, struct error *error)
{
    struct goal_index index = {0};
    struct trace_builder *builder = NULL;
    FILE *file = fopen(path, "r");
    enum status status =
        file ? goal_parse_index(path, file, &index, error)
             : error_set(error, STATUS_INPUT, "cannot read %s: %s", path, strerror(errno));
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        status = builder_create(processes, "goal", index.ranks, hardware->ranks_per_node, NULL, 0,
                                &builder, error);
    if (status == STATUS_OK) {
        status = build_ranks(path, file, &index, builder, error);
        status = builder_finish(builder, status, trace, error);
    }
    builder_destroy(builder);
    if (file)
        fclose(file);
    free(index.blocks.items);
    return status;
}
