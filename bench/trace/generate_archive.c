#include "bench/trace/generate_archive.h"

#include "examples/registration_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK_BYTES = 1 << 20 };

void archive_check(OTF2_ErrorCode code, const char *what)
{
    if (code == OTF2_SUCCESS)
        return;
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
            OTF2_Error_GetDescription(code));
    exit(3);
}

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = flush};

void archive_create(struct archive *archive, const char *directory, int ranks, int ranks_per_node)
{
    archive->ranks_per_node = ranks_per_node;
    archive->ranks = ranks;
    archive->handle = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES,
                                        CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    archive->writers = calloc((size_t)ranks, sizeof *archive->writers);
    archive->events = calloc((size_t)ranks, sizeof *archive->events);
    if (!archive->handle || !archive->writers || !archive->events) {
        fprintf(stderr, "%s: cannot create %s\n", program_invocation_short_name, directory);
        exit(3);
    }
    archive_check(OTF2_Archive_SetFlushCallbacks(archive->handle, &flush_callbacks, NULL), "flush");
    archive_check(OTF2_Archive_SetSerialCollectiveCallbacks(archive->handle), "callbacks");
    archive_check(OTF2_Archive_SetCreator(archive->handle, "SILAS generate_trace"), "creator");
    archive_check(OTF2_Archive_OpenEvtFiles(archive->handle), "event files");
    archive_check(OTF2_Archive_OpenDefFiles(archive->handle), "definition files");
}

void archive_open_writers(struct archive *archive, int first, int end)
{
    for (int rank = first; rank < end; rank++) {
        archive->writers[rank] = OTF2_Archive_GetEvtWriter(archive->handle, (OTF2_LocationRef)rank);
        if (!archive->writers[rank])
            archive_check(OTF2_ERROR_INVALID, "event writer");
    }
}

void archive_close_writers(struct archive *archive, int first, int end)
{
    for (int rank = first; rank < end; rank++) {
        OTF2_DefWriter *definitions =
            OTF2_Archive_GetDefWriter(archive->handle, (OTF2_LocationRef)rank);
        archive_check(OTF2_Archive_CloseDefWriter(archive->handle, definitions), "definitions");
        archive_check(
            OTF2_EvtWriter_GetNumberOfEvents(archive->writers[rank], &archive->events[rank]),
            "event count");
        archive_check(OTF2_Archive_CloseEvtWriter(archive->handle, archive->writers[rank]),
                      "events");
        archive->writers[rank] = NULL;
    }
}

struct strings {
    OTF2_GlobalDefWriter *writer;
    uint32_t next;
};

static uint32_t write_string(struct strings *strings, const char *text)
{
    archive_check(OTF2_GlobalDefWriter_WriteString(strings->writer, strings->next, text), "string");
    return strings->next++;
}

static void write_region(struct strings *strings, uint32_t region, const char *text,
                         OTF2_RegionRole role, OTF2_Paradigm paradigm)
{
    uint32_t name = write_string(strings, text), empty = 0;
    archive_check(OTF2_GlobalDefWriter_WriteRegion(strings->writer, region, name, name, empty, role,
                                                   paradigm, OTF2_REGION_FLAG_NONE, empty, 0, 0),
                  "region");
}

/* The first string is the empty one. */
static void write_regions(struct strings *strings)
{
    uint32_t region = 0;
    write_string(strings, "");
#define X(identifier, text, role, paradigm) \
    write_region(strings, region++, text, OTF2_REGION_ROLE_##role, OTF2_PARADIGM_##paradigm);
    GENERATED_REGIONS(X)
#undef X
#define X(identifier, text) \
    write_region(strings, region++, #text, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
    REGISTRATION_REGIONS(X)
#undef X
}

static void write_locations(const struct archive *archive, struct strings *strings)
{
    uint32_t machine = write_string(strings, "machine"), node = write_string(strings, "node");
    uint32_t thread = write_string(strings, "Master thread");
    archive_check(OTF2_GlobalDefWriter_WriteSystemTreeNode(strings->writer, 0, machine, machine,
                                                           OTF2_UNDEFINED_SYSTEM_TREE_NODE),
                  "system tree");
    uint32_t nodes = (uint32_t)((archive->ranks - 1) / archive->ranks_per_node + 1);
    for (uint32_t n = 1; n <= nodes; n++) {
        char name[32];
        snprintf(name, sizeof name, "node%u", n);
        archive_check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
                          strings->writer, n, write_string(strings, name), node, 0),
                      "system tree");
    }
    for (int rank = 0; rank < archive->ranks; rank++) {
        char name[32];
        snprintf(name, sizeof name, "MPI Rank %d", rank);
        uint32_t group = (uint32_t)rank;
        archive_check(OTF2_GlobalDefWriter_WriteLocationGroup(
                          strings->writer, group, write_string(strings, name),
                          OTF2_LOCATION_GROUP_TYPE_PROCESS,
                          1 + (uint32_t)(rank / archive->ranks_per_node),
                          OTF2_UNDEFINED_LOCATION_GROUP),
                      "location group");
        archive_check(OTF2_GlobalDefWriter_WriteLocation(strings->writer, group, thread,
                                                         OTF2_LOCATION_TYPE_CPU_THREAD,
                                                         archive->events[rank], group),
                      "location");
    }
}

static void write_communicators(const struct archive *archive, struct strings *strings)
{
    enum { GROUP_LOCATIONS, GROUP_WORLD, GROUP_HALF };
    uint32_t ranks = (uint32_t)archive->ranks, half = (ranks + 1) / 2;
    uint32_t empty = write_string(strings, ""), world = write_string(strings, "MPI_COMM_WORLD");
    uint64_t *members = calloc(ranks, sizeof *members);
    if (!members)
        archive_check(OTF2_ERROR_MEM_FAULT, "group");
    for (uint32_t rank = 0; rank < ranks; rank++)
        members[rank] = rank;
    archive_check(OTF2_GlobalDefWriter_WriteGroup(strings->writer, GROUP_LOCATIONS, empty,
                                                  OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                                  OTF2_GROUP_FLAG_NONE, ranks, members),
                  "group");
    archive_check(OTF2_GlobalDefWriter_WriteGroup(strings->writer, GROUP_WORLD, empty,
                                                  OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                                  OTF2_GROUP_FLAG_NONE, ranks, members),
                  "group");
    archive_check(OTF2_GlobalDefWriter_WriteGroup(strings->writer, GROUP_HALF, empty,
                                                  OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                                  OTF2_GROUP_FLAG_NONE, half, members),
                  "group");
    archive_check(OTF2_GlobalDefWriter_WriteComm(strings->writer, COMM_WORLD, world, GROUP_WORLD,
                                                 OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
                  "communicator");
    archive_check(OTF2_GlobalDefWriter_WriteComm(strings->writer, COMM_HALF, empty, GROUP_HALF,
                                                 COMM_WORLD, OTF2_COMM_FLAG_NONE),
                  "communicator");
    free(members);
}

void archive_finish(struct archive *archive, uint64_t end)
{
    archive_check(OTF2_Archive_CloseEvtFiles(archive->handle), "event files");
    archive_check(OTF2_Archive_CloseDefFiles(archive->handle), "definition files");

    struct strings strings = {.writer = OTF2_Archive_GetGlobalDefWriter(archive->handle)};
    archive_check(OTF2_GlobalDefWriter_WriteClockProperties(strings.writer, 1000000000, 0, end,
                                                            OTF2_UNDEFINED_TIMESTAMP),
                  "clock");
    write_regions(&strings);
    write_locations(archive, &strings);
    write_communicators(archive, &strings);
    archive_check(OTF2_Archive_CloseGlobalDefWriter(archive->handle, strings.writer),
                  "global definitions");
    archive_check(OTF2_Archive_Close(archive->handle), "archive");
    free(archive->events);
    free(archive->writers);
}
