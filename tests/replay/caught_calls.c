#include "tests/replay/caught_calls.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    bool on;
    int communicators;
    char text[1 << 16];
    size_t length;
    char last[256];
} caught;

void caught_calls_catch(bool on)
{
    caught.on = on;
}

/* A polling call is noted once, however often it is repeated. */
static void note(bool polls, const char *format, ...)
{
    char line[256];
    va_list arguments;
    if (!caught.on)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    bool repeated = polls && strcmp(line, caught.last) == 0;
    strcpy(caught.last, line);
    if (!repeated && caught.length + strlen(line) + 2 < sizeof caught.text)
        caught.length += (size_t)sprintf(caught.text + caught.length, "%s\n", line);
}

void caught_calls_print(int rank)
{
    caught.text[caught.length] = '\0';
    for (char *line = strtok(caught.text, "\n"); line; line = strtok(NULL, "\n"))
        printf("%d %s\n", rank, line);
}

int caught_calls_communicators(void)
{
    return caught.communicators;
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *created)
{
    caught.communicators++;
    return PMPI_Comm_create_group(comm, group, tag, created);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    note(false, "MPI_Comm_dup");
    return PMPI_Comm_dup(comm, made);
}

static long bytes(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return (long)count * size;
}

static long sum(const int *counts, MPI_Comm comm, MPI_Datatype type)
{
    int size, inter, total = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++)
        total += counts[i];
    return bytes(total, type);
}

/* Wildcards are negative numbers that differ between libraries. */
static int source_of(int source)
{
    return source == MPI_ANY_SOURCE ? -1 : source;
}

static int tag_of(int tag)
{
    return tag == MPI_ANY_TAG ? -1 : tag;
}

/* With CAUGHT_CALLS_DETAILS: the type and operator of a reduction, and whether no call has touched
 * the middle of the memory that a call receives into. Empty otherwise. */
static const char *reduction(MPI_Datatype type, MPI_Op op)
{
    static const struct {
        MPI_Op op;
        const char *name;
    } names[] = {{MPI_SUM, "SUM"},   {MPI_MAX, "MAX"}, {MPI_MIN, "MIN"},   {MPI_PROD, "PROD"},
                 {MPI_BAND, "BAND"}, {MPI_BOR, "BOR"}, {MPI_LAND, "LAND"}, {MPI_LOR, "LOR"}};
    static char text[MPI_MAX_OBJECT_NAME + 32];
    char name[MPI_MAX_OBJECT_NAME];
    int length, commutes = 0;
    if (!getenv("CAUGHT_CALLS_DETAILS"))
        return "";
    PMPI_Type_get_name(type, name, &length);
    snprintf(text, sizeof text, " %s", name);
    const size_t without = strlen(text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].op == op)
            sprintf(text + strlen(text), " %s", names[i].name);
    PMPI_Op_commutative(op, &commutes);
    if (!text[without])
        strcat(text, commutes ? " own" : " own, ordered");
    return text;
}

static const char *untouched(void *memory, long size)
{
    unsigned char resident = 1;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t middle = ((uintptr_t)memory + (uintptr_t)size / 2) / page * page;
    if (!getenv("CAUGHT_CALLS_DETAILS") || mincore((void *)middle, page, &resident) != 0)
        return "";
    return resident & 1 ? "" : " untouched";
}

/* Messages: peer, tag, bytes; -1: any. */

#define SEND(name)                                                                      \
    int MPI_##name(const void *buffer, int count, MPI_Datatype type, int peer, int tag, \
                   MPI_Comm comm)                                                       \
    {                                                                                   \
        note(false, "MPI_" #name " %d %d %ld", peer, tag, bytes(count, type));          \
        return PMPI_##name(buffer, count, type, peer, tag, comm);                       \
    }
SEND(Send)
SEND(Ssend)
SEND(Bsend)
SEND(Rsend)

#define ISEND(name)                                                                     \
    int MPI_##name(const void *buffer, int count, MPI_Datatype type, int peer, int tag, \
                   MPI_Comm comm, MPI_Request *request)                                 \
    {                                                                                   \
        note(false, "MPI_" #name " %d %d %ld", peer, tag, bytes(count, type));          \
        return PMPI_##name(buffer, count, type, peer, tag, comm, request);              \
    }
ISEND(Isend)
ISEND(Issend)
ISEND(Ibsend)

/* Whether the environment asks for this call to fail, in one way or the other. */
static bool fails(const char *call)
{
    const char *wanted = getenv("CAUGHT_CALLS_FAIL");
    return caught.on && wanted && strcmp(wanted, call) == 0;
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    if (fails("Recv"))
        peer = 1000000;
    note(false, "MPI_Recv %d %d %ld%s", source_of(peer), tag_of(tag), bytes(count, type),
         untouched(buffer, bytes(count, type)));
    return PMPI_Recv(buffer, count, type, peer, tag, comm, status);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    note(false, "MPI_Irecv %d %d %ld%s", source_of(peer), tag_of(tag), bytes(count, type),
         untouched(buffer, bytes(count, type)));
    return PMPI_Irecv(buffer, count, type, peer, tag, comm, request);
}

int MPI_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int dest, int send_tag,
                 void *recv, int recv_count, MPI_Datatype recv_type, int source, int recv_tag,
                 MPI_Comm comm, MPI_Status *status)
{
    note(false, "MPI_Sendrecv %d %d %ld %d %d %ld", dest == MPI_PROC_NULL ? -1 : dest, send_tag,
         bytes(send_count, send_type), source == MPI_PROC_NULL ? -1 : source, recv_tag,
         bytes(recv_count, recv_type));
    return PMPI_Sendrecv(send, send_count, send_type, dest, send_tag, recv, recv_count, recv_type,
                         source, recv_tag, comm, status);
}

int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int dest, int send_tag,
                         int source, int recv_tag, MPI_Comm comm, MPI_Status *status)
{
    note(false, "MPI_Sendrecv_replace %d %d %d %d %ld", dest, send_tag, source, recv_tag,
         bytes(count, type));
    return PMPI_Sendrecv_replace(buffer, count, type, dest, send_tag, source, recv_tag, comm,
                                 status);
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    note(false, "MPI_Probe %d %d", source_of(source), tag_of(tag));
    return PMPI_Probe(source, tag, comm, status);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    note(true, "MPI_Iprobe %d %d", source_of(source), tag_of(tag));
    return PMPI_Iprobe(source, tag, comm, flag, status);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (fails("Wait")) /* as MPI does with requests: nobody but MPI_COMM_WORLD can be told */
        PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    note(false, "MPI_Wait");
    return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    if (fails("Waitall") || fails("truncated Waitall")) {
        PMPI_Waitall(count, requests, statuses);
        for (int i = 0; i < count; i++)
            statuses[i].MPI_ERROR = i > 0              ? MPI_SUCCESS
                                    : fails("Waitall") ? MPI_ERR_OTHER
                                                       : MPI_ERR_TRUNCATE;
        PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_IN_STATUS);
        return MPI_ERR_IN_STATUS;
    }
    if (count > 0)
        note(false, "MPI_Waitall %d", count);
    return PMPI_Waitall(count, requests, statuses);
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
    note(true, "MPI_Waitany %d", count);
    return PMPI_Waitany(count, requests, index, status);
}

int MPI_Waitsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
    note(true, "MPI_Waitsome %d", count);
    return PMPI_Waitsome(count, requests, done, indices, statuses);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    note(true, "MPI_Test");
    return PMPI_Test(request, flag, status);
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    note(true, "MPI_Testall %d", count);
    return PMPI_Testall(count, requests, flag, statuses);
}

int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    note(true, "MPI_Testany %d", count);
    return PMPI_Testany(count, requests, index, flag, status);
}

int MPI_Testsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
    note(true, "MPI_Testsome %d", count);
    return PMPI_Testsome(count, requests, done, indices, statuses);
}

/* A blocking operation and its nonblocking form. */
#define PAIR(name, iname, declared, passed, format, ...)     \
    int MPI_##name(declared, MPI_Comm comm)                  \
    {                                                        \
        note(false, "MPI_" #name format, __VA_ARGS__);       \
        return PMPI_##name(passed, comm);                    \
    }                                                        \
    int MPI_##iname(declared, MPI_Comm comm, MPI_Request *r) \
    {                                                        \
        note(false, "MPI_" #iname format, __VA_ARGS__);      \
        return PMPI_##iname(passed, comm, r);                \
    }
#define LIST(...) __VA_ARGS__

int MPI_Barrier(MPI_Comm comm)
{
    note(false, "MPI_Barrier");
    return PMPI_Barrier(comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    note(false, "MPI_Ibarrier");
    return PMPI_Ibarrier(comm, request);
}

#define SENT const void *s, int sc, MPI_Datatype st
#define RECV void *r_, int rc, MPI_Datatype rt

int MPI_Bcast(void *b, int c, MPI_Datatype t, int root, MPI_Comm comm)
{
    note(false, "MPI_Bcast %d %ld", root, bytes(c, t));
    return PMPI_Bcast(b, c, t, root, comm);
}

int MPI_Ibcast(void *b, int c, MPI_Datatype t, int root, MPI_Comm comm, MPI_Request *r)
{
    note(false, "MPI_Ibcast %d %ld", root, bytes(c, t));
    return PMPI_Ibcast(b, c, t, root, comm, r);
}

#define SENT_V const void *s, const int *sc, const int *sd, MPI_Datatype st
#define RECV_V void *r_, const int *rc, const int *rd, MPI_Datatype rt

/* At the root only, the other side's counts mean something. */
static bool is_root(int root, MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

#define REDUCED const void *s, void *r_, int c, MPI_Datatype t, MPI_Op op

PAIR(Gather, Igather, LIST(SENT, RECV, int root), LIST(s, sc, st, r_, rc, rt, root), " %d %ld",
     root, bytes(sc, st))
PAIR(Gatherv, Igatherv, LIST(SENT, RECV_V, int root), LIST(s, sc, st, r_, rc, rd, rt, root),
     " %d %ld %ld", root, bytes(sc, st), is_root(root, comm) ? sum(rc, comm, rt) : 0L)
PAIR(Scatter, Iscatter, LIST(SENT, RECV, int root), LIST(s, sc, st, r_, rc, rt, root), " %d %ld",
     root, bytes(rc, rt))
PAIR(Scatterv, Iscatterv, LIST(SENT_V, RECV, int root), LIST(s, sc, sd, st, r_, rc, rt, root),
     " %d %ld %ld", root, is_root(root, comm) ? sum(sc, comm, st) : 0L, bytes(rc, rt))
PAIR(Allgather, Iallgather, LIST(SENT, RECV), LIST(s, sc, st, r_, rc, rt), " %ld", bytes(sc, st))
PAIR(Allgatherv, Iallgatherv, LIST(SENT, RECV_V), LIST(s, sc, st, r_, rc, rd, rt), " %ld %ld",
     bytes(sc, st), sum(rc, comm, rt))
PAIR(Alltoall, Ialltoall, LIST(SENT, RECV), LIST(s, sc, st, r_, rc, rt), " %ld", bytes(sc, st))
PAIR(Alltoallv, Ialltoallv, LIST(SENT_V, RECV_V), LIST(s, sc, sd, st, r_, rc, rd, rt), " %ld %ld%s",
     sum(sc, comm, st), sum(rc, comm, rt), untouched(r_, sum(rc, comm, rt)))
PAIR(Reduce, Ireduce, LIST(REDUCED, int root), LIST(s, r_, c, t, op, root), " %d %ld%s", root,
     bytes(c, t), reduction(t, op))
PAIR(Allreduce, Iallreduce, LIST(REDUCED), LIST(s, r_, c, t, op), " %ld%s", bytes(c, t),
     reduction(t, op))
PAIR(Reduce_scatter, Ireduce_scatter,
     LIST(const void *s, void *r_, const int *rc, MPI_Datatype t, MPI_Op op),
     LIST(s, r_, rc, t, op), " %ld%s", sum(rc, comm, t), reduction(t, op))
PAIR(Reduce_scatter_block, Ireduce_scatter_block, LIST(REDUCED), LIST(s, r_, c, t, op), " %ld",
     bytes(c, t))
PAIR(Scan, Iscan, LIST(REDUCED), LIST(s, r_, c, t, op), " %ld", bytes(c, t))
PAIR(Exscan, Iexscan, LIST(REDUCED), LIST(s, r_, c, t, op), " %ld", bytes(c, t))

#define ALL_TYPES                                                                                 \
    const void *s, const int *sc, const int *sd, const MPI_Datatype *st, void *r_, const int *rc, \
        const int *rd, const MPI_Datatype *rt
PAIR(Alltoallw, Ialltoallw, LIST(ALL_TYPES), LIST(s, sc, sd, st, r_, rc, rd, rt), " %ld %ld",
     sum(sc, comm, MPI_BYTE), sum(rc, comm, MPI_BYTE))
