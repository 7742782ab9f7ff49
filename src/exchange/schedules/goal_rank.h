/* The operations of one rank of a GOAL schedule, and their order as a program.
 *
 * In GOAL, operations depend on others; in a trace, calls follow each other. Operations are put in
 * an order in which all dependences hold. Messages begin as soon as the operations that they depend
 * on are complete, in the order of the file. Computation begins when no message can, in the same
 * order. If no operation can begin, the rank waits for the messages that the first operation in the
 * file needs that depends on nothing else. A message that the rank waits for at once is a blocking
 * call. So computations that GOAL allows at the same time, on several CPUs or during a message,
 * follow each other here.
 */
#ifndef SCHEDULES_GOAL_RANK_H
#define SCHEDULES_GOAL_RANK_H

#include "base/map.h"
#include "base/name_set.h"
#include "trace/build/trace_builder.h"

enum goal_kind { GOAL_CALC, GOAL_SEND, GOAL_RECEIVE };

struct goal_operation {
    uint64_t size; /* bytes, or nanoseconds */
    uint32_t peer, tag;
    uint32_t line;
    uint8_t kind;  /* enum goal_kind */
    uint8_t state; /* goal_order.c */
};

struct goal_dependence {
    uint32_t operation, on; /* numbers */
    bool start;             /* irequires */
};

struct goal_rank {
    ARRAY(struct goal_operation) operations;
    ARRAY(struct goal_dependence) dependences;
    struct map numbered;   /* labels such as l17: 17 -> operation */
    struct name_set names; /* other labels; */
    ARRAY(uint32_t) named; /* [number in `names`]: operation */
};

void goal_rank_clear(struct goal_rank *rank);

/* Gives the label to the last operation. False when memory is out; `*known`: whether the rank
 * has the label already. */
bool goal_rank_label(struct goal_rank *rank, const char *label, bool *known);

/* The operation of this label; INDEX_NONE: there is none. */
uint32_t goal_rank_find(struct goal_rank *rank, const char *label);

/* Writes the operations between builder_begin_rank and builder_end_rank. Fails with STATUS_INPUT,
 * naming the operations by file and line, if some depend on each other in a circle. */
enum status goal_rank_build(struct goal_rank *rank, const char *path, struct trace_builder *builder,
                            struct error *error);

#endif
