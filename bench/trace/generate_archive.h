/* An OTF2 archive of generated ranks with Score-P's conventions: definitions and event writers,
 * used by generate_trace.c and registration.c, which generate the events. Errors end the program.
 */
#ifndef BENCH_GENERATE_ARCHIVE_H
#define BENCH_GENERATE_ARCHIVE_H

#include <otf2/otf2.h>

#include <stdint.h>

/* X(identifier, name, OTF2 role, OTF2 paradigm) */
#define GENERATED_REGIONS(X)                         \
    X(MAIN, "main", FUNCTION, USER)                  \
    X(F0, "assemble", FUNCTION, USER)                \
    X(F1, "solve", FUNCTION, USER)                   \
    X(F2, "update", FUNCTION, USER)                  \
    X(F3, "norm", FUNCTION, USER)                    \
    X(INIT, "MPI_Init", FUNCTION, MPI)               \
    X(FINALIZE, "MPI_Finalize", FUNCTION, MPI)       \
    X(SEND, "MPI_Send", POINT2POINT, MPI)            \
    X(RECV, "MPI_Recv", POINT2POINT, MPI)            \
    X(ISEND, "MPI_Isend", POINT2POINT, MPI)          \
    X(IRECV, "MPI_Irecv", POINT2POINT, MPI)          \
    X(WAITALL, "MPI_Waitall", POINT2POINT, MPI)      \
    X(ALLREDUCE, "MPI_Allreduce", COLL_ALL2ALL, MPI) \
    X(BCAST, "MPI_Bcast", COLL_ONE2ALL, MPI)         \
    X(BARRIER, "MPI_Barrier", BARRIER, MPI)          \
    X(SENDRECV, "MPI_Sendrecv", POINT2POINT, MPI)

/* Those of registration.c follow, from REGION_REGISTRATION on. */
enum generated_region {
#define X(identifier, name, role, paradigm) REGION_##identifier,
    GENERATED_REGIONS(X)
#undef X
        REGION_REGISTRATION
};

enum { COMM_WORLD, COMM_HALF }; /* the half is the first half of the ranks */

struct archive {
    OTF2_Archive *handle;
    int ranks, ranks_per_node;
    OTF2_EvtWriter **writers; /* [ranks]; NULL unless open */
    uint64_t *events;         /* [ranks], of those that were closed */
};

/* The writers that should be open at once: OTF2 searches all of them for each that it opens. */
enum { ARCHIVE_WRITERS = 1024 };

/* Creates `directory`/traces.otf2; the directory must not exist. */
void archive_create(struct archive *archive, const char *directory, int ranks, int ranks_per_node);

/* Opens the writers of the ranks from `first` to before `end`, or closes them for good. Each rank's
 * must be opened once. */
void archive_open_writers(struct archive *archive, int first, int end);
void archive_close_writers(struct archive *archive, int first, int end);

/* Writes the definitions and closes all. Times are nanoseconds from 0 to `end`. */
void archive_finish(struct archive *archive, uint64_t end);

/* Ends the program with a message unless the code is OTF2_SUCCESS. */
void archive_check(OTF2_ErrorCode code, const char *what);

#endif
