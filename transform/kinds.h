/* The kinds of hypotheses, one per file. To add one, start from src/plugins/hypothesis_template.c
 * and name it here. */
#ifndef TRANSFORM_KINDS_H
#define TRANSFORM_KINDS_H

#include "transform/hypothesis.h"

/* X(kind): all kinds, by the names of their sections. */
#define HYPOTHESIS_KINDS(X) \
    X(scale)                \
    X(balance)              \
    X(redistribute)         \
    X(threads)              \
    X(critical)             \
    X(variation)            \
    X(cut)                  \
    X(replace)              \
    X(resize)               \
    X(split)                \
    X(nonblocking)          \
    X(earlier)              \
    X(wait)                 \
    X(insert)               \
    X(cpu)                  \
    X(remap)                \
    X(network)              \
    X(mapping)              \
    X(collectives)

#define X(kind) extern const struct hypothesis_kind hypothesis_##kind;
HYPOTHESIS_KINDS(X)
#undef X

#endif
