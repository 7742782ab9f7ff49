/* A hypothesis changes a trace: "balance this function", "drop these messages" (doc/methods.md,
 * section 2). Each kind has its own file; kinds.h lists them, and plug-ins add further ones. A new
 * one starts from src/plugins/hypothesis_template.c. */
#ifndef TRANSFORM_HYPOTHESIS_H
#define TRANSFORM_HYPOTHESIS_H

#include "base/ini.h"
#include "trace/trace.h"

/* The changes of a trace by a hypothesis. */
struct hypothesis_outcome {
    bool operations_changed; /* operations were added, removed or changed; otherwise only times */
    int64_t chosen, total;   /* `things` that it changed, and all; over all ranks */
    const char *things;      /* "messages"; NULL: there are no counts */
};

/* What a hypothesis changes, where predictions of such changes were compared with changed programs
 * (job/outcomes.h). */
enum hypothesis_subject {
    SUBJECT_OTHER,
    SUBJECT_COMPUTATION, /* how long regions compute */
    SUBJECT_TRAFFIC,     /* which messages and collective operations there are */
    SUBJECT_THREADS,     /* threads of parallel regions */
};

struct hypothesis_kind {
    const char *name;           /* section name: [scale ...] */
    const char *description;    /* one line */
    const struct ini_key *keys; /* the keys of its section, and where in the state they go */
    enum hypothesis_subject subject;
    size_t state_size;   /* the state begins with `const struct ini_section *section` */
    const void *initial; /* the state before the keys are read; NULL: all zero */
    bool needs_where;    /* region or callpath must be given */
    bool computed_only;  /* changes the environment: for engines that compute (engine.h: exact) */

    /* Optional. Checks the values of the keys, and derives others from them. */
    enum status (*check)(void *state, struct error *error);
    /* Collective. Changes the trace in place: times (communication is shifted, never invented) or
     * operations. Fails if nothing in the trace matches, and lists the nearest region names. Does
     * not change the state. `*outcome` is zero before and the same on all processes afterwards. */
    enum status (*apply)(const void *state, struct trace *trace, struct hypothesis_outcome *outcome,
                         struct error *error);
};

/* One section of a configuration. It can be applied to any number of traces. */
struct hypothesis {
    const struct hypothesis_kind *kind;
    const struct ini_section *section;
    void *state;
};

/* All kinds: the built-in ones, then those of plug-ins. Ends with NULL; valid until the next is
 * added. */
const struct hypothesis_kind *const *hypothesis_list(void);
/* The kind of that name; NULL: there is none. */
const struct hypothesis_kind *hypothesis_kind_named(const char *name);
/* Adds a kind of a plug-in, with a new name. False if out of memory. */
bool hypothesis_list_add(const struct hypothesis_kind *kind);

/* The key whose value may follow a region in a question ("--scale solve=0.5"): the first required
 * one, or else a number that follows `region` and `callpath`. NULL: there is none. */
const struct ini_key *hypothesis_value_key(const struct hypothesis_kind *kind);

/* Reads a section as a hypothesis of a kind. The section must outlive the hypothesis. Free it with
 * hypothesis_clear; after a failure nothing is left to free. */
enum status hypothesis_read(const struct hypothesis_kind *kind, const struct ini_section *section,
                            struct hypothesis *hypothesis, struct error *error);
void hypothesis_clear(struct hypothesis *hypothesis);

/* Parses every section that names a kind of hypothesis, in file order. The ini must outlive the
 * hypotheses; free them with hypotheses_destroy. */
enum status hypotheses_parse(const struct ini *ini, struct hypothesis **hypotheses, size_t *count,
                             struct error *error);
void hypotheses_destroy(struct hypothesis *hypotheses, size_t count);

/* Collective. Copies the times and the changed parts of `original`, which must be matched and
 * outlive the copy. Applies all hypotheses in order to the copy; if operations changed, matches it
 * again and runs the consistency check (doc/methods.md, section 3). Free it with trace_destroy. The
 * copy is not a view: its `origin` is NULL. If `outcomes` is not NULL, sets outcomes[i] to the
 * changes by hypothesis i. */
enum status hypotheses_apply(const struct hypothesis *hypotheses, size_t count,
                             const struct trace *original, struct trace **changed,
                             struct hypothesis_outcome *outcomes, struct error *error);

/* One line for reports, cut off at `size`: "balance foo: region foo, mode instance". If `outcome`
 * is not NULL, its counts follow: "cut: tag 7 (10 of 40 messages)". */
void hypothesis_describe(const struct hypothesis *hypothesis,
                         const struct hypothesis_outcome *outcome, char *text, size_t size);

#endif
