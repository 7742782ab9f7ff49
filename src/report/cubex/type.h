/* The data types of a Cube metric (<dtype> in anchor.xml). */
#ifndef REPORT_CUBEX_TYPE_H
#define REPORT_CUBEX_TYPE_H

#include "severity/metrics.h"

#include <stdbool.h>
#include <stddef.h>

struct cubex_type {
    const char *name;
    size_t size;
    enum { CUBEX_REAL, CUBEX_SIGNED, CUBEX_UNSIGNED } kind;
    enum metric_merge merge;
};

/* NULL for a type that is unknown or not a single number (histograms, statistics, rates). */
const struct cubex_type *cubex_type_find(const char *name);

/* The number at `data`; 0 if that means "no value" (it is not finite, or the neutral element of
 * a minimum or maximum). */
double cubex_type_get(const struct cubex_type *type, const unsigned char *data, bool swapped);

#endif
