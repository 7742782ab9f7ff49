/* From GOAL text to the operations of its ranks. */
#ifndef SCHEDULES_GOAL_PARSER_H
#define SCHEDULES_GOAL_PARSER_H

#include "exchange/schedules/goal_rank.h"

#include <stdio.h>

struct goal_place {
    uint32_t line, column; /* from 1 */
};

/* Where the block of a rank is in the file. */
struct goal_block {
    uint32_t rank;
    struct goal_place where; /* of the rank's number */
    struct goal_place begin; /* after its bracket, */
    uint64_t offset;         /* the same in bytes */
};

struct goal_index {
    uint32_t ranks;
    ARRAY(struct goal_block) blocks; /* after goal_parse_index: [ranks], in the order of ranks */
};

/* Reads the number of ranks, and finds the block of each. Fails with "FILE:LINE:COLUMN: ..." if the
 * text around the blocks is not GOAL, or if a rank is missing, occurs twice, or is too large. The
 * caller frees index->blocks.items. */
enum status goal_parse_index(const char *path, FILE *file, struct goal_index *index,
                             struct error *error);

/* Reads the operations of one rank into `rank`, which is empty. */
enum status goal_parse_rank(const char *path, FILE *file, const struct goal_index *index,
                            const struct goal_block *block, struct goal_rank *rank,
                            struct error *error);

#endif
