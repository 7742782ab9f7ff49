/* Reads one rank's definitions file. */
#ifndef MEASURE_RANK_DEFINITIONS_H
#define MEASURE_RANK_DEFINITIONS_H

#include "measure/archive/clock_line.h"
#include "measure/recorder/record_format.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct rank_object {
    uint64_t load_address;
    const char *path;
};

struct rank_region {
    uint32_t paradigm, role, line;
    const char *name; /* NULL: a function, construct or call, given by object and address */
    const char *canonical, *file;
    uint32_t object;    /* RECORD_NONE: unknown */
    uint32_t construct; /* of OpenMP, at this address; OPENMP_NONE: none */
    uint32_t call;      /* enum mpi_call, made at this address; both none: a function */
    uint64_t address;
    bool excluded; /* by a filter: it is not written */
};

struct rank_members { /* of a communicator: world ranks, as runs of first, count, stride */
    const uint32_t *runs;
    uint32_t run_count, count;
};

struct rank_comm {
    uint32_t creator, number, parent;
    bool self;
    bool joined; /* the archive has one communicator with all members of an intercommunicator */
    const char *name;
    struct rank_members members, remote;
    uint32_t peer_offset; /* what the archive adds to a recorded rank of the peers' group */
};

struct rank_counts {
    const uint64_t *counts;
    uint32_t count;
    enum definition_type type; /* DEFINITION_COUNTS, _GROUP or _TYPES */
    uint32_t user_op;          /* _TYPES: index in `operators`; RECORD_NONE: none */
};

struct rank_operator { /* of the program */
    bool commutes;
    const uint64_t *times; /* sizes and ticks */
    uint32_t count;
};

struct rank_window {
    uint32_t comm, number;
};

struct rank_team {
    uint32_t paradigm;       /* OTF2_Paradigm */
    const uint32_t *threads; /* by index */
    uint32_t count;
};

struct rank_grid { /* of a communicator, whose ranks are in row-major order */
    uint32_t comm, dimension_count;
    const uint32_t *dimensions; /* size and whether it is periodic, of each */
};

struct rank_property {
    const char *name, *value;
};

struct rank_definitions {
    struct arena *arena; /* owns all text and numbers */
    bool present;        /* false: the file does not exist */
    bool tsc;            /* times are in ticks of the time stamp counter, otherwise in ns */
    bool ended;          /* the process has ended normally */
    bool threads;        /* several threads may call MPI */
    bool paused;         /* MPI_Pcontrol has switched recording off */
    uint32_t rank, size; /* in the archive; of its MPI_COMM_WORLD */
    const char *host, *boot_id, *cpus, *program;
    ARRAY(const char *) arguments;
    ARRAY(struct rank_property) properties;
    clock_line clock;   /* the comparisons with rank 0's clock, */
    bool clock_is_line; /* all of which count; otherwise the first and the last one */
    ARRAY(struct rank_object) objects;
    ARRAY(struct rank_region) regions;
    ARRAY(struct rank_comm) comms;
    ARRAY(struct rank_counts) counts;
    ARRAY(struct rank_operator) operators;
    ARRAY(struct rank_window) windows;
    ARRAY(struct rank_grid) grids;
    ARRAY(struct rank_team) teams; /* of threads; events number them after the communicators */
    ARRAY(struct rank_freed) freed;
    struct map freed_by_request;           /* index in `freed` */
    ARRAY(struct rank_location) locations; /* by thread */
    struct rank_region_visits *visits;     /* by region */
    uint32_t visit_count;
};

/* Reads DIR/records/rank-N.definitions. If the file does not exist, `present` is false. The last
 * definition is left out if a full disk has cut it short. Fails with STATUS_INPUT if the file is
 * damaged, otherwise with STATUS_ENVIRONMENT; then nothing is left to free. */
enum status rank_definitions_read(const char *directory, uint32_t rank,
                                  struct rank_definitions *definitions, struct error *error);
void rank_definitions_free(struct rank_definitions *definitions);

/* True if the rank has constructs of OpenMP. */
bool rank_has_constructs(const struct rank_definitions *definitions);

/* True if the rank has recorded calls of pthread_create or pthread_join. */
bool rank_has_posix_threads(const struct rank_definitions *definitions);

/* The object file of a function. */
const char *rank_object_path(const struct rank_definitions *definitions,
                             const struct rank_region *function);

#endif
