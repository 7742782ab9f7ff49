/* A hypothesis changes a trace: "balance this function", "drop these messages" (METHODS 2). One
 * kind a file; hypothesis_list.c names them all; hypothesis_template.c is where to start a new one.
 */
#ifndef TRANSFORM_HYPOTHESIS_H
#define TRANSFORM_HYPOTHESIS_H

#include "base/ini.h"
#include "trace/trace.h"

struct hypothesis_kind {
    const char *name;        /* section name: [scale ...] */
    const char *description; /* one line */
    const char *const *keys; /* NULL-terminated: the keys it knows */
    bool computed_only; /* changes the environment: for engines that compute (engine.h: exact) */

    /* Reads one section, whose keys are all known ones. `*state` is for the other functions; freed
     * by `release`. */
    enum status (*parse)(const struct ini *ini, const struct ini_section *section, void **state,
                         struct error *error);
    /* Collective. Changes the trace in place: times (communication is shifted, never invented) or
     * operations. A hypothesis that matches nothing fails and lists the nearest region names. Sets
     * `*operations_changed` if it added or removed operations: the trace is no longer matched then.
     */
    enum status (*apply)(void *state, struct trace *trace, bool *operations_changed,
                         struct error *error);
    /* One line for the report: "balance foo: region foo, mode instance". */
    void (*describe)(const void *state, char *text, size_t size);
    void (*release)(void *state);
};

struct hypothesis {
    const struct hypothesis_kind *kind;
    const char *label;
    int line;
    void *state;
};

extern const struct hypothesis_kind *const hypothesis_list[]; /* NULL-terminated */

const struct hypothesis_kind *hypothesis_find(const char *name);

/* Parses every section of the file that names a hypothesis kind, in file order. The ini must
 * outlive the hypotheses. */
enum status hypotheses_parse(const struct ini *ini, struct hypothesis **hypotheses, size_t *count,
                             struct error *error);
void hypotheses_destroy(struct hypothesis *hypotheses, size_t count);

/* Collective. Copies `original`, which must be matched (times, and what is changed), and applies
 * all in order to the copy; matches it anew where operations changed, and runs the consistency
 * check (METHODS 3). trace_destroy frees it; `original` must outlive it. The copy is no view: its
 * `origin` is NULL. */
enum status hypotheses_apply(const struct hypothesis *hypotheses, size_t count,
                             const struct trace *original, struct trace **changed,
                             struct error *error);

#endif
