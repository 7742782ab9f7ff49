/* The outline of a program: one tree of regions, loops and steps for all ranks and recordings. The
 * tree of each rank (repeats.h) is merged into it: its items are aligned with the outline's, and
 * those that the outline lacks are added. What only some ranks do is there once, too; values.h has
 * who does it. */
#ifndef PREDICTION_FROM_OUTLINE_H
#define PREDICTION_FROM_OUTLINE_H

#include "predict/from/repeats.h"

enum { DISTANCES_KEPT = 8 };

/* Where a peer was seen, for alignment. */
struct distance_seen {
    uint32_t recording;
    int64_t distance; /* action_distance */
};

struct outline_list {
    ARRAY(struct outline_item *) items;
    struct outline_item *owner; /* NULL: the program itself */
};

struct outline_item {
    uint8_t kind;              /* enum node_kind */
    struct script_step step;   /* CALL, REGION: of its ENTER; merging fills in unknown fields */
    struct outline_list *list; /* that it is in */
    struct outline_list body;  /* REGION, LOOP */
    uint64_t signature, contents;
    uint32_t request; /* name of the request that it posts; INDEX_NONE */
    uint64_t bytes;   /* of the last action, for alignment */
    struct distance_seen seen[DISTANCES_KEPT];
    uint32_t seen_count;
    uint32_t number; /* set by outline_number, in order of the script */
    uint32_t depth;  /* loops around it */
};

struct outline {
    const struct script_steps *steps;
    struct arena *arena; /* owns items; not owned */
    struct outline_list top;
    uint32_t count; /* items */
};

/* Merges a rank's tree; sets `item` of all its nodes but the root. Steps that the rank makes once
 * may be in a loop of the outline. False when memory is out. */
bool outline_merge(struct outline *outline, const struct rank_tree *tree);

/* Numbers all items. */
void outline_number(struct outline *outline);

/* Frees what the arena does not own. */
void outline_clear(struct outline *outline);

#endif
