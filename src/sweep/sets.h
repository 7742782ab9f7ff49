/* The values in braces and the groups of hypotheses in the file of a sweep. */
#ifndef SWEEP_SETS_H
#define SWEEP_SETS_H

#include "sweep/alternatives.h"

/* A value in braces. */
struct sweep_set {
    size_t section, entry; /* of the file */
    const char *key;       /* "scale kernel.factor" */
    int line;
    bool changes_program; /* it belongs to a hypothesis; otherwise to [trace], [replay] or an engine
                           */
    struct alternatives values;
};

/* One way to take a group: a value for each set inside it. */
struct sweep_choice {
    size_t group;
    size_t *values; /* [set of the group] */
};

/* [alternative NAME] and the hypotheses that follow it. */
struct sweep_group {
    const char *name;
    int line;
    struct sweep_set *sets;
    size_t set_count;
};

struct sweep_sets {
    const struct ini *ini;
    struct sweep_set *common; /* sets outside of groups, in file order */
    size_t common_count;
    struct sweep_group *groups;
    size_t group_count;
    struct sweep_choice *choices; /* of all groups: every combination of the sets in each */
    size_t choice_count;
    size_t common_hypotheses; /* sections of hypotheses outside of groups */
    size_t *group_of; /* [section of the file]: its group; NO_GROUP: it belongs to all runs */
};

enum { NO_GROUP = -1 };

/* Finds the sets and groups of the file, and makes its paths absolute. `limit`: the largest number
 * of runs. Fails with STATUS_INPUT; the message names file and line. The ini owns the result. */
enum status sweep_sets_find(struct ini *ini, size_t limit, struct sweep_sets *sets,
                            struct error *error);

#endif
