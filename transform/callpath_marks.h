/* The call paths of a trace to which a hypothesis applies, chosen by the keys `region` and
 * `callpath` of its section.
 *
 *   region   = foo, MPI_*          names; * ? [] as in file names; several separated by commas
 *   callpath = main/step/exchange  as reports print call paths; matched from the root or from any
 *                                  call on the path; * also matches several calls
 *
 * With both keys, a call path must match both. */
#ifndef TRANSFORM_CALLPATH_MARKS_H
#define TRANSFORM_CALLPATH_MARKS_H

#include "base/ini.h"
#include "trace/trace.h"

enum callpath_mark {
    CALLPATH_CHOSEN = 1 << 0,       /* the user named its own region */
    CALLPATH_INSIDE = 1 << 1,       /* chosen, or called from a chosen one */
    CALLPATH_COMMUNICATES = 1 << 2, /* inside an MPI call: no computation. Reads and writes of files
                                       by a single rank are like computation if they are chosen
                                       themselves, because ranks do not wait in them */
    CALLPATH_VISIT = 1 << 3,        /* chosen, outside other chosen ones, computes: a visit */
    CALLPATH_WAITS = 1 << 4,        /* waits for other threads: its own time is no computation */
};

/* The two keys in a table of keys; callpath_marks_create reads them. */
#define WHERE_KEYS         \
    {.name = "region"},    \
    {                      \
        .name = "callpath" \
    }

struct callpath_marks {
    uint8_t *of; /* [call path]: enum callpath_mark */
    const struct calltree *calltree;
};

/* True if the section has one of the two keys. */
bool callpath_marks_wanted(const struct ini_section *section);

/* Marks the call paths: the same on all processes, without communication. Fails if a pattern
 * matches no call path, and lists the nearest names. A section with neither key chooses no call
 * path. */
enum status callpath_marks_create(const struct ini_section *section, const struct trace *trace,
                                  struct callpath_marks *marks, struct error *error);
void callpath_marks_clear(struct callpath_marks *marks);

/* Fails if no call path with all marks of `wanted` computes: the time of MPI is never changed, and
 * waits for other threads follow from the computation. */
enum status callpath_marks_need_computation(const struct callpath_marks *marks,
                                            enum callpath_mark wanted,
                                            const struct ini_section *section, struct error *error);

/* Sets (*chosen)[region] for the regions that the list of name patterns in `key` of a section
 * matches: the same on all processes, without communication. The caller frees it. Fails if no
 * region matches; then nothing is left to free. */
enum status regions_choose(const struct ini_section *section, const char *key,
                           const struct trace *trace, bool **chosen, struct error *error);

/* The marks of a call path; none for CALLPATH_NONE. */
static inline unsigned marks_of(const struct callpath_marks *marks, uint32_t path)
{
    return path == CALLPATH_NONE ? 0 : marks->of[path];
}

/* True if time with `path` innermost is computation of a path with mark `wanted`. */
static inline bool marks_computes(const struct callpath_marks *marks, uint32_t path,
                                  enum callpath_mark wanted)
{
    return (marks_of(marks, path) & (wanted | CALLPATH_COMMUNICATES | CALLPATH_WAITS)) == wanted;
}

#endif
