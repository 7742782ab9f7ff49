/* A loop of one rank, as the search finds it (loops.h) and the choice takes it (choice.h). */
#ifndef STRUCTURE_LOOP_H
#define STRUCTURE_LOOP_H

#include "structure/calls.h"

#include "base/array.h"

struct loop {
    size_t iterations;
    enum likeness likeness; /* in which its iterations are alike */
    bool nested;            /* something repeats in each iteration */
    bool decorates;  /* a loop inside it is the real one: it makes some calls only now and then */
    bool sparse;     /* its iterations have little in common */
    bool single;     /* each iteration makes one of its calls once */
    bool region;     /* each iteration is a visit of the same region */
    bool random;     /* its calls come in random order */
    bool at_path;    /* a single call begins each iteration */
    bool lacks_end;  /* the last iteration lacks calls */
    uint32_t change; /* may be two loops in a row; this is the first iteration of the second one */
    uint32_t depth;  /* of that call's path */
    size_t visits;   /* iterations in the shortened sequence of calls */
    size_t open;     /* further iterations may follow that lack some calls */
    uint32_t *begin; /* [iterations + 1 + open]: calls; the last one is the first after the loop */
};

typedef ARRAY(struct loop) loop_list;

#endif
