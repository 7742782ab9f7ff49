#include "base/mpi/job_text.h"

#include "base/files.h"
#include "base/interrupt.h"
#include "base/mpi/part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that are written at once. The usual 4 KiB take three times as long. */
enum { FILE_BUFFER = 1 << 16 };

struct job_text {
    const struct processes *processes;
    FILE *stream;
    char *path, *temporary; /* on process 0; NULL: standard output, or written directly */
    char *chunk;  /* [PART_PIECE]; on process 0 the receive buffer, else the stream's buffer */
    char *buffer; /* [FILE_BUFFER]; of a file */
};

static ssize_t write_to_first(void *cookie, const char *data, size_t size)
{
    const struct job_text *text = cookie;
    for (size_t sent = 0; sent < size; sent += PART_PIECE)
        part_send(text->processes, data + sent,
                  size - sent < PART_PIECE ? size - sent : PART_PIECE);
    return (ssize_t)size;
}

/* The part of one process goes to the file, or nowhere if the file cannot be written. */
static void receive_part(const struct job_text *text, int from)
{
    for (size_t size; (size = part_receive(text->processes, from, text->chunk)) > 0;)
        fwrite(text->chunk, 1, size, text->stream);
}

static enum status output_error(const struct job_text *text, struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s",
                     text->path ? text->path : "standard output", strerror(errno ? errno : EIO));
}

/* Devices and pipes are written directly; a regular file is replaced as a whole. */
static enum status open_output_file(struct job_text *text, const char *path, struct error *error)
{
    const bool special = files_is_special(path);
    text->path = strdup(path);
    if (!text->path ||
        (!special && asprintf(&text->temporary, "%s.part.%ld", path, (long)getpid()) < 0)) {
        text->temporary = NULL;
        return error_memory(error, "the name of a file");
    }
    if (special) {
        text->stream = fopen(path, "w");
    } else {
        interrupt_hold();
        text->stream = fopen(text->temporary, "w");
        if (text->stream)
            interrupt_remove(text->temporary);
        interrupt_release();
    }
    if (!text->stream)
        return output_error(text, error);
    text->buffer = malloc(FILE_BUFFER);
    if (!text->buffer)
        return error_memory(error, "the output");
    setvbuf(text->stream, text->buffer, _IOFBF, FILE_BUFFER);
    return STATUS_OK;
}

static enum status open_part_stream(struct job_text *text, const char *path, struct error *error)
{
    text->chunk = malloc(PART_PIECE);
    if (!text->chunk)
        return error_memory(error, "the output");
    if (text->processes->rank > 0) {
        const cookie_io_functions_t functions = {.write = write_to_first};
        text->stream = fopencookie(text, "w", functions);
        if (!text->stream)
            return error_memory(error, "the output");
        setvbuf(text->stream, text->chunk, _IOFBF, PART_PIECE);
        return STATUS_OK;
    }
    text->stream = stdout;
    return path ? open_output_file(text, path, error) : STATUS_OK;
}

static void free_text(struct job_text *text)
{
    free(text->path);
    free(text->temporary);
    free(text->chunk);
    free(text->buffer);
    free(text);
}

enum status job_text_open(const struct processes *processes, const char *path,
                          struct job_text **result, struct error *error)
{
    *result = NULL;
    if (path && strcmp(path, "-") == 0)
        path = NULL;
    struct job_text *text = calloc(1, sizeof *text);
    enum status status = text ? STATUS_OK : error_memory(error, "the output");
    if (text) {
        text->processes = processes;
        status = open_part_stream(text, path, error);
    }
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK) {
        *result = text;
        return STATUS_OK;
    }
    if (text && text->stream && text->stream != stdout)
        fclose(text->stream);
    if (text && text->temporary) {
        unlink(text->temporary);
        interrupt_remove(NULL);
    }
    if (text)
        free_text(text);
    return status;
}

FILE *job_text_stream(struct job_text *text)
{
    return text->stream;
}

/* Process 0 takes the others' parts. */
void job_text_next(struct job_text *text)
{
    if (text->processes->rank == 0) {
        for (int process = 1; process < text->processes->size; process++)
            receive_part(text, process);
    } else {
        fflush(text->stream);
        part_send(text->processes, NULL, 0);
    }
}

/* Process 0: takes the others' last parts and closes the file. */
static enum status finish_file(struct job_text *text, struct error *error)
{
    enum status status = STATUS_OK;
    job_text_next(text);
    errno = 0;
    if (fflush(text->stream) != 0 || ferror(text->stream)) {
        errno = files_stream_failure(text->stream);
        status = output_error(text, error);
    }
    if (text->stream != stdout && fclose(text->stream) != 0 && status == STATUS_OK)
        status = output_error(text, error);
    return status;
}

enum status job_text_close(struct job_text *text, enum status status, struct error *error)
{
    const struct processes *processes = text->processes;
    if (processes->rank == 0) {
        struct error failure;
        enum status written = finish_file(text, &failure);
        if (status == STATUS_OK && written != STATUS_OK)
            status = error_set(error, written, "%s", failure.text);
    } else {
        fclose(text->stream);
        part_send(processes, NULL, 0);
    }
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK && text->temporary && rename(text->temporary, text->path) != 0)
        status = output_error(text, error);
    if (text->temporary) {
        if (status != STATUS_OK)
            unlink(text->temporary);
        interrupt_remove(NULL);
    }
    free_text(text);
    return processes_agree(processes, status, error);
}
