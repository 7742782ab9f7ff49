/* The resources that the job of a part needs. Parts that need the same can share an array. */
#ifndef SWEEP_QUEUE_SHAPE_H
#define SWEEP_QUEUE_SHAPE_H

#include "sweep/folder.h"
#include "sweep/queue/launcher.h"

struct shape {
    bool replays;
    uint32_t ranks;
    uint32_t nodes;    /* hosts of the recording; 0: unknown */
    uint32_t per_node; /* ranks on each node; the maximum if they differ; 0: unknown */
    bool even;         /* all nodes have the same number of ranks */
    double expected_s; /* of the longest part */
    uint32_t minutes;  /* time limit */
    size_t *parts;     /* in ascending order */
    size_t part_count;
};

struct shapes {
    struct shape *items;
    size_t count;
    size_t *of_part; /* [part of the folder] */
};

/* The longest expected time of a part whose time limit is at most `longest_s` (0: unlimited). */
double shape_expected_s(double longest_s);

/* Finds the shapes of all parts. Fails if a trace cannot be read; then there is nothing to free. */
enum status shapes_find(const struct sweep_folder *folder, double longest_s, struct shapes *shapes,
                        struct error *error);
void shapes_clear(struct shapes *shapes);

#endif
