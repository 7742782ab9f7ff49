/* OpenMP's constructs as regions: what the tools interface (OMPT) of the OpenMP runtime reports. */
#ifndef MEASURE_OPENMP_H
#define MEASURE_OPENMP_H

#include <otf2/OTF2_Definitions.h>
#include <stdint.h>

/* X(identifier, text, role): constructs, named "!$omp TEXT @file:line". */
#define OPENMP_CONSTRUCTS(X)                                  \
    X(PARALLEL, "parallel", PARALLEL)                         \
    X(LOOP, "for", LOOP)                                      \
    X(SECTIONS, "sections", SECTIONS)                         \
    X(SINGLE, "single", SINGLE)                               \
    X(WORKSHARE, "workshare", WORKSHARE)                      \
    X(MASTER, "master", MASTER)                               \
    X(BARRIER, "barrier", BARRIER)                            \
    X(IMPLICIT_BARRIER, "implicit barrier", IMPLICIT_BARRIER) \
    X(TASKWAIT, "taskwait", TASK_WAIT)                        \
    X(CRITICAL, "critical", CRITICAL)                         \
    X(CRITICAL_SBLOCK, "critical sblock", CRITICAL_SBLOCK)    \
    X(ORDERED, "ordered", ORDERED)                            \
    X(ORDERED_SBLOCK, "ordered sblock", ORDERED_SBLOCK)

enum openmp_construct {
    OPENMP_NONE, /* a function */
#define X(identifier, text, role) OPENMP_##identifier,
    OPENMP_CONSTRUCTS(X)
#undef X
        OPENMP_CONSTRUCT_COUNT,
};

struct openmp_construct_info {
    const char *text;
    OTF2_RegionRole role;
};

static const struct openmp_construct_info openmp_constructs[] = {
    [OPENMP_NONE] = {"", OTF2_REGION_ROLE_FUNCTION},
#define X(identifier, text, role) [OPENMP_##identifier] = {text, OTF2_REGION_ROLE_##role},
    OPENMP_CONSTRUCTS(X)
#undef X
};

#endif
