#include "sweep/journal.h"

#include "base/arena.h"
#include "base/files.h"

#include <assert.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line is "ROUND RUN TIME OBJECTIVE", with exact (hexadecimal) figures; a round ends with
 * "ROUND end". */

static const size_t LARGEST_JOURNAL = (size_t)1 << 30;

/* Reads one line, which ends with a zero byte, into the entries, which have room for it. Returns
 * false if it is not a line of a journal. */
static bool read_journal_line(struct journal *journal, char *line, bool *ends)
{
    char *rest, *save = NULL;
    const char *round = strtok_r(line, " ", &save), *run = strtok_r(NULL, " ", &save);
    const char *time = strtok_r(NULL, " ", &save), *objective = strtok_r(NULL, " ", &save);
    struct journal_entry entry = {.run = run};
    if (!round || !run)
        return false;
    entry.round = strtoll(round, &rest, 10);
    *ends = strcmp(run, "end") == 0;
    if (*rest || entry.round != journal->rounds)
        return false;
    if (*ends)
        return !time;
    if (!time || !objective)
        return false;
    entry.time_s = strtod(time, &rest);
    if (*rest)
        return false;
    entry.objective = strtod(objective, &rest);
    return !*rest && array_push(&journal->entries, entry);
}

/* Reads complete rounds; the text is changed. Returns their size in bytes. */
static size_t read_rounds(struct journal *journal, char *text)
{
    size_t complete_bytes = 0, complete_entries = journal->entries.count;
    char *line = text, *end;
    journal->rounds = 0;
    while ((end = strchr(line, '\n'))) {
        bool ends = false;
        *end = '\0';
        if (!read_journal_line(journal, line, &ends))
            break;
        line = end + 1;
        if (ends) {
            journal->rounds++;
            complete_bytes = (size_t)(line - text);
            complete_entries = journal->entries.count;
        }
    }
    journal->entries.count = complete_entries;
    return complete_bytes;
}

/* Removes everything after the last complete round. */
static enum status truncate_journal(const char *path, size_t bytes, struct error *error)
{
    if (truncate(path, (off_t)bytes) == 0 || errno == ENOENT)
        return STATUS_OK;
    return error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
}

/* Appends the contents of a file, if it exists, and a zero byte. */
static enum status read_one_journal(const char *path, struct bytes *text, struct error *error)
{
    enum status status = STATUS_OK;
    if (access(path, F_OK) == 0)
        status = files_read(path, LARGEST_JOURNAL, text, error);
    if (status == STATUS_OK && !bytes_put(text, "", 1))
        status = error_memory(error, "the journal");
    return status;
}

size_t journal_count_rounds(const char *path)
{
    struct bytes text = {0};
    struct error ignored;
    size_t rounds = 0;
    if (read_one_journal(path, &text, &ignored) == STATUS_OK)
        for (const char *at = text.data; (at = strstr(at, " end\n")); at++)
            rounds++;
    bytes_clear(&text);
    return rounds;
}

/* Appends the other journals of the folder and then `path`, each followed by a zero byte. */
static enum status read_all_journals(const char *path, struct bytes *text, struct error *error)
{
    char pattern[PATH_MAX];
    const char *slash = strrchr(path, '/');
    glob_t others = {0};
    enum status status = STATUS_OK;
    snprintf(pattern, sizeof pattern, "%.*s*.journal", slash ? (int)(slash - path + 1) : 0, path);
    int failed = glob(pattern, 0, NULL, &others);
    if (failed == GLOB_NOSPACE)
        status = error_memory(error, "the journal");
    for (size_t i = 0; !failed && i < others.gl_pathc && status == STATUS_OK; i++)
        if (strcmp(others.gl_pathv[i], path) != 0)
            status = read_one_journal(others.gl_pathv[i], text, error);
    globfree(&others);
    return status ?: read_one_journal(path, text, error);
}

/* Collective. Sends the text of process 0 to all processes; the arena owns it. */
static enum status broadcast_journal(struct journal *journal, const struct processes *processes,
                                     const struct bytes *read, char **text, uint64_t *size,
                                     struct error *error)
{
    *size = read->size;
    processes_broadcast(processes, size, sizeof *size);
    journal->arena = arena_create();
    *text = journal->arena ? arena_alloc(journal->arena, *size + 1) : NULL;
    enum status status = processes_agree_memory(processes, *text != NULL, "the journal", error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0)
        memcpy(*text, read->data, *size);
    processes_broadcast(processes, *text, *size);
    size_t lines = 0;
    for (uint64_t i = 0; i < *size; i++)
        lines += (*text)[i] == '\n';
    return processes_agree_memory(processes, array_reserve(&journal->entries, lines), "the journal",
                                  error);
}

enum status journal_open(const char *path, const struct processes *processes,
                         struct journal *journal, struct error *error)
{
    struct bytes read = {0};
    char *text = NULL;
    uint64_t size = 0;
    enum status status = STATUS_OK;
    memset(journal, 0, sizeof *journal);
    journal->path = path;
    if (!path)
        return STATUS_OK;
    if (processes->rank == 0)
        status = read_all_journals(path, &read, error);
    status = processes_agree(processes, status, error)
                 ?: broadcast_journal(journal, processes, &read, &text, &size, error);
    bytes_clear(&read);
    size_t length = 0, complete = 0;
    for (char *file = text; status == STATUS_OK && file < text + size; file += length + 1) {
        length = strlen(file); /* the last one is `path` itself */
        complete = read_rounds(journal, file);
    }
    if (status == STATUS_OK && processes->rank == 0 && complete < length)
        status = truncate_journal(path, complete, error);
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        journal_clear(journal);
    return status;
}

void journal_clear(struct journal *journal)
{
    free(journal->entries.items);
    arena_destroy(journal->arena);
    memset(journal, 0, sizeof *journal);
}

enum status journal_append(struct journal *journal, const struct journal_entry *entries,
                           size_t count, struct error *error)
{
    assert(entries || count == 0);
    const int64_t round = journal->rounds++;
    if (!journal->path)
        return STATUS_OK;
    FILE *file = fopen(journal->path, "ae");
    bool good = file != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = fprintf(file, "%" PRId64 " %s %a %a\n", round, entries[i].run, entries[i].time_s,
                       entries[i].objective) > 0;
    good = good && fprintf(file, "%" PRId64 " end\n", round) > 0;
    good = good && fflush(file) == 0 && fsync(fileno(file)) == 0;
    int reason = errno;
    if (file && fclose(file) != 0)
        good = false;
    return good ? STATUS_OK
                : error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", journal->path,
                            strerror(reason));
}
