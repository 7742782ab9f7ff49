/* OpenMP regions of traces for tests, by the end of their names: !$omp_parallel, !$omp_for, ... */
#ifndef TESTS_TRACE_OMP_ROLES_H
#define TESTS_TRACE_OMP_ROLES_H

#include <otf2/otf2.h>
#include <stddef.h>
#include <string.h>

/* The role of a region; FUNCTION unless it is one of OpenMP. */
static inline OTF2_RegionRole omp_role(const char *name)
{
    static const struct {
        const char *name;
        OTF2_RegionRole role;
    } roles[] = {
        {"parallel", OTF2_REGION_ROLE_PARALLEL},
        {"for", OTF2_REGION_ROLE_LOOP},
        {"barrier", OTF2_REGION_ROLE_BARRIER},
        {"implicit_barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
        {"critical", OTF2_REGION_ROLE_CRITICAL},
        {"critical_sblock", OTF2_REGION_ROLE_CRITICAL_SBLOCK},
        {"ordered", OTF2_REGION_ROLE_ORDERED},
        {"ordered_sblock", OTF2_REGION_ROLE_ORDERED_SBLOCK},
        {"single", OTF2_REGION_ROLE_SINGLE},
        {"single_sblock", OTF2_REGION_ROLE_SINGLE_SBLOCK},
        {"master", OTF2_REGION_ROLE_MASTER},
        {"task", OTF2_REGION_ROLE_TASK},
        {"create_task", OTF2_REGION_ROLE_TASK_CREATE},
        {"taskwait", OTF2_REGION_ROLE_TASK_WAIT},
    };
    if (strncmp(name, "!$omp_", 6) != 0)
        return OTF2_REGION_ROLE_FUNCTION;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (strcmp(name + 6, roles[i].name) == 0)
            return roles[i].role;
    return OTF2_REGION_ROLE_FUNCTION;
}

#endif
