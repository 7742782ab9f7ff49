/* The attributes of events and the properties that SILAS adds to an OTF2 archive: names, types and
 * meanings. The tracer writes them and the loader reads them; doc/otf2-attributes.md explains them
 * to authors of other tools. Any reader can ignore them. */
#ifndef BASE_OTF2_ATTRIBUTES_H
#define BASE_OTF2_ATTRIBUTES_H

/* X(identifier, name, OTF2_Type without its prefix, description). If an event lacks an attribute,
 * its value is 0 (flags) or unknown (all others). */
#define SILAS_ATTRIBUTES(X)                                                                       \
    X(FLAGS, "SILAS::flags", UINT8,                                                               \
      "1 any source, 2 any tag, 4 persistent, 8 neighbourhood, 16 to 48 send mode, 64 in place, " \
      "128 new memory; of messages 8 partitioned")                                                \
    X(TYPE_SIZE, "SILAS::type_size", UINT16, "bytes of one element of the datatype")              \
    X(SEND_COUNTS, "SILAS::send_counts", GROUP, "bytes sent to each peer, in rank order")         \
    X(RECEIVE_COUNTS, "SILAS::receive_counts", GROUP, "bytes received from each, in rank order")  \
    X(ASSERTION, "SILAS::assertion", UINT8,                                                       \
      "1 no store, 2 no put, 4 no precede, 8 no succeed, 16 no check")                            \
    X(WINDOW_BYTES, "SILAS::window_bytes", UINT64, "bytes of the rank's part of the window")      \
    X(DESTINATIONS, "SILAS::destinations", GROUP, "ranks of the neighbours that data go to")      \
    X(SOURCES, "SILAS::sources", GROUP, "ranks of the neighbours that data come from")            \
    X(PERSISTENT, "SILAS::persistent", UINT32,                                                    \
      "number of a persistent operation on its communicator, in the order of initialisation")     \
    X(PROBE, "SILAS::probe", UINT64, "number of the matched probe that took the message")         \
    X(OPERATION, "SILAS::operation", UINT8,                                                       \
      "of a reduction or an atomic one-sided operation: enum silas_operation")                    \
    X(ELEMENT, "SILAS::element", UINT8, "of a reduction: enum silas_element")                     \
    X(COMM, "SILAS::comm", COMM, "of a receive that was freed: its communicator")                 \
    X(SOURCE, "SILAS::source", UINT32, "of a receive that was freed: rank of its sender")         \
    X(TAG, "SILAS::tag", UINT32, "of a receive that was freed: its tag")                          \
    X(BYTES, "SILAS::bytes", UINT64, "of a receive that was freed: bytes received")               \
    X(POLLS, "SILAS::polls", UINT32,                                                              \
      "unsuccessful tests that were left out right before this one")                              \
    X(POLLS_TIME, "SILAS::polls_time", UINT64, "the ticks that they have spent in MPI")           \
    X(TYPES, "SILAS::types", GROUP, "layouts of the datatypes, and an operator of the program")

/* The attributes' ids in archives that SILAS writes; readers find attributes by name. */
enum silas_attribute {
#define X(identifier, name, type, description) SILAS_ATTRIBUTE_##identifier,
    SILAS_ATTRIBUTES(X)
#undef X
        SILAS_ATTRIBUTE_COUNT
};

/* Bits of SILAS::flags, and the events that may carry them. */
enum silas_flag {
    SILAS_FLAG_ANY_SOURCE = 1 << 0, /* MpiRecv, MpiIrecvRequest: posted with MPI_ANY_SOURCE */
    SILAS_FLAG_ANY_TAG = 1 << 1,    /* the same with MPI_ANY_TAG */
    SILAS_FLAG_PERSISTENT = 1 << 2, /* MpiIsend, MpiIrecvRequest, NonBlockingCollectiveComplete: of
                                       a persistent request */
    SILAS_FLAG_NEIGHBOUR = 1 << 3,  /* MpiCollectiveEnd, NonBlockingCollectiveComplete */
    SILAS_FLAG_SEND_MODE = 1 << 4,  /* MpiIsend of a persistent request; multiplied by 1 (buffered),
                                       2 (synchronous) or 3 (ready) */
    SILAS_FLAG_IN_PLACE = 1 << 6,  /* collectives: called with MPI_IN_PLACE; own part not counted */
    SILAS_FLAG_UNTOUCHED = 1 << 7, /* MpiRecv, MpiIrecvRequest, collectives: the call was given
                                      memory for receiving that had not been touched before */
    SILAS_FLAG_PARTITIONED = SILAS_FLAG_NEIGHBOUR, /* MpiIsend, MpiIrecvRequest: of MPI_Psend_init,
                                                      MPI_Precv_init */
};

/* Bits of SILAS::assertion: the argument of that name of MPI_Win_fence (RmaCollectiveEnd), _post
 * and _start (RmaGroupSync), _lock and _lock_all (RmaAcquireLock). */
enum silas_assertion {
    SILAS_ASSERTION_NOSTORE = 1 << 0,
    SILAS_ASSERTION_NOPUT = 1 << 1,
    SILAS_ASSERTION_NOPRECEDE = 1 << 2,
    SILAS_ASSERTION_NOSUCCEED = 1 << 3,
    SILAS_ASSERTION_NOCHECK = 1 << 4,
};

/* SILAS::operation: the argument `op` of an atomic one-sided operation (RmaAtomic) or of a
 * reduction (MpiCollectiveEnd, NonBlockingCollectiveComplete). */
enum silas_operation {
    SILAS_OPERATION_UNKNOWN, /* absent, or defined by the program */
    SILAS_OPERATION_MAX,
    SILAS_OPERATION_MIN,
    SILAS_OPERATION_SUM,
    SILAS_OPERATION_PROD,
    SILAS_OPERATION_LAND,
    SILAS_OPERATION_BAND,
    SILAS_OPERATION_LOR,
    SILAS_OPERATION_BOR,
    SILAS_OPERATION_LXOR,
    SILAS_OPERATION_BXOR,
    SILAS_OPERATION_REPLACE,
    SILAS_OPERATION_NO_OP,
    SILAS_OPERATION_MINLOC,
    SILAS_OPERATION_MAXLOC,
};

/* SILAS::element: what kind of predefined type a reduction's elements have; SILAS::type_size is
 * their size. */
enum silas_element {
    SILAS_ELEMENT_UNKNOWN, /* absent: derived types, MPI_BYTE, pairs */
    SILAS_ELEMENT_INTEGER,
    SILAS_ELEMENT_UNSIGNED,
    SILAS_ELEMENT_FLOATING,
    SILAS_ELEMENT_COMPLEX,
    SILAS_ELEMENT_LOGICAL,
};

/* SILAS::types refers to a group of this name, of type OTF2_GROUP_TYPE_UNKNOWN and paradigm
 * OTF2_PARADIGM_MPI. Its members are numbers in two's complement: the number of layouts; the
 * layouts; how many of the following are about data sent, and how many about data received; for
 * each of these the index of its layout; and of reductions by an operator of the program, whether
 * it commutes (1), followed by pairs of a size in bytes, ascending, and the ticks that a call of
 * its function takes for as many. */
#define SILAS_TYPES_GROUP_NAME "SILAS::types"

/* X(identifier). A layout is: its identifier; the number of its numbers; the number of its inner
 * layouts; its numbers; its inner layouts. The numbers are the arguments of MPI's function of that
 * name: the integers, then the addresses, as MPI_Type_get_contents returns them. */
#define SILAS_LAYOUTS(X)                                                                        \
    X(UNKNOWN)        /* size and extent; its layout could not be recorded */                   \
    X(ELEMENT)        /* enum silas_element and size of a predefined type */                    \
    X(CONTIGUOUS)     /* count */                                                               \
    X(VECTOR)         /* count, block length, stride in elements */                             \
    X(HVECTOR)        /* the same in bytes */                                                   \
    X(INDEXED)        /* count; block lengths; places in elements */                            \
    X(HINDEXED)       /* the same in bytes */                                                   \
    X(INDEXED_BLOCK)  /* count, block length; places in elements */                             \
    X(HINDEXED_BLOCK) /* the same in bytes */                                                   \
    X(STRUCT)         /* count; block lengths; places in bytes */                               \
    X(SUBARRAY)       /* dimensions; sizes; sizes of the part; starts; 1: Fortran's order */    \
    X(DARRAY)  /* processes, rank, dimensions; sizes; 0 none, 1 block, 2 cyclic; arguments, -1: \
                  default; processes; 1: Fortran's order */                                     \
    X(RESIZED) /* lower bound, extent */

enum silas_layout {
#define X(identifier) SILAS_LAYOUT_##identifier,
    SILAS_LAYOUTS(X)
#undef X
        SILAS_LAYOUT_COUNT
};

/* A vector of counts is a group of this name, of type OTF2_GROUP_TYPE_UNKNOWN and paradigm
 * OTF2_PARADIGM_MPI. Its members are byte counts in the order of the communicator's ranks (for an
 * intercommunicator, of the remote group's ranks; for a neighbourhood collective, of the
 * neighbours). The same kind of group holds the ranks of these neighbours, without
 * MPI_PROC_NULL. */
#define SILAS_COUNTS_GROUP_NAME      "SILAS::counts"

/* Properties of the archive. All values are text. */
#define SILAS_PROPERTY_VERSION       "SILAS::VERSION"      /* of the tracer */
#define SILAS_PROPERTY_MPI_STANDARD  "SILAS::MPI_STANDARD" /* "4.0" */
#define SILAS_PROPERTY_MPI_LIBRARY   "SILAS::MPI_LIBRARY"  /* first line of the library's version */
/* Environment variables that move MPICH's and UCX's limit between eager and rendezvous, as
 * "NAME=value" separated by spaces; absent: the defaults. */
#define SILAS_PROPERTY_EAGER_LIMITS  "SILAS::EAGER_LIMITS"
#define SILAS_PROPERTY_HOSTS         "SILAS::HOSTS"   /* host names in rank order, "," between */
#define SILAS_PROPERTY_BINDING       "SILAS::BINDING" /* CPU lists in rank order, ";" between */
#define SILAS_PROPERTY_CLOCK         "SILAS::CLOCK"   /* "tsc" or "clock_gettime" */
/* The tracer's own cost of one event (reading the clock and storing the record), nanoseconds. */
#define SILAS_PROPERTY_EVENT_COST    "SILAS::EVENT_COST_NS"
/* The part of it that reading the clock takes. */
#define SILAS_PROPERTY_CLOCK_COST    "SILAS::CLOCK_COST_NS"
/* The cost of an event for the enter or the leave of a function that the compiler has instrumented.
 */
#define SILAS_PROPERTY_FUNCTION_COST "SILAS::FUNCTION_COST_NS"
/* "yes", or "no": the program did not end normally, and open regions were closed at its last
 * event. */
#define SILAS_PROPERTY_COMPLETE      "SILAS::COMPLETE"
/* How the run was recorded: the lines of the filter, and further options of silas-trace separated
 * by blanks. Absent: none. */
#define SILAS_PROPERTY_FILTER        "SILAS::FILTER"
#define SILAS_PROPERTY_OPTIONS       "SILAS::OPTIONS"
/* "yes": MPI_Pcontrol has paused recording on a rank. Messages and operations may lack ends that
 * were not recorded. Absent otherwise. */
#define SILAS_PROPERTY_PAUSED        "SILAS::PAUSED"
/* "recorded": collective operations without SILAS_FLAG_IN_PLACE were not called in place. Without
 * this property it is unknown which were. */
#define SILAS_PROPERTY_IN_PLACE      "SILAS::IN_PLACE"
/* "apart 5 1000": calls of several threads of a rank have overlapped, so each thread that
 * communicates is taken by itself, also where its calls do not overlap in this archive; and so are
 * these locations, which may have lost their communication. Not written by the tracer. */
#define SILAS_PROPERTY_THREADS       "SILAS::THREADS"
/* The costs of starting and ending a team of threads, as measured before the program began, in ns:
 * "100000:1000000 2:3100:5200:1800:9300:31000:28000 4:...", lengths of the computation between
 * two teams; then for each number of threads, and for each of the lengths, the times from the fork
 * until the master begins its part, and until the last worker does, and from the last end of a part
 * until the master continues; each without what a team of one thread costs. */
#define SILAS_PROPERTY_TEAM_COSTS    "SILAS::TEAM_COSTS"
/* The number of threads of a parallel region that asks for no number, of the first rank: in
 * general OMP_NUM_THREADS. */
#define SILAS_PROPERTY_OMP_THREADS   "SILAS::OMP_THREADS"
/* Of a part that was cut out of a trace: begin and end in the whole trace, seconds after its begin,
 * "0.250000000 0.375000000". Not written by the tracer. */
#define SILAS_PROPERTY_CUT           "SILAS::CUT"
/* Of such a part: the part of the whole trace that it represents (structure/cut_weight.h). Numbers
 * separated by blanks: T of the whole trace and the part of it that the cut represents, in seconds;
 * the number of iterations in that part, and in the cut; the number of its first one; the level. */
#define SILAS_PROPERTY_CUT_WEIGHT    "SILAS::CUT_WEIGHT"
#define SILAS_PROPERTY_CUT_PERIODS   "SILAS::CUT_PERIODS" /* seconds, ascending; at most 101 */
#define SILAS_PROPERTY_CUT_COMPUTATION \
    "SILAS::CUT_COMPUTATION" /* of each rank: mean of the iterations, seconds */

/* "yes": silas-predict has computed all times from a description; nothing was measured. */
#define SILAS_PROPERTY_PREDICTED "SILAS::PREDICTED"

/* Of an archive that was reduced. Events before and after, bytes before and after, blanks between;
 * the assumptions of the reduction (reduce/assumptions.h); the LogGPS parameters of the whole
 * trace. */
#define SILAS_PROPERTY_REDUCED   "SILAS::REDUCED"
#define SILAS_PROPERTY_ASSUMED   "SILAS::ASSUMED"
#define SILAS_PROPERTY_MACHINE   "SILAS::MACHINE"
/* Names of metrics, blanks between. A group SILAS::folded for each rank, in rank order, has its
 * values that the events do not give: metric (index in this list; plus k times the length of the
 * list for its k-th worker thread), call path (index in the group SILAS::paths), value (two's
 * complement; ticks, counts or bytes). SILAS::paths has the parent
 * (UINT64_MAX: none) and the region of each call path, parents first. Both are of type UNKNOWN. */
#define SILAS_PROPERTY_FOLDED    "SILAS::FOLDED"
#define SILAS_FOLDED_GROUP_NAME  "SILAS::folded"
#define SILAS_PATHS_GROUP_NAME   "SILAS::paths"

/* Of a trace whose time stamps were rounded (silas-reduce --error): the part of the run time by
 * which predictions may differ, and the seconds that a time stamp may have moved, "0.001 4.1e-08".
 */
#define SILAS_PROPERTY_ROUNDED   "SILAS::ROUNDED"

/* The processes that MPI_Comm_spawn has started: for each call the first one's number in the
 * archive, how many there are, and the number of the process that was the root, blanks between; ";"
 * between calls. */
#define SILAS_PROPERTY_SPAWNED   "SILAS::SPAWNED"

#endif
