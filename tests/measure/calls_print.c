/* Prints what the tracer recorded of one rank as text, one line per record and without times, so
 * that tests can compare it: calls_print DIRECTORY RANK. Reads the files of records themselves, so
 * wrappers are tested without the archive's writer. Enters are printed as "+ name", leaves as
 * "- name". Request ids count from 1, but repeated polling is left as it is. */
#include "base/mpi_call.h"
#include "measure/recorder/record_format.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct definition_texts {
    char **list;
    uint32_t count;
};

static struct definition_texts regions, comms, counts, windows;

static void texts_add(struct definition_texts *texts, char *text)
{
    texts->list = realloc(texts->list, (texts->count + 1) * sizeof *texts->list);
    if (!texts->list || !text)
        exit(3);
    texts->list[texts->count++] = text;
}

static const char *text_of(const struct definition_texts *texts, uint32_t id)
{
    return id < texts->count ? texts->list[id] : "?";
}

static unsigned char *read_whole_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data;
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    data = malloc(*size + 1);
    if (!data || fread(data, 1, *size, file) != *size)
        exit(3);
    fclose(file);
    return data;
}

static uint32_t take_u32(const unsigned char **at)
{
    uint32_t value;
    memcpy(&value, *at, sizeof value);
    *at += sizeof value;
    return value;
}

static char *take_definition_text(const unsigned char **at)
{
    const uint32_t length = take_u32(at);
    char *text = strndup((const char *)*at, length);
    *at += length;
    return text;
}

static size_t print_members(const unsigned char **at, char *text, size_t size)
{
    size_t length = 0;
    for (uint32_t runs = take_u32(at); runs > 0; runs--) {
        const uint32_t first = take_u32(at), count = take_u32(at), stride = take_u32(at);
        for (uint32_t i = 0; i < count; i++)
            length += (size_t)snprintf(text + length, size - length, "%s%u", length ? "," : "",
                                       first + i * stride);
    }
    return length;
}

/* Communicators are shown as CREATOR:NUMBER, and listed with their members beforehand. */
static void print_communicator(const unsigned char *at)
{
    char members[256] = "", remote[256] = "", *name, *label;
    const uint32_t creator = take_u32(&at), number = take_u32(&at), parent = take_u32(&at);
    const uint32_t self = take_u32(&at), joined = take_u32(&at);
    name = take_definition_text(&at);
    print_members(&at, members, sizeof members);
    const size_t others = print_members(&at, remote, sizeof remote);
    if (asprintf(&label, "%u:%u", creator, number) < 0)
        exit(3);
    texts_add(&comms, label);
    printf("comm %s \"%s\"%s%s members %s%s%s parent %s\n", label, name, self ? " self" : "",
           joined ? " joined" : "", members, others ? " and " : "", remote,
           parent == RECORD_NONE ? "none" : text_of(&comms, parent));
    free(name);
}

static void print_count_vector(const unsigned char *at, bool types)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    for (uint32_t n = take_u32(&at), i = 0; i < n; i++) {
        int64_t count;
        memcpy(&count, at, sizeof count);
        at += sizeof count;
        fprintf(stream, "%s%" PRId64, i ? "," : "", count);
    }
    const uint32_t user_op = types ? take_u32(&at) : RECORD_NONE;
    if (user_op != RECORD_NONE)
        fprintf(stream, " operator %" PRIu32, user_op);
    fclose(stream);
    texts_add(&counts, text);
}

static void print_definitions(const char *path)
{
    size_t size;
    unsigned char *data = read_whole_file(path, &size);
    for (const unsigned char *at = data; at < data + size;) {
        const uint32_t type = take_u32(&at), length = take_u32(&at);
        const unsigned char *payload = at;
        if (type == DEFINITION_REGION) {
            payload += 3 * sizeof(uint32_t);
            texts_add(&regions, take_definition_text(&payload));
        } else if (type == DEFINITION_FUNCTION) {
            texts_add(&regions, strdup("function"));
        } else if (type == DEFINITION_CALL) {
            take_u32(&payload); /* the object file */
            texts_add(&regions, strdup(mpi_call_infos[take_u32(&payload)].name));
        } else if (type == DEFINITION_COMM) {
            print_communicator(payload);
        } else if (type == DEFINITION_COMM_NAME) {
            const char *comm = text_of(&comms, take_u32(&payload));
            char *name = take_definition_text(&payload);
            printf("comm %s is named \"%s\"\n", comm, name);
            free(name);
        } else if (type == DEFINITION_COUNTS || type == DEFINITION_GROUP ||
                   type == DEFINITION_TYPES) {
            print_count_vector(payload, type == DEFINITION_TYPES);
        } else if (type == DEFINITION_WINDOW) {
            const uint32_t comm = take_u32(&payload), number = take_u32(&payload);
            char *name;
            if (asprintf(&name, "%s.%" PRIu32, text_of(&comms, comm), number) < 0)
                exit(3);
            printf("window %s\n", name);
            texts_add(&windows, name);
        }
        at += length;
    }
    free(data);
}

static void print_flags(unsigned flags)
{
    static const char *const names[] = {"any-source", "any-tag",     "persistent", "neighbour",
                                        "buffered",   "synchronous", "in-place"};
    for (unsigned i = 0; i < 7; i++)
        if (flags & 1u << i && names[i][0])
            printf(" %s", names[i]);
}

static void print_message_record(const char *name, const char *peer, const struct record_slot *slot,
                                 unsigned slots)
{
    printf("  %s %s %" PRIu32 " comm %s tag %" PRIu64 " bytes %" PRIu64 " of %u", name, peer,
           slot_id(slot), text_of(&comms, (uint32_t)slot[1].second), slot[1].second >> 32,
           slot[1].first, (unsigned)(slot->second >> 16 & 0xffff));
    if (slots == 3)
        printf(" request %" PRIu64, slot[2].first);
}

static void print_collective(const char *name, const struct record_slot *slot)
{
    static const char *const ops[] = {"barrier",
                                      "bcast",
                                      "gather",
                                      "gatherv",
                                      "scatter",
                                      "scatterv",
                                      "allgather",
                                      "allgatherv",
                                      "alltoall",
                                      "alltoallv",
                                      "alltoallw",
                                      "allreduce",
                                      "reduce",
                                      "reduce_scatter",
                                      "scan",
                                      "exscan",
                                      "reduce_scatter_block",
                                      "create_handle",
                                      "destroy_handle",
                                      "allocate",
                                      "deallocate",
                                      "create_and_allocate",
                                      "destroy_and_deallocate"};
    const uint32_t root = (uint32_t)slot[2].first;
    const uint32_t receive = (uint32_t)(slot[2].second >> 32), send = (uint32_t)slot[2].second;
    printf("  %s %s comm %s sent %" PRIu64 " received %" PRIu64 " of %u", name,
           ops[record_collective_op(slot)], text_of(&comms, slot_id(slot)), slot[1].first,
           slot[1].second, (unsigned)(slot->second >> 16 & 0xffff));
    if (record_collective_operation(slot) || record_collective_element(slot))
        printf(" operation %d element %d", record_collective_operation(slot),
               record_collective_element(slot));
    if (root < UINT32_MAX - 2)
        printf(" root %" PRIu32, root);
    else if (root != UINT32_MAX)
        printf(" root %s", root == UINT32_MAX - 1 ? "self" : "this-group");
    if (send != RECORD_NONE)
        printf(" sends %s", text_of(&counts, send));
    if (receive != RECORD_NONE)
        printf(" receives %s", text_of(&counts, receive));
    if (slot_flags(slot) & RECORD_NEIGHBOUR)
        printf(" to-neighbours %s from-neighbours %s", text_of(&counts, (uint32_t)slot[3].second),
               text_of(&counts, (uint32_t)(slot[3].second >> 32)));
    if (slot[3].first)
        printf(" request %" PRIu64, slot[3].first);
}

static void print_one_sided(enum record_kind kind, const struct record_slot *slot)
{
    static const char *const operations[] = {
        "put", "get", "accumulate",          "?", "?", "compare-and-swap", "?",
        "?",   "?",   "fetch-and-accumulate"};
    static const char *const completions[] = {"local", "remote", "tested"};
    static const char *const locks[] = {"shared-lock", "exclusive-lock", "unlock"};
    const uint32_t id = slot_id(slot);
    const unsigned assertion = (unsigned)(slot->second >> 8 & 0xff);
    switch (kind) {
    case RECORD_RMA_COLLECTIVE_BEGIN:
        printf("  rma-begin");
        return;
    case RECORD_RMA_OP:
        printf("  %s to %" PRIu32 " window %s sent %" PRIu64 " received %" PRIu64
               " of %u matching %" PRIu64,
               operations[slot[2].first >> 32], id, text_of(&windows, (uint32_t)slot[2].first),
               slot[1].first, slot[1].second, (unsigned)(slot->second >> 16 & 0xffff),
               slot[2].second);
        if (assertion)
            printf(" operator %u", assertion);
        return;
    case RECORD_RMA_COLLECTIVE_END:
        printf("  rma-end %s", slot[1].first == 0    ? "barrier"
                               : slot[1].first == 17 ? "create"
                                                     : "destroy");
        break;
    case RECORD_RMA_WIN_CREATE:
        printf("  win-create bytes %" PRIu64, slot[1].first);
        break;
    case RECORD_RMA_WIN_DESTROY:
        printf("  win-destroy");
        break;
    case RECORD_RMA_COMPLETE:
        printf("  complete %s matching %" PRIu64, completions[slot[1].second], slot[1].first);
        break;
    case RECORD_RMA_GROUP_SYNC:
        printf("  group %s", text_of(&counts, (uint32_t)slot[1].first));
        break;
    default:
        printf("  %s", locks[slot[1].second]);
        if (slot[1].first == RECORD_NONE)
            printf(" of all");
        else
            printf(" of %" PRIu64, slot[1].first);
    }
    printf(" window %s", text_of(&windows, id));
    if (assertion)
        printf(" assertion %u", assertion);
}

static void print_record(enum record_kind kind, const struct record_slot *slot)
{
    static const char *const names[] = {[RECORD_ISEND_COMPLETE] = "isend-complete",
                                        [RECORD_IRECV_REQUEST] = "irecv-request",
                                        [RECORD_MATCHED] = "matched",
                                        [RECORD_REQUEST_TEST] = "request-test",
                                        [RECORD_REQUEST_CANCELLED] = "cancelled",
                                        [RECORD_NBC_REQUEST] = "nbc-request"};
    const uint32_t id = slot_id(slot);
    switch (kind) {
    case RECORD_ENTER:
        printf("+ %s", text_of(&regions, id));
        break;
    case RECORD_LEAVE:
        printf("- %s", text_of(&regions, id));
        break;
    case RECORD_SEND:
        print_message_record("send", "to", slot, 2);
        break;
    case RECORD_RECV:
        print_message_record("recv", "from", slot, 2);
        break;
    case RECORD_ISEND:
        print_message_record("isend", "to", slot, 3);
        break;
    case RECORD_IRECV:
        print_message_record("irecv", "from", slot, 3);
        break;
    case RECORD_COLLECTIVE_BEGIN:
        printf("  begin");
        break;
    case RECORD_COLLECTIVE_END:
        print_collective("end", slot);
        break;
    case RECORD_NBC_COMPLETE:
        print_collective("nbc-complete", slot);
        break;
    case RECORD_COMM_CREATE:
        printf("  comm-create %s", text_of(&comms, id));
        break;
    case RECORD_COMM_DESTROY:
        printf("  comm-destroy %s", text_of(&comms, id));
        break;
    case RECORD_RMA_COLLECTIVE_BEGIN:
    case RECORD_RMA_COLLECTIVE_END:
    case RECORD_RMA_WIN_CREATE:
    case RECORD_RMA_WIN_DESTROY:
    case RECORD_RMA_OP:
    case RECORD_RMA_COMPLETE:
    case RECORD_RMA_GROUP_SYNC:
    case RECORD_RMA_LOCK:
        print_one_sided(kind, slot);
        printf("\n");
        return;
    case RECORD_MEASUREMENT:
        printf("measurement %s", id ? "on" : "off");
        break;
    case RECORD_FLUSH:
        printf("flush");
        break;
    case RECORD_TYPES:
        printf("  types %s", text_of(&counts, id));
        break;
    case RECORD_POLLS:
        printf("  polls %u", id);
        break;
    default:
        printf("  %s %" PRIu64, names[kind], slot[1].first);
    }
    print_flags((unsigned)(slot->second >> 8 & 0xff));
    printf("\n");
}

/* Also checks what every trace must keep: times never go back. */
static void print_event_file(const char *path)
{
    size_t size;
    uint64_t last = 0;
    unsigned char *data = read_whole_file(path, &size);
    const struct record_header *header = (const void *)data;
    for (size_t begin = RECORD_HEADER_SIZE; begin < size; begin += header->segment_size) {
        const struct record_slot *slot = (const void *)(data + begin);
        const struct record_slot *end = slot + header->segment_size / sizeof *slot;
        while (slot < end && slot_kind(slot) != RECORD_NOTHING) {
            const enum record_kind kind = slot_kind(slot);
            if (kind != RECORD_POLLS && slot->first < last)
                printf("time goes back\n");
            if (kind != RECORD_POLLS) /* its first word is not a time */
                last = slot->first;
            if (kind != RECORD_VOID) /* taken back */
                print_record(kind, slot);
            slot += record_slots(kind);
        }
    }
    free(data);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc != 3)
        return 2;
    snprintf(path, sizeof path, "%s/records/rank-%s.definitions", argv[1], argv[2]);
    print_definitions(path);
    snprintf(path, sizeof path, "%s/records/rank-%s.0.events", argv[1], argv[2]);
    print_event_file(path);
    return 0;
}
