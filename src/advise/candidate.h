/* Candidates: changes of the program that may be worth it. A family (candidates/) looks at the
 * facts and proposes some, each with the hypotheses that try it. A new family: its file, a line in
 * candidates/list.c and src/advise/local.mk, and a section of doc/advice.md for each kind. */
#ifndef ADVICE_CANDIDATE_H
#define ADVICE_CANDIDATE_H

#include "advise/facts.h"
#include "base/arena.h"
#include "base/array.h"
#include "job/replay_session.h"

/* How much has to be changed in the program. */
enum effort {
    EFFORT_SMALL,  /* a few lines at one place */
    EFFORT_MEDIUM, /* the order of calls, or a function */
    EFFORT_LARGE,  /* how work or data are distributed */
};
const char *effort_name(enum effort effort); /* "small" */

struct candidate {
    const char *kind; /* "needless-barrier": also its anchor in doc/advice.md */
    enum effort effort;
    uint32_t path;        /* where; CALLPATH_NONE: at no single one */
    uint32_t region;      /* where, of the program; INDEX_NONE: everywhere */
    uint32_t ranks;       /* that would be changed */
    const char *cause;    /* Of several candidates with the same text here, in the order in which
                             they are proposed, the first is kept that brings nearly the most */
    const char *sections; /* hypotheses, as in a configuration */
    const char *least;    /* hypotheses for the least that the change brings; NULL: the same */
    const char *change;   /* a sentence: what to change */
    const char *check;    /* what the programmer must know that no trace tells; NULL: nothing */
    bool narrows;         /* it changes all of its region: it explains what is around it, and what
                             is inside it explains it */
    double saving;        /* by the model, fraction of T; NAN: not tried, or it cannot be applied */
    double least_saving;  /* of `least`; else equal to `saving` */
};

struct candidate_list {
    ARRAY(struct candidate) all;
    struct arena *arena; /* owns the texts */
};

struct candidate_family {
    const char *name, *description;
    /* Collective. Adds candidates to the list, the same on all processes. Fails when memory is out.
     */
    enum status (*propose)(const struct facts *facts, struct candidate_list *list,
                           struct error *error);
};
extern const struct candidate_family *const candidate_families[]; /* ends with NULL */

/* Adds a candidate; its texts must be the list's (candidate_text) or constants. `saving` is set to
 * NAN. Does nothing if one of the texts is NULL where one must be. False when memory is out. */
bool candidate_add(struct candidate_list *list, struct candidate candidate);

/* A text that the list owns; NULL when memory is out. */
const char *candidate_text(struct candidate_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A region's name, or a call path, as the value of `region` or `callpath` in a configuration.
 * Characters that lists and patterns use are replaced by '?'. NULL when memory is out. */
const char *candidate_region(struct candidate_list *list, const struct trace *trace,
                             uint32_t region);
const char *candidate_callpath(struct candidate_list *list, const struct trace *trace,
                               uint32_t path);

/* The call path as reports print it. */
const char *candidate_path_text(struct candidate_list *list, const struct trace *trace,
                                uint32_t path);

#endif
