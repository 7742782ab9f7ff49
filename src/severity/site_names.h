/* The call sites of several stores, for comparing a program with changed versions of it. */
#ifndef SEVERITY_SITE_NAMES_H
#define SEVERITY_SITE_NAMES_H

#include "severity/severity.h"

#include "base/arena.h"

struct site_names {
    const char ***names; /* [store][path]: those of other paths are as in the store */
    struct arena *arena; /* owns them */
};

/* Sets the names under which the paths of the stores join. The calls of changed programs are in
 * other lines. So if a call path has equally many call sites of an MPI function in all stores in
 * which it has any, these are the same ones, in the order of their places, with the names in the
 * first of these stores. Otherwise they join in a path without a place. The texts of the stores
 * must outlive the names. Free these with site_names_clear. False if out of memory; then nothing is
 * left to free. */
bool site_names_join(const struct severity *const *stores, size_t count, struct site_names *names);
void site_names_clear(struct site_names *names);

#endif
