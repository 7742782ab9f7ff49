/* A hypothesis changes a trace: "balance this function", "drop these messages" (doc/methods.md,
 * section 2). One kind a file; hypothesis_list.c names them all; hypothesis_template.c is where to
 * start a new one.
 */
#ifndef TRANSFORM_HYPOTHESIS_H
#define TRANSFORM_HYPOTHESIS_H

#include "trace/trace.h"
#include "transform/section.h"

/* What a hypothesis has done to a trace. */
struct hypothesis_outcome {
    bool operations_changed; /* operations were added, removed or changed: times alone otherwise */
    int64_t chosen, total;   /* how many `things` of the trace, over all ranks, it was about */
    const char *things;      /* "messages"; NULL: it counts nothing */
};

struct hypothesis_kind {
    const char *name;        /* section name: [scale ...] */
    const char *description; /* one line */
    const char *const *keys; /* NULL-terminated: the keys it knows */
    size_t state_size;
    bool computed_only; /* changes the environment: for engines that compute (engine.h: exact) */

    /* Reads a section, which outlives the state and whose keys are all known ones, into a state of
     * `state_size` bytes, zero before. */
    enum status (*parse)(const struct ini_section *section, void *state, struct error *error);
    /* Frees what the state holds, also after parse has failed; NULL: it holds nothing. */
    void (*clear)(void *state);
    /* Collective. Changes the trace in place: times (communication is shifted, never invented) or
     * operations. Fails if it matches nothing, and lists the nearest region names. The state
     * stays as it is. `*outcome` is zero before, and the same on all processes after. */
    enum status (*apply)(const void *state, struct trace *trace, struct hypothesis_outcome *outcome,
                         struct error *error);
};

/* One section of a configuration. It stays as it is however many traces it is applied to. */
struct hypothesis {
    const struct hypothesis_kind *kind;
    const struct ini_section *section;
    void *state;
};

extern const struct hypothesis_kind *const hypothesis_list[]; /* NULL-terminated */

/* Parses every section of the file that names a hypothesis kind, in file order. The ini must
 * outlive the hypotheses, which hypotheses_destroy frees. */
enum status hypotheses_parse(const struct ini *ini, struct hypothesis **hypotheses, size_t *count,
                             struct error *error);
void hypotheses_destroy(struct hypothesis *hypotheses, size_t count);

/* Collective. Copies `original`, which must be matched (times, and what is changed), and applies
 * all in order to the copy; matches it anew where operations changed, and runs the consistency
 * check (doc/methods.md, section 3). trace_destroy frees it; `original` must outlive it. The copy
 * is no view: its `origin` is NULL. Fills `outcomes[count]`, what each hypothesis did to this
 * trace, if not NULL.
 */
enum status hypotheses_apply(const struct hypothesis *hypotheses, size_t count,
                             const struct trace *original, struct trace **changed,
                             struct hypothesis_outcome *outcomes, struct error *error);

/* One line for reports, cut off at `size`: the section, "balance foo: region foo, mode instance",
 * and, with an outcome (else NULL), what it counted: "cut: tag 7 (10 of 40 messages)". */
void hypothesis_describe(const struct hypothesis *hypothesis,
                         const struct hypothesis_outcome *outcome, char *text, size_t size);

#endif
