/* Advice for people and for programs. Not collective: for process 0. */
#ifndef ADVICE_FORMAT_H
#define ADVICE_FORMAT_H

#include "advise/advice.h"
#include "base/json.h"

#include <stdio.h>

/* They return false when memory is out or writing fails. */
bool advice_write_text(const struct advice *advice, FILE *stream);
/* One line for each item: saving, kind, where. Says where there are none. */
bool advice_write_brief(const struct advice *advice, FILE *stream);
bool advice_write_json(const struct advice *advice, FILE *stream);
/* The document that it writes; NULL when memory is out. */
json_t *advice_json(const struct advice *advice);
/* A page for a browser. */
bool advice_write_html(const struct advice *advice, FILE *stream);

/* What the figures of the programs that explain waits mean, and which to go by. */
#define ADVICE_FIGURES                                                                          \
    "\nWhat the figures mean:\n"                                                                \
    "  silas-analyze            waits: sums over ranks; these are symptoms, their causes are "  \
    "elsewhere\n"                                                                               \
    "  silas-analyze --explain  how much smaller T is without one cause (model)\n"              \
    "  silas-model --bounds     how much smaller T is without the waits of a call: a limit\n"   \
    "  silas-model --domino     the waits that shorten T only together\n"                       \
    "  silas-advise             how much smaller T is after a change of the program: use this " \
    "figure\n"

/* The page that explains a kind of advice: "doc/advice.md#imbalance". */
#define ADVICE_PAGE "doc/advice.md#"

#endif
