/* The sections [memory LABEL] of a configuration (doc/config.md), and the computation that they
 * choose in a trace; or its sections [storage LABEL], and the file calls that they choose. */
#ifndef REPLAY_MEMORY_CONFIG_H
#define REPLAY_MEMORY_CONFIG_H

#include "base/ini.h"
#include "replay/costs/pieces.h"
#include "transform/callpath_marks.h"

/* One section. It chooses a class of computation: classes have the numbers of their sections. */
struct memory_section {
    const struct ini_section *section;
    const char *share_text; /* "auto" or a number */
    double share;           /* the number */
    bool is_auto;
    const char *recording; /* path, to estimate the share from; NULL: the recording itself */
    int64_t domain_ranks;  /* 0: all ranks of a host share one domain */
};

struct memory_config {
    const struct ini *ini;
    struct memory_section *sections;
    size_t count;
    int64_t domain_ranks; /* of all sections */
    bool files;           /* the sections are [storage], not [memory] */
};

/* `*config` is NULL if the file has no such section. It belongs to the ini's arena. */
enum status memory_config_read(const struct ini *ini, struct memory_config **config,
                               struct error *error);

/* A struct sharing with the arrays that it refers to. */
struct memory_sharing {
    struct sharing sharing;
    uint16_t *class_of, *thread_class_of;
    double *shares;
    float *path_shares; /* [call path]: of what a thread computes there */
    struct bandwidth_shares of_threads;
    uint32_t *domains;
    struct callpath_marks *marks; /* [section] */
    size_t section_count;
};

/* Not collective: the same on all processes. Fails if a section chooses no computation. On failure
 * nothing is left to free. */
enum status memory_sharing_make(const struct memory_config *config, const struct trace *trace,
                                struct memory_sharing *sharing, struct error *error);
void memory_sharing_clear(struct memory_sharing *sharing); /* of all zeros is allowed */

/* Sets `of_threads` from the shares. */
void memory_sharing_set_threads(struct memory_sharing *sharing);

#endif
