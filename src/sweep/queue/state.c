#include "sweep/queue/state.h"

#include "base/files.h"
#include "base/launcher.h"
#include "base/log.h"
#include "sweep/part_file.h"
#include "sweep/queue/slurm.h"
#include "sweep/queue/templates.h"

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

void queue_state_clear(struct queue_state *state)
{
    for (size_t i = 0; i < state->count; i++) {
        free(state->ids[i]);
        free(state->words[i]);
    }
    free(state->ids);
    free(state->words);
    free(state->failure);
    *state = (struct queue_state){0};
}

/* Reads lines such as "1234_3 RUNNING node17". False when out of memory. */
static bool read_state_lines(struct queue_state *state, const char *text)
{
    size_t lines = 1;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    state->ids = calloc(lines, sizeof *state->ids);
    state->words = calloc(lines, sizeof *state->words);
    if (!state->ids || !state->words)
        return false;
    while (*text) {
        size_t length = strcspn(text, "\n"), blank = strspn(text, " \t");
        size_t id = strcspn(text + blank, " \t\n");
        if (id > 0) {
            const char *rest = text + blank + id;
            rest += strspn(rest, " \t");
            state->ids[state->count] = strndup(text + blank, id);
            state->words[state->count] = strndup(rest, (size_t)(text + length - rest));
            state->count++;
            if (!state->ids[state->count - 1] || !state->words[state->count - 1])
                return false;
        }
        text += length + (text[length] == '\n');
    }
    return true;
}

/* Reads the last answer. An incomplete file counts as no answer. */
static enum status read_state_file(const char *path, struct queue_state *state, struct error *error)
{
    struct bytes text = {0};
    int64_t asked;
    int begin = 0;
    bool good = true;
    *state = (struct queue_state){0};
    enum status status = files_read(path, LARGEST, &text, error);
    if (status == STATUS_OK)
        good = bytes_put(&text, "", 1);
    if (good && text.size > 1 && strstr(text.data, "\nend\n") &&
        sscanf(text.data, "asked %" SCNd64 "\n%n", &asked, &begin) == 1 && begin > 0) {
        static const char failed[] = "failed ";
        char *rest = text.data + begin;
        strstr(text.data, "\nend\n")[1] = '\0';
        state->asked = asked;
        if (strncmp(rest, failed, strlen(failed)) == 0) {
            rest[strcspn(rest, "\n")] = '\0';
            good = (state->failure = strdup(rest + strlen(failed)));
        } else {
            good = read_state_lines(state, rest);
        }
    }
    bytes_clear(&text);
    return good ? status : error_memory(error, "the queue's answer");
}

static enum status write_state_file(int file, const char *path, const char *failure,
                                    const struct bytes *answer, struct error *error)
{
    struct bytes text = {0};
    const char *lines = answer->data ? answer->data : "";
    const bool ended = !*lines || lines[strlen(lines) - 1] == '\n';
    bool good = shell_put(&text, "asked %" PRId64 "\n", (int64_t)time(NULL));
    if (failure)
        good = good && shell_put(&text, "failed %s\n", failure);
    else
        good = good && shell_put(&text, "%s%s", lines, ended ? "" : "\n");
    good = good && shell_put(&text, "end\n");
    enum status status = good ? STATUS_OK : error_memory(error, "the queue's answer");
    if (good &&
        (ftruncate(file, 0) != 0 || pwrite(file, text.data, text.size, 0) != (ssize_t)text.size))
        status = error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", path,
                           strerror(errno));
    bytes_clear(&text);
    return status;
}

/* Asks the queue, and keeps the answer in the file. */
static enum status ask_and_keep(const struct sweep_folder *folder,
                                const struct queue_launcher *launcher, const struct jobs *jobs,
                                int file, const char *path, struct error *error)
{
    const char **ids = calloc(jobs->count + 1, sizeof *ids);
    struct bytes answer = {0};
    char *failure = NULL;
    size_t count = 0;
    for (size_t i = 0; ids && i < jobs->count; i++)
        if (jobs->items[i].id && !jobs->items[i].cancelled &&
            sweep_part_count_open(folder, &folder->parts[i]) > 0)
            ids[count++] = jobs->items[i].id;
    enum status status = ids ? STATUS_OK : error_memory(error, "the queue's answer");
    if (status == STATUS_OK && count > 0)
        status = launcher->kind == QUEUE_SLURM
                     ? slurm_ask(folder->path, ids, count, &answer, &failure, error)
                     : templates_ask(folder, launcher, ids, count, &answer, &failure, error);
    status = status ?: write_state_file(file, path, failure, &answer, error);
    free(ids);
    free(failure);
    bytes_clear(&answer);
    return status;
}

/* Locks and reads the file, and asks the queue if the interval has passed. `*wait_s`: seconds until
 * an answer can be newer than `since`; 0: this answer is. */
static enum status read_or_ask(const struct sweep_folder *folder,
                               const struct queue_launcher *launcher, const struct jobs *jobs,
                               const char *path, int64_t since, double *wait_s,
                               struct queue_state *state, struct error *error)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || flock(file, LOCK_EX) != 0) {
        enum status status =
            error_set(error, STATUS_ENVIRONMENT, "%s: cannot be locked: %s", path, strerror(errno));
        if (file >= 0)
            close(file);
        return status;
    }
    enum status status = read_state_file(path, state, error);
    double age_s = (double)(time(NULL) - state->asked);
    *wait_s = 0;
    if (status == STATUS_OK && (age_s >= launcher->interval_s || age_s < 0)) {
        queue_state_clear(state);
        status = ask_and_keep(folder, launcher, jobs, file, path, error)
                     ?: read_state_file(path, state, error);
    } else if (state->asked < since) {
        *wait_s = launcher->interval_s - age_s;
    }
    close(file);
    return status;
}

enum status queue_state_ask(const struct sweep_folder *folder,
                            const struct queue_launcher *launcher, const struct jobs *jobs,
                            enum state_age age, struct queue_state *state, struct error *error)
{
    int64_t since = age == STATE_FRESH ? time(NULL) : 0;
    const struct folder_path path = sweep_folder_path(folder, "queue-state");
    double wait_s = 0;
    enum status status = STATUS_OK;
    *state = (struct queue_state){0};
    while (status == STATUS_OK) {
        queue_state_clear(state);
        status = read_or_ask(folder, launcher, jobs, path.text, since, &wait_s, state, error);
        if (status != STATUS_OK || wait_s <= 0)
            break;
        log_note("the queue was queried a moment ago; the next query is in %.0f s", wait_s);
        const struct timespec pause = {(time_t)wait_s,
                                       (long)((wait_s - (double)(time_t)wait_s) * 1e9)};
        nanosleep(&pause, NULL);
    }
    if (status != STATUS_OK)
        queue_state_clear(state);
    return status;
}

enum job_life queue_state_of(const struct queue_state *state, const struct queue_job *job,
                             const char **words)
{
    assert(state && words);
    *words = "";
    if (!job->id || job->cancelled)
        return JOB_NONE;
    if (job->since >= state->asked) {
        *words = "submitted";
        return JOB_ALIVE;
    }
    for (size_t i = 0; i < state->count; i++)
        if (strcmp(state->ids[i], job->id) == 0) {
            *words = state->words[i];
            return JOB_ALIVE;
        }
    return state->failure ? JOB_UNKNOWN : JOB_GONE;
}
