/* OpenMP's constructs as regions: what the tools interface (OMPT) of the OpenMP runtime reports. */
#ifndef MEASURE_OPENMP_H
#define MEASURE_OPENMP_H

#include <otf2/OTF2_Definitions.h>
#include <stdint.h>

/* X(identifier, text, role): constructs, named "TEXT @file:line". */
#define OPENMP_CONSTRUCTS(X)                                        \
    X(PARALLEL, "!$omp parallel", PARALLEL)                         \
    X(LOOP, "!$omp for", LOOP)                                      \
    X(SECTIONS, "!$omp sections", SECTIONS)                         \
    X(SINGLE, "!$omp single", SINGLE)                               \
    X(SINGLE_SBLOCK, "!$omp single sblock", SINGLE_SBLOCK)          \
    X(WORKSHARE, "!$omp workshare", WORKSHARE)                      \
    X(MASTER, "!$omp master", MASTER)                               \
    X(BARRIER, "!$omp barrier", BARRIER)                            \
    X(IMPLICIT_BARRIER, "!$omp implicit barrier", IMPLICIT_BARRIER) \
    X(TASK, "!$omp task", TASK)                                     \
    X(CREATE_TASK, "!$omp create task", TASK_CREATE)                \
    X(TASKWAIT, "!$omp taskwait", TASK_WAIT)                        \
    X(TASKGROUP, "!$omp taskgroup", TASK_WAIT)                      \
    X(CRITICAL, "!$omp critical", CRITICAL)                         \
    X(CRITICAL_SBLOCK, "!$omp critical sblock", CRITICAL_SBLOCK)    \
    X(ORDERED, "!$omp ordered", ORDERED)                            \
    X(ORDERED_SBLOCK, "!$omp ordered sblock", ORDERED_SBLOCK)       \
    X(ATOMIC, "!$omp atomic", ATOMIC)                               \
    X(SET_LOCK, "omp_set_lock", WRAPPER)                            \
    X(SET_NEST_LOCK, "omp_set_nest_lock", WRAPPER)

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
