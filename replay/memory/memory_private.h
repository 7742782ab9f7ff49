#ifndef MEMORY_MEMORY_PRIVATE_H
#define MEMORY_MEMORY_PRIVATE_H

#include "replay/memory/memory.h"
#include "replay/costs/pieces.h"
#include "transform/callpath_marks.h"

/* One section [memory LABEL]. */
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
};

/* The sharing of a trace, with its parts. All zero before memory_sharing_make; clear it in any
 * case. */
struct memory_sharing {
    struct sharing sharing;
    uint16_t *class_of;
    double *shares;
    uint32_t *domains;
    struct callpath_marks *marks; /* [section] */
    size_t section_count;
};

/* Not collective: the same on all processes. Fails if a section chooses nothing that computes. */
enum status memory_sharing_make(const struct memory_config *config, const struct trace *trace,
                                struct memory_sharing *sharing, struct error *error);
void memory_sharing_clear(struct memory_sharing *sharing);

/* Collective. Estimates the shares of the sections named by `wanted` [section] from a trace, and
 * writes them to `sharing` and `classes` [section]. */
enum status memory_estimate(const struct memory_config *config, const struct trace *trace,
                            const bool *wanted, struct memory_sharing *sharing,
                            struct memory_class *classes, struct error *error);

#endif
