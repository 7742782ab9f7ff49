#include "sweep/queue/jobs.h"

#include "base/files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 1 << 26 };

static const char *const kind_names[] = {"slurm", "launcher"};

bool jobs_put_ranges(struct bytes *text, const size_t *numbers, size_t count, size_t offset)
{
    bool good = true;
    for (size_t i = 0; i < count && good;) {
        char range[64];
        size_t last = i;
        while (last + 1 < count && numbers[last + 1] == numbers[last] + 1)
            last++;
        int length = snprintf(range, sizeof range, last == i ? "%s%zu" : "%s%zu-%zu", i ? "," : "",
                              numbers[i] + 1 - offset, numbers[last] + 1 - offset);
        good = bytes_put(text, range, (size_t)length);
        i = last + 1;
    }
    return good;
}

/* Calls `mark` for each part of a list such as 1-4,7. False if it is no list of parts. */
static bool mark_ranges(struct jobs *jobs, const char *list,
                        void (*mark)(struct job *job, int64_t when), int64_t when)
{
    do {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (first < 1 || last < first || last > jobs->count)
            return false;
        for (unsigned long i = first; i <= last; i++)
            mark(&jobs->items[i - 1], when);
        list = end;
    } while (*list++ == ',');
    return list[-1] == '\0';
}

static void mark_submitting(struct job *job, int64_t when)
{
    free(job->id);
    *job = (struct job){.since = when, .unsure = true};
}

static void mark_cancelled(struct job *job, int64_t when)
{
    (void)when;
    job->cancelled = true;
}

/* "job 3 1234_3 1700000001" */
static bool read_job(struct jobs *jobs, const char *line, bool *no_memory)
{
    size_t part;
    int64_t when;
    char *id = NULL;
    if (sscanf(line, "job %zu %ms %" SCNd64, &part, &id, &when) != 3 || part < 1 ||
        part > jobs->count) {
        free(id);
        return false;
    }
    *no_memory = !id;
    free(jobs->items[part - 1].id);
    jobs->items[part - 1] = (struct job){.id = id, .since = when};
    return true;
}

static bool read_line(struct jobs *jobs, const char *line, bool *no_memory)
{
    char *list = NULL;
    int64_t when;
    bool good = false;
    if (strncmp(line, "job ", 4) == 0)
        return read_job(jobs, line, no_memory);
    for (int i = 0; strncmp(line, "queue ", 6) == 0 && i < 2; i++)
        if (strcmp(line + 6, kind_names[i]) == 0) {
            jobs->kind = (enum queue_kind)i;
            return true;
        }
    if (sscanf(line, "submitting %ms %" SCNd64, &list, &when) == 2)
        good = mark_ranges(jobs, list, mark_submitting, when);
    else if (free(list), list = NULL, sscanf(line, "cancelled %ms %" SCNd64, &list, &when) == 2)
        good = mark_ranges(jobs, list, mark_cancelled, when);
    free(list);
    return good;
}

/* A line without an end was being written when the machine stopped: it does not count. */
static enum status read_lines(struct jobs *jobs, char *text, struct error *error)
{
    const char *begin = text;
    bool no_memory = false;
    int number = 1;
    for (char *end; (end = strchr(text, '\n')); text = end + 1, number++) {
        *end = '\0';
        if (!read_line(jobs, text, &no_memory))
            return error_set(error, STATUS_INPUT,
                             "%s:%d: \"%.40s\" is not what silas-sweep writes here, or names a "
                             "part that there is not",
                             jobs->path, number, text);
        if (no_memory)
            return error_memory(error, "the jobs of a sweep");
    }
    jobs->size = text - begin;
    return STATUS_OK;
}

static enum status read_file(struct jobs *jobs, struct error *error)
{
    struct bytes text = {0};
    enum status status = files_read(jobs->path, LARGEST, &text, error);
    if (status == STATUS_OK && !bytes_put(&text, "", 1))
        status = error_memory(error, "the jobs of a sweep");
    if (status == STATUS_OK)
        status = read_lines(jobs, text.data, error);
    bytes_clear(&text);
    return status;
}

/* Locks the file, so that no two commands submit at once. */
static enum status lock(struct jobs *jobs, struct error *error)
{
    jobs->file = open(jobs->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (jobs->file < 0)
        return error_set(error, STATUS_ENVIRONMENT, "%s: cannot be opened: %s", jobs->path,
                         strerror(errno));
    if (flock(jobs->file, LOCK_EX | LOCK_NB) == 0)
        return STATUS_OK;
    return errno == EWOULDBLOCK
               ? error_set(error, STATUS_INPUT,
                           "%s: another silas-sweep is submitting or cancelling jobs of this "
                           "sweep; try again when it has ended",
                           jobs->path)
               : error_set(error, STATUS_ENVIRONMENT, "%s: cannot be locked: %s", jobs->path,
                           strerror(errno));
}

enum status jobs_open(const struct sweep_folder *folder, enum jobs_use use, struct jobs *jobs,
                      struct error *error)
{
    enum status status = STATUS_OK;
    *jobs = (struct jobs){.file = -1,
                          .path = sweep_folder_path(folder, "jobs"),
                          .items = calloc(folder->part_count + 1, sizeof *jobs->items),
                          .count = folder->part_count};
    if (!jobs->path || !jobs->items)
        return error_memory(error, "the jobs of a sweep");
    if (use == JOBS_CHANGE)
        status = lock(jobs, error);
    if (status == STATUS_OK && access(jobs->path, F_OK) == 0)
        status = read_file(jobs, error);
    return status;
}

void jobs_close(struct jobs *jobs)
{
    for (size_t i = 0; jobs->items && i < jobs->count; i++)
        free(jobs->items[i].id);
    if (jobs->file >= 0)
        close(jobs->file);
    free(jobs->items);
    free(jobs->path);
    *jobs = (struct jobs){.file = -1};
}

/* Makes a new name in the folder last, too. */
static bool flush_folder(const char *path)
{
    char *folder = strndup(path, (size_t)(strrchr(path, '/') - path));
    int file = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool good = file >= 0 && (fsync(file) == 0 || errno == EINVAL);
    if (file >= 0)
        close(file);
    free(folder);
    return good;
}

/* Appends `text` behind the last complete line, and waits until it is on the disk. */
static enum status append(struct jobs *jobs, const struct bytes *text, struct error *error)
{
    assert(jobs->file >= 0);
    bool good = ftruncate(jobs->file, jobs->size) == 0;
    for (size_t done = 0; good && done < text->size;) {
        ssize_t size =
            pwrite(jobs->file, text->data + done, text->size - done, jobs->size + (off_t)done);
        good = size > 0 || (size < 0 && errno == EINTR);
        done += size > 0 ? (size_t)size : 0;
    }
    if (!good || fsync(jobs->file) != 0 || (jobs->size == 0 && !flush_folder(jobs->path)))
        return error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", jobs->path,
                         strerror(errno));
    jobs->size += (off_t)text->size;
    return STATUS_OK;
}

/* Appends one line with a word, the parts' numbers, and the time. */
static enum status append_list(struct jobs *jobs, const char *word, const size_t *parts,
                               size_t count, int64_t now, struct error *error)
{
    struct bytes text = {0};
    char time_text[32];
    snprintf(time_text, sizeof time_text, " %" PRId64 "\n", now);
    bool good = bytes_put(&text, word, strlen(word)) && jobs_put_ranges(&text, parts, count, 0) &&
                bytes_put(&text, time_text, strlen(time_text));
    enum status status =
        good ? append(jobs, &text, error) : error_memory(error, "the jobs of a sweep");
    bytes_clear(&text);
    return status;
}

enum status jobs_begin(struct jobs *jobs, enum queue_kind kind, struct error *error)
{
    struct bytes text = {0};
    char line[32];
    assert(!jobs_exist(jobs));
    snprintf(line, sizeof line, "queue %s\n", kind_names[kind]);
    jobs->kind = kind;
    enum status status = bytes_put(&text, line, strlen(line))
                             ? append(jobs, &text, error)
                             : error_memory(error, "the jobs of a sweep");
    bytes_clear(&text);
    return status;
}

enum status jobs_submitting(struct jobs *jobs, const size_t *parts, size_t count,
                            struct error *error)
{
    int64_t now = time(NULL);
    for (size_t i = 0; i < count; i++)
        mark_submitting(&jobs->items[parts[i]], now);
    return append_list(jobs, "submitting ", parts, count, now, error);
}

enum status jobs_submitted(struct jobs *jobs, const size_t *parts, size_t count,
                           const char *const *ids, struct error *error)
{
    struct bytes text = {0};
    int64_t now = time(NULL);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        char line[400];
        struct job *job = &jobs->items[parts[i]];
        int length =
            snprintf(line, sizeof line, "job %zu %s %" PRId64 "\n", parts[i] + 1, ids[i], now);
        free(job->id);
        *job = (struct job){.id = strdup(ids[i]), .since = now};
        good = job->id && bytes_put(&text, line, (size_t)length);
        assert((size_t)length < sizeof line);
    }
    enum status status =
        good ? append(jobs, &text, error) : error_memory(error, "the jobs of a sweep");
    bytes_clear(&text);
    return status;
}

enum status jobs_cancelled(struct jobs *jobs, const size_t *parts, size_t count,
                           struct error *error)
{
    int64_t now = time(NULL);
    for (size_t i = 0; i < count; i++)
        mark_cancelled(&jobs->items[parts[i]], now);
    return append_list(jobs, "cancelled ", parts, count, now, error);
}
