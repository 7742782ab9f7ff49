/* The result as a sentence, and how reliable it is. Reports begin with it. */
#ifndef REPORT_VERDICT_H
#define REPORT_VERDICT_H

#include "report/format.h"

enum verdict_kind {
    VERDICT_STATE,   /* one run: nothing to compare */
    VERDICT_SAVING,  /* T is significantly smaller */
    VERDICT_LOSS,    /* T is significantly larger */
    VERDICT_NOTHING, /* no significant difference */
};

struct verdict {
    enum verdict_kind kind;
    bool trustworthy;
    char sentence[512]; /* "The change saves 30.1 % of T (29.7 to 30.4 %): 2.1 s instead of 3 s." */
    char trust[1024]; /* how the figures were obtained and how reliable they are; "" for one run */
};

/* For any report; `comparison` is NULL unless there are two runs. False when memory is out. */
bool verdict_find(const struct report *report, const struct comparison *comparison,
                  struct verdict *verdict);

enum { VERDICT_FITTED_SIZE = 200 };

/* How much of T was adjusted, and by how much calls differ from the recording with and without
 * that. The report must have these figures (`fits`). */
void verdict_fitted(const struct replay_report *report, char text[VERDICT_FITTED_SIZE]);

#endif
