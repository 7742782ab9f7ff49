/* The definitions of a trace. Every reference is an index into one of these arrays; the arrays are
 * the same on all processes. The ids of the archive are not kept after loading: a saved archive has
 * the indices as ids. */
#ifndef TRACE_DEFINITIONS_H
#define TRACE_DEFINITIONS_H

#include "base/arena.h"
#include "base/mpi_call.h"

#include <stdbool.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct region {
    const char *name; /* in the source code; `canonical` is the mangled name. Of a call site of MPI
                         with the place: "MPI_Send @halo.c:88" */
    const char *canonical;
    const char *description;
    const char *file; /* "" if unknown */
    uint32_t begin_line, end_line;
    uint8_t role, paradigm; /* OTF2_RegionRole, OTF2_Paradigm: numbers from the OTF2 format */
    uint32_t flags;
    enum mpi_call mpi_call; /* from the name; MPI_CALL_NONE for others */
};

enum group_type { /* OTF2_GroupType */
                  GROUP_UNKNOWN = 0,
                  GROUP_LOCATIONS = 1,
                  GROUP_REGIONS = 2,
                  GROUP_COMM_LOCATIONS = 4,
                  GROUP_COMM_GROUP = 5,
                  GROUP_COMM_SELF = 6,
};

/* Groups of paradigms other than MPI are kept for saving only. Members of MPI's COMM_GROUP are
 * world ranks; of COMM_LOCATIONS, location ids of the archive; of UNKNOWN "SILAS::counts" groups,
 * numbers. */
struct group {
    const char *name;
    uint8_t type, paradigm;
    uint32_t flags;
    uint64_t *members;
    uint32_t count;
    bool ascends;            /* the members are in ascending order; false: unknown, see by_rank */
    const uint32_t *by_rank; /* [count], unless `ascends`: indices of the members, in ascending
                                order of the ranks; NULL: unknown */
};

struct communicator {
    const char *name;
    uint32_t group;        /* index into groups; of an intercommunicator: the first group */
    uint32_t remote_group; /* INDEX_NONE unless this is an intercommunicator: its second group */
    uint32_t parent;       /* INDEX_NONE: none */
    uint32_t flags;
    bool self; /* MPI_COMM_SELF or another group of type COMM_SELF: one member, the caller */
    bool mpi;  /* paradigm is MPI */
};

/* A window of one-sided communication. Collective calls on it belong to a separate communicator,
 * `own`, so that they are numbered apart from the calls on the communicator on which the window was
 * made. */
struct rma_window {
    const char *name; /* "" if it has none */
    uint32_t comm;    /* on which it was made */
    uint32_t own; /* a communicator with the same members, for collective calls on the window; after
                     all recorded communicators */
    uint32_t flags;
};

struct cart_dimension {
    const char *name; /* "" if it has none */
    uint32_t size;
    bool periodic;
};

/* The Cartesian grid of a communicator's ranks (OTF2's CartTopology). */
struct cart_grid {
    const char *name; /* "" if it has none */
    uint32_t comm, dimension_count;
    struct cart_dimension *dimensions;
    uint32_t *coordinates; /* [rank of the communicator * dimension_count + dimension]; INDEX_NONE
                              for a rank without coordinates */
};

struct location {
    uint64_t
        id; /* in the archive; a saved archive keeps it, because files of other tools refer to it */
    const char *name;
    uint8_t type;      /* OTF2_LocationType: 1 CPU thread, 2 accelerator stream, 3 metric */
    uint32_t group;    /* index into location_groups */
    uint32_t rank;     /* world rank of its process, INDEX_NONE if none */
    uint64_t events;   /* as the archive declares it; only a hint */
    bool master;       /* the rank's own location, the one that is replayed */
    bool has_siblings; /* the rank has other locations as well */
};

struct location_group {
    const char *name;
    uint8_t type;
    uint32_t node; /* system tree node, INDEX_NONE if unknown */
};

struct system_node {
    const char *name, *class_name;
    uint32_t parent; /* INDEX_NONE: root */
};

struct property { /* of the archive: "SILAS::..." and other tools' */
    const char *name, *value;
};

struct definitions {
    struct arena *arena; /* owns everything below */
    uint64_t ticks_per_second;
    uint64_t global_offset; /* ticks, as the archive declares it */
    uint64_t realtime;      /* nanoseconds since 1970 at global_offset, UINT64_MAX if unknown */
    uint64_t length;        /* ticks of the whole trace, as the archive declares it; 0: unknown */
    const char *creator, *machine, *description;

    struct region *regions;
    uint32_t region_count;
    struct group *groups;
    uint32_t group_count;
    struct communicator *comms;
    uint32_t comm_count;
    struct rma_window *windows; /* their `own` communicators are at the end of `comms` */
    uint32_t window_count;
    struct cart_grid *grids;
    uint32_t grid_count;
    struct location *locations; /* in the order in which the archive defines them */
    uint32_t location_count;
    struct location_group *location_groups;
    uint32_t location_group_count;
    struct system_node *nodes;
    uint32_t node_count;
    struct property *properties;
    uint32_t property_count;

    uint32_t rank_count;                /* MPI_COMM_WORLD's size; 0: the trace has no MPI */
    uint32_t *rank_location;            /* rank -> index into locations (its master thread) */
    bool built;                         /* by trace/build; not recorded */
    const struct thread_ranks *threads; /* trace/threads.h; NULL: each MPI process is one rank */
};

/* The name of a region in the archive: of a call site that of the MPI function. */
const char *region_plain_name(const struct region *region);
/* True if the region has this name, or is a call site of this MPI function. */
bool region_is_named(const struct region *region, const char *name);
/* True if one of these names matches one of a list of patterns (names_match). */
bool region_matches_list(const struct region *region, const char *list, bool *out_of_memory);

/* True for regions of a threading runtime in which a thread waits for other threads (barriers, ends
 * of tasks, locks) or creates them. Such a thread does not compute for the program. */
bool region_waits_for_threads(const struct region *region);

/* The number of members of the communicator's own group (`remote` false) or of its peers' group
 * (`remote` true; the same for an intracommunicator), as seen from world rank `caller`. */
uint32_t comm_size(const struct definitions *definitions, uint32_t comm, uint32_t caller,
                   bool remote);

/* The number of members of the communicator, in both groups of an intercommunicator, and the world
 * rank of the i-th of them. Not for communicators with `self`. */
uint32_t comm_member_count(const struct definitions *definitions, uint32_t comm);
uint32_t comm_member(const struct definitions *definitions, uint32_t comm, uint32_t i);

/* The communicator of all ranks that was made from no other one; INDEX_NONE: there is none. */
uint32_t definitions_world(const struct definitions *definitions);

/* World rank of a peer that `caller` names by its rank in the communicator (in the remote group of
 * an intercommunicator); INDEX_NONE if it is out of range. O(1). */
uint32_t comm_world_rank(const struct definitions *definitions, uint32_t comm, uint32_t caller,
                         uint32_t peer);

/* True if the communicator, as seen from world rank `caller`, has a peer of this rank. True for any
 * `peer` if the caller is a location without a rank (INDEX_NONE). */
static inline bool comm_has_peer(const struct definitions *definitions, uint32_t comm,
                                 uint32_t caller, uint32_t peer)
{
    return caller == INDEX_NONE || comm_world_rank(definitions, comm, caller, peer) != INDEX_NONE;
}

/* The rank of world rank `member` in the communicator (in its own group); INDEX_NONE if it is not a
 * member. As fast as group_place. */
uint32_t comm_rank_of(const struct definitions *definitions, uint32_t comm, uint32_t member);

/* World rank of a member of an MPI group (COMM_GROUP or COMM_LOCATIONS). */
static inline uint32_t group_rank(const struct group *group, uint32_t member)
{
    return group->type == GROUP_COMM_LOCATIONS ? member : (uint32_t)group->members[member];
}

/* False if the group contains MPI ranks that the trace does not have. Later code uses members of
 * communicators as indices. */
bool group_has_ranks(const struct definitions *definitions, const struct group *group);

/* Prepares group_place for a group of type COMM_GROUP: sets `ascends` or `by_rank`. Does nothing
 * for other groups. `by_rank` is in the arena. False when memory is out. */
bool group_order(struct group *group, struct arena *arena);

/* The index of a rank among the members; INDEX_NONE: it is not a member. O(log members) after
 * group_order, O(members) before. */
uint32_t group_place(const struct group *group, uint32_t rank);

/* Name for messages and reports: the recorded one, or "communicator 5". Valid until the next call.
 */
const char *comm_name(const struct definitions *definitions, uint32_t comm);

/* The index of the first group with this name, not counting groups before index `from`; INDEX_NONE:
 * there is none. */
uint32_t definitions_group(const struct definitions *definitions, const char *name, uint32_t from);

/* Value of an archive property, NULL if it is absent. */
const char *definitions_property(const struct definitions *definitions, const char *name);

/* True if the archive states that the program ended before all ranks had reached MPI_Finalize. Then
 * sends, receives and members of collective operations may have no counterpart. */
bool definitions_cut_short(const struct definitions *definitions);

/* The same for a recording that MPI_Pcontrol has paused: ends of messages and members of operations
 * may be missing, because they were not recorded. */
bool definitions_paused(const struct definitions *definitions);

/* Name of the host on which a rank ran (the system tree node of its process), "" if unknown. */
const char *rank_host(const struct definitions *definitions, uint32_t rank);

/* Which ranks ran on the same host: sets lowest[rank] to the lowest rank on the host of `rank`.
 * Returns 1; 0 if the host of a rank is unknown or the trace was predicted; -1 when memory is out.
 */
int definitions_placement(const struct definitions *definitions, uint32_t *lowest);

#endif
