#include "sweep/queue/jobs.h"

#include "base/files.h"
#include "base/launcher.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 1 << 26 }; /* bytes of the file */

static const char *const kind_names[] = {"slurm", "launcher"};

bool jobs_put_ranges(struct bytes *text, const size_t *numbers, size_t count, size_t offset)
{
    assert(numbers && count > 0);
    bool good = true;
    for (size_t i = 0; i < count && good;) {
        size_t last = i;
        while (last + 1 < count && numbers[last + 1] == numbers[last] + 1)
            last++;
        good = shell_put(text, last == i ? "%s%zu" : "%s%zu-%zu", i ? "," : "",
                         numbers[i] + 1 - offset, numbers[last] + 1 - offset);
        i = last + 1;
    }
    return good;
}

/* Calls `mark` for each part of a list such as 1-4,7. False if the text is not such a list. */
static bool mark_ranges(struct jobs *jobs, const char *list,
                        void (*mark)(struct queue_job *job, int64_t when), int64_t when)
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

static void mark_submitting(struct queue_job *job, int64_t when)
{
    free(job->id);
    *job = (struct queue_job){.since = when, .unsure = true};
}

static void mark_cancelled(struct queue_job *job, int64_t when)
{
    (void)when;
    job->cancelled = true;
}

/* "job 3 1234_3 1700000001" */
static bool read_job(struct jobs *jobs, const char *line, bool *out_of_memory)
{
    size_t part;
    int64_t when;
    char *id = NULL;
    if (sscanf(line, "job %zu %ms %" SCNd64, &part, &id, &when) != 3 || part < 1 ||
        part > jobs->count) {
        free(id);
        return false;
    }
    *out_of_memory = !id;
    free(jobs->items[part - 1].id);
    jobs->items[part - 1] = (struct queue_job){.id = id, .since = when};
    return true;
}

static bool read_jobs_line(struct jobs *jobs, const char *line, bool *out_of_memory)
{
    char *list = NULL;
    int64_t when;
    bool good = false;
    if (strncmp(line, "job ", 4) == 0)
        return read_job(jobs, line, out_of_memory);
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

/* A line without an end was being written when the machine stopped, and is ignored. */
static enum status read_jobs_lines(struct jobs *jobs, char *text, struct error *error)
{
    const char *begin = text;
    bool out_of_memory = false;
    int number = 1;
    for (char *end; (end = strchr(text, '\n')); text = end + 1, number++) {
        *end = '\0';
        if (!read_jobs_line(jobs, text, &out_of_memory))
            return error_set(
                error, STATUS_INPUT,
                "%s:%d: \"%.40s\" is not a line that silas-sweep writes, or names a part "
                "that does not exist",
                jobs->path.text, number, text);
        if (out_of_memory)
            return error_memory(error, "the jobs of a sweep");
    }
    jobs->size = text - begin;
    return STATUS_OK;
}

static enum status read_jobs_file(struct jobs *jobs, struct error *error)
{
    struct bytes text = {0};
    enum status status = files_read(jobs->path.text, LARGEST, &text, error);
    if (status == STATUS_OK && !bytes_put(&text, "", 1))
        status = error_memory(error, "the jobs of a sweep");
    status = status ?: read_jobs_lines(jobs, text.data, error);
    bytes_clear(&text);
    return status;
}

/* Locks the file, so that two commands do not submit at the same time. */
static enum status lock_jobs_file(struct jobs *jobs, struct error *error)
{
    jobs->file = open(jobs->path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (jobs->file < 0)
        return error_set(error, STATUS_ENVIRONMENT, "%s: cannot be opened: %s", jobs->path.text,
                         strerror(errno));
    if (flock(jobs->file, LOCK_EX | LOCK_NB) == 0)
        return STATUS_OK;
    return errno == EWOULDBLOCK
               ? error_set(error, STATUS_INPUT,
                           "%s: another silas-sweep is submitting or cancelling jobs of this "
                           "sweep; try again when it has ended",
                           jobs->path.text)
               : error_set(error, STATUS_ENVIRONMENT, "%s: cannot be locked: %s", jobs->path.text,
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
    if (!jobs->items)
        return error_memory(error, "the jobs of a sweep");
    if (use == JOBS_CHANGE)
        status = lock_jobs_file(jobs, error);
    if (status == STATUS_OK && access(jobs->path.text, F_OK) == 0)
        status = read_jobs_file(jobs, error);
    if (status != STATUS_OK)
        jobs_close(jobs);
    return status;
}

void jobs_close(struct jobs *jobs)
{
    for (size_t i = 0; jobs->items && i < jobs->count; i++)
        free(jobs->items[i].id);
    if (jobs->file >= 0)
        close(jobs->file);
    free(jobs->items);
    *jobs = (struct jobs){.file = -1};
}

/* Appends `text` after the last complete line, and waits until it is on the disk. */
static enum status append_to_jobs(struct jobs *jobs, const struct bytes *text, struct error *error)
{
    assert(jobs->file >= 0);
    bool good = ftruncate(jobs->file, jobs->size) == 0;
    for (size_t done = 0; good && done < text->size;) {
        ssize_t size =
            pwrite(jobs->file, text->data + done, text->size - done, jobs->size + (off_t)done);
        good = size > 0 || (size < 0 && errno == EINTR);
        done += size > 0 ? (size_t)size : 0;
    }
    if (!good || fsync(jobs->file) != 0 || (jobs->size == 0 && !files_flush_name(jobs->path.text)))
        return error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", jobs->path.text,
                         strerror(errno));
    jobs->size += (off_t)text->size;
    return STATUS_OK;
}

/* Appends one line with a word, the numbers of the parts, and the time. */
static enum status append_part_list(struct jobs *jobs, const char *word, const size_t *parts,
                                    size_t count, int64_t now, struct error *error)
{
    struct bytes text = {0};
    const bool good = shell_put(&text, "%s ", word) && jobs_put_ranges(&text, parts, count, 0) &&
                      shell_put(&text, " %" PRId64 "\n", now);
    enum status status =
        good ? append_to_jobs(jobs, &text, error) : error_memory(error, "the jobs of a sweep");
    bytes_clear(&text);
    return status;
}

enum status jobs_begin(struct jobs *jobs, enum queue_kind kind, struct error *error)
{
    struct bytes text = {0};
    assert(!jobs_exist(jobs));
    jobs->kind = kind;
    enum status status = shell_put(&text, "queue %s\n", kind_names[kind])
                             ? append_to_jobs(jobs, &text, error)
                             : error_memory(error, "the jobs of a sweep");
    bytes_clear(&text);
    return status;
}

enum status jobs_submitting(struct jobs *jobs, const size_t *parts, size_t count,
                            struct error *error)
{
    assert(parts && count > 0);
    int64_t now = time(NULL);
    for (size_t i = 0; i < count; i++)
        mark_submitting(&jobs->items[parts[i]], now);
    return append_part_list(jobs, "submitting", parts, count, now, error);
}

enum status jobs_submitted(struct jobs *jobs, const size_t *parts, size_t count,
                           const char *const *ids, struct error *error)
{
    assert(parts && ids && count > 0);
    struct bytes text = {0};
    int64_t now = time(NULL);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        struct queue_job *job = &jobs->items[parts[i]];
        assert(parts[i] < jobs->count);
        free(job->id);
        *job = (struct queue_job){.id = strdup(ids[i]), .since = now};
        good = job->id && shell_put(&text, "job %zu %s %" PRId64 "\n", parts[i] + 1, ids[i], now);
    }
    enum status status =
        good ? append_to_jobs(jobs, &text, error) : error_memory(error, "the jobs of a sweep");
    bytes_clear(&text);
    return status;
}

enum status jobs_cancelled(struct jobs *jobs, const size_t *parts, size_t count,
                           struct error *error)
{
    assert(parts || count == 0);
    int64_t now = time(NULL);
    for (size_t i = 0; i < count; i++)
        mark_cancelled(&jobs->items[parts[i]], now);
    return append_part_list(jobs, "cancelled", parts, count, now, error);
}
