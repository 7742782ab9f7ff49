/* The result in a sentence, and why it can be relied on: the first that a report says. */
#ifndef REPORT_VERDICT_H
#define REPORT_VERDICT_H

#include "report/format.h"

enum verdict_kind {
    VERDICT_STATE,   /* of one run: there is nothing to judge */
    VERDICT_SAVING,  /* T is smaller, and not by chance */
    VERDICT_LOSS,    /* T is larger, and not by chance */
    VERDICT_NOTHING, /* no difference that chance does not explain */
};

struct verdict {
    enum verdict_kind kind;
    bool trustworthy;
    char sentence[512]; /* "The change saves 30.1 % of T (29.7 to 30.4 %): 2.1 s instead of 3 s." */
    char trust[1024];   /* how the figures were obtained and how sure they are; "" : of one run */
};

/* Of any report; `comparison` is that of two runs, else NULL. False when memory is out. */
bool verdict_find(const struct report *report, const struct comparison *comparison,
                  struct verdict *verdict);

#endif
