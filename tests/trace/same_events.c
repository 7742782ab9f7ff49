/* Loads an archive with the reader of event files and with OTF2's reader, which must give the same
 * trace or the same message:
 *
 *     same_events ARCHIVE [DAMAGES SEED]
 *
 * Prints the number of locations that were read without OTF2. Then repeats the comparison DAMAGES
 * times with one byte of an event file or of local definitions changed. Exit code 1 if a result
 * differs. */
#include "base/log.h"
#include "base/mpi/handles.h"
#include "trace/load/load_private.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_bytes(const void *a, const void *b, size_t count, size_t size)
{
    return count == 0 || memcmp(a, b, count * size) == 0;
}

/* Without the padding, which may have any contents. */
static bool same_messages(const struct message *a, const struct message *b, uint32_t count)
{
    const size_t size = offsetof(struct message, recorded) + sizeof a->recorded;
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], size) != 0)
            return false;
    return true;
}

static bool same_others(const struct other_event *a, const struct other_event *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i].type != b[i].type || memcmp(a[i].fields, b[i].fields, sizeof a->fields) != 0)
            return false;
    return true;
}

/* What differs; NULL: nothing. */
static const char *stream_difference(const struct stream *a, const struct stream *b)
{
    if (a->count != b->count)
        return "number of events";
    if (!same_bytes(a->time, b->time, a->count, sizeof *a->time))
        return "times";
    if (!same_bytes(a->kind, b->kind, a->count, sizeof *a->kind))
        return "kinds";
    if (!same_bytes(a->arg, b->arg, a->count, sizeof *a->arg))
        return "arguments";
    if (a->message_count != b->message_count ||
        !same_messages(a->messages, b->messages, a->message_count))
        return "messages";
    if (a->other_count != b->other_count || !same_others(a->others, b->others, a->other_count))
        return "other events";
#define X(table, number)                                              \
    if (a->number != b->number)                                       \
        return "number of " #table;                                   \
    if (!same_bytes(a->table, b->table, a->number, sizeof *a->table)) \
        return #table;
    X(collectives, collective_count)
    X(rma_ops, rma_op_count)
    X(rma_syncs, rma_sync_count)
    X(flushes, flush_count)
#undef X
    return NULL;
}

static const char *difference(const struct trace *a, const struct trace *b, uint32_t *stream)
{
    const struct calltree *t = &a->calltree, *u = &b->calltree;
    *stream = 0;
    if (t->paths.count != u->paths.count ||
        !same_bytes(t->paths.items, u->paths.items, t->paths.count, sizeof *t->paths.items))
        return "call paths";
    if (a->rank_count != b->rank_count || a->begin != b->begin || a->end != b->end)
        return "ranks or span";
    for (uint32_t i = 0; i < a->owned_count + a->carried_count; i++) {
        const char *what = stream_difference(trace_any_stream((struct trace *)a, i),
                                             trace_any_stream((struct trace *)b, i));
        *stream = i;
        if (what)
            return what;
    }
    return NULL;
}

static uint32_t direct; /* locations read without OTF2 */

/* A damaged archive is compared only if it was read completely without OTF2, because OTF2 reads
 * beyond its data in damaged files, with varying results. */
static bool compare(const char *path, struct processes *processes, const char *case_name,
                    bool damaged)
{
    struct trace *ours = NULL, *theirs = NULL;
    struct error our_error = {0}, their_error = {0};
    const char *what = NULL;
    uint32_t stream = 0;
    const enum status a = trace_load_by(path, processes, &direct, &ours, &our_error);
    const enum status b = trace_load_by(path, processes, NULL, &theirs, &their_error);
    const bool comparable = !damaged || (a == STATUS_OK && direct == ours->owned_count);
    if (comparable && (a != b || (a != STATUS_OK && strcmp(our_error.text, their_error.text) != 0)))
        what = "messages";
    else if (comparable && a == STATUS_OK)
        what = difference(ours, theirs, &stream);
    if (what)
        printf("%s: %s differ (stream %u)\n%s\n%s\n", case_name, what, stream,
               a == STATUS_OK ? "loaded" : our_error.text,
               b == STATUS_OK ? "loaded" : their_error.text);
    if (a == STATUS_OK)
        trace_destroy(ours);
    if (b == STATUS_OK)
        trace_destroy(theirs);
    return what == NULL;
}

/* Opens one of the files in the archive's folder to be damaged; -1: there is none. */
static int open_any(const char *archive, char *name, size_t size)
{
    char folder[3000];
    int chosen = -1, seen = 0;
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(archive) - strlen(".otf2")), archive);
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (entry->d_name[0] != '.' && lrand48() % ++seen == 0)
            snprintf(name, size, "%s/%s", folder, entry->d_name);
    if (directory)
        closedir(directory);
    if (seen > 0)
        chosen = open(name, O_RDWR);
    return chosen;
}

/* Half of the damages are near the beginning, where all kinds of records occur. */
static bool compare_damaged(const char *path, struct processes *processes)
{
    char name[4096], case_name[5000];
    struct stat info;
    uint8_t old, new = (uint8_t)lrand48();
    int file = open_any(path, name, sizeof name);
    if (file < 0 || fstat(file, &info) != 0 || info.st_size == 0)
        return false;
    off_t at = lrand48() % info.st_size;
    if (lrand48() % 2 == 0)
        at %= 256;
    if (lrand48() % 2 == 0)
        new = (uint8_t)(lrand48() % 32);
    bool same = pread(file, &old, 1, at) == 1 && pwrite(file, &new, 1, at) == 1;
    snprintf(case_name, sizeof case_name, "%s, byte %lld from %u to %u", name, (long long)at, old,
             new);
    same = same && compare(path, processes, case_name, true);
    same = pwrite(file, &old, 1, at) == 1 && same;
    close(file);
    return same;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    MPI_Init(&argc, &argv);
    if ((argc != 2 && argc != 4) || processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK)
        return 2;
    bool same = compare(argv[1], &processes, argv[1], false);
    printf("%u locations read directly\n", direct);
    if (argc == 4)
        srand48(atol(argv[3]));
    for (long i = 0; argc == 4 && i < atol(argv[2]); i++)
        same = compare_damaged(argv[1], &processes) && same;
    processes_close(&processes);
    MPI_Finalize();
    return same ? 0 : 1;
}
