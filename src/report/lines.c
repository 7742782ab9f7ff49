/* Lines are formatted row by row; a row is a metric at a call path. Each process sends the lines of
 * its values to process 0, in pieces of bounded size. A few pieces are in flight at a time, so that
 * a process formats lines while process 0 is busy with the previous row. Process 0 merges the rows:
 * its own lines, then those of process 1, and so on. */
#include "report/lines.h"

#include "base/mpi/mail.h"
#include "report/report_file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE_TEXT = 64 * 1024, /* bytes, and room for the longest line */
    PIECES = 2,             /* that each process may have in flight at least ... */
    MORE_PIECES = 64,       /* ... and more of them that all processes may have together */
    TAG = 0
};

#define NO_ROW UINT64_MAX

struct own_lines {
    const struct line_format *format;
    const struct severity *run;
    void *lines; /* of the format */
    size_t longest;
    uint64_t row;  /* metric x path count + path; NO_ROW: at the end */
    uint32_t next; /* value of the row */
};

static enum metric metric_of(const struct own_lines *own)
{
    return (enum metric)(own->row / own->run->path_count);
}

static uint32_t path_of_part(const struct own_lines *own)
{
    return (uint32_t)(own->row % own->run->path_count);
}

/* Advances from `row` to the next row that has values. */
static void find_row(struct own_lines *own, uint64_t row)
{
    const uint64_t end = (uint64_t)own->run->metric_count * own->run->path_count;
    own->next = 0;
    for (own->row = row; own->row < end; own->row++)
        if (severity_row(own->run, metric_of(own), path_of_part(own)).count > 0)
            return;
    own->row = NO_ROW;
}

/* False when memory is out; then nothing is left to close. */
static bool open_line_buffer(struct own_lines *own, const struct line_format *format,
                             const struct severity *run)
{
    *own = (struct own_lines){.format = format, .run = run};
    own->lines = format->open(run, &own->longest);
    find_row(own, 0);
    return own->lines != NULL;
}

static void close_line_buffer(struct own_lines *own)
{
    if (own->lines)
        own->format->close(own->lines);
}

/* As `write` of the format. */
static size_t more_lines(struct own_lines *own, char *text, size_t room)
{
    return own->format->write(own->lines, metric_of(own), path_of_part(own), &own->next, text,
                              room);
}

/* A piece is its size, then chunks: this head and lines of one row. The last piece has none. */
struct chunk_head {
    uint64_t row;
    uint64_t size; /* bytes of lines */
};

/* A ring of pieces: one is filled while the others are in flight. */
struct sender {
    const struct processes *processes;
    char *pieces;                  /* [count x room] */
    struct mail_sending *sendings; /* [count] */
    uint32_t count, current;
    size_t size, room; /* bytes of the current piece */
};

static size_t piece_room(const struct own_lines *own)
{
    return sizeof(uint64_t) + sizeof(struct chunk_head) + PIECE_TEXT + own->longest;
}

static void close_sender(struct sender *sender)
{
    free(sender->pieces);
    free(sender->sendings);
    *sender = (struct sender){.pieces = NULL};
}

/* False when memory is out; then nothing is left to close. */
static bool open_sender(struct sender *sender, const struct processes *processes, size_t room)
{
    const uint32_t count = PIECES + MORE_PIECES / (uint32_t)(processes->size - 1);
    *sender = (struct sender){.processes = processes,
                              .pieces = malloc(count * room),
                              .sendings = calloc(count, sizeof *sender->sendings),
                              .count = count,
                              .size = sizeof(uint64_t),
                              .room = room};
    if (sender->pieces && sender->sendings)
        return true;
    close_sender(sender);
    return false;
}

static char *current_piece(const struct sender *sender)
{
    return sender->pieces + sender->current * sender->room;
}

/* Sends the piece and waits until the next one may be filled. */
static void send_lines_piece(struct sender *sender)
{
    const uint64_t size = sender->size;
    memcpy(current_piece(sender), &size, sizeof size);
    mail_start(sender->processes, &sender->sendings[sender->current], 0, TAG, current_piece(sender),
               size);
    sender->current = (sender->current + 1) % sender->count;
    mail_finish(sender->processes, &sender->sendings[sender->current]);
    sender->size = sizeof size;
}

static void send_line_row(struct sender *sender, struct own_lines *own)
{
    struct chunk_head head = {.row = own->row};
    do {
        if (sender->room - sender->size < sizeof head + own->longest)
            send_lines_piece(sender);
        char *at = current_piece(sender) + sender->size;
        head.size = more_lines(own, at + sizeof head, sender->room - sender->size - sizeof head);
        memcpy(at, &head, sizeof head);
        sender->size += head.size > 0 ? sizeof head + head.size : 0;
    } while (head.size > 0);
}

/* Sends the lines of a process's store and frees its values. */
static void send_own_lines(struct sender *sender, struct own_lines *own, struct severity *local)
{
    for (; own->row != NO_ROW; find_row(own, own->row + 1)) {
        send_line_row(sender, own);
        severity_row_clear(local, metric_of(own), path_of_part(own));
    }
    if (sender->size > sizeof(uint64_t))
        send_lines_piece(sender);
    send_lines_piece(sender);
    for (uint32_t i = 0; i < sender->count; i++)
        mail_finish(sender->processes, &sender->sendings[i]);
}

/* Lines from another process. */
struct line_part {
    char *piece;
    uint64_t at, size;       /* bytes of the piece */
    struct chunk_head chunk; /* the next one, whose lines are at `at`; row NO_ROW: at the end */
};

/* The state of process 0, which merges and writes. */
struct line_merge {
    const struct processes *processes; /* NULL: this process only */
    struct own_lines own;
    char *text; /* lines that are not yet written */
    size_t size, room;
    struct line_part *parts; /* [process - 1] */
    int part_count;
};

static void close_merge(struct line_merge *merge)
{
    for (int i = 0; merge->parts && i < merge->part_count; i++)
        free(merge->parts[i].piece);
    free(merge->parts);
    free(merge->text);
    close_line_buffer(&merge->own);
    *merge = (struct line_merge){.part_count = 0};
}

/* False when memory is out; then nothing is left to close. */
static bool open_merge(struct line_merge *merge, const struct line_format *format,
                       const struct severity *run, const struct processes *processes)
{
    *merge = (struct line_merge){.processes = processes,
                                 .part_count = processes ? processes->size - 1 : 0};
    bool opened = open_line_buffer(&merge->own, format, run);
    merge->room = piece_room(&merge->own);
    merge->text = malloc(merge->room);
    merge->parts = calloc((size_t)merge->part_count + 1, sizeof *merge->parts);
    opened = opened && merge->text && merge->parts;
    for (int i = 0; i < merge->part_count && opened; i++)
        opened = (merge->parts[i].piece = malloc(merge->room)) != NULL;
    if (!opened)
        close_merge(merge);
    return opened;
}

static void receive_piece(const struct line_merge *merge, struct line_part *part)
{
    mail_wait(merge->processes, 1 + (int)(part - merge->parts), TAG, part->piece, merge->room);
    memcpy(&part->size, part->piece, sizeof part->size);
    part->at = sizeof part->size;
}

/* Advances to the next chunk of a part after all lines of the last one are written. */
static void find_chunk(const struct line_merge *merge, struct line_part *part)
{
    if (part->at == part->size)
        receive_piece(merge, part);
    if (part->at == part->size) {
        part->chunk.row = NO_ROW;
        return;
    }
    memcpy(&part->chunk, part->piece + part->at, sizeof part->chunk);
    part->at += sizeof part->chunk;
}

static bool flush_lines(struct line_merge *merge, FILE *stream)
{
    const size_t size = merge->size;
    merge->size = 0;
    return fwrite(merge->text, 1, size, stream) == size;
}

static bool write_own_row(struct line_merge *merge, FILE *stream)
{
    size_t more;
    while ((more = more_lines(&merge->own, merge->text + merge->size, merge->room - merge->size))) {
        merge->size += more;
        if (merge->room - merge->size < merge->own.longest && !flush_lines(merge, stream))
            return false;
    }
    find_row(&merge->own, merge->own.row + 1);
    return true;
}

static bool write_row_of(struct line_merge *merge, struct line_part *part, uint64_t row,
                         FILE *stream)
{
    bool written = flush_lines(merge, stream);
    while (written && part->chunk.row == row) {
        written = fwrite(part->piece + part->at, 1, part->chunk.size, stream) == part->chunk.size;
        part->at += part->chunk.size;
        find_chunk(merge, part);
    }
    return written;
}

static uint64_t lowest_row(const struct line_merge *merge)
{
    uint64_t row = merge->own.row;
    for (int i = 0; i < merge->part_count; i++)
        if (merge->parts[i].chunk.row < row)
            row = merge->parts[i].chunk.row;
    return row;
}

static bool write_owned_rows(struct line_merge *merge, FILE *stream)
{
    uint64_t row;
    for (int i = 0; i < merge->part_count; i++)
        find_chunk(merge, &merge->parts[i]);
    while ((row = lowest_row(merge)) != NO_ROW) {
        if (merge->own.row == row && !write_own_row(merge, stream))
            return false;
        for (int i = 0; i < merge->part_count; i++)
            if (merge->parts[i].chunk.row == row &&
                !write_row_of(merge, &merge->parts[i], row, stream))
                return false;
    }
    return flush_lines(merge, stream);
}

static bool write_merge(const void *what, FILE *stream)
{
    return write_owned_rows(*(struct line_merge *const *)what, stream);
}

/* After a failed write, receives and drops the remaining pieces, so that the other processes can
 * finish. */
static void receive_rest(const struct line_merge *merge)
{
    for (int i = 0; i < merge->part_count; i++)
        while (merge->parts[i].chunk.row != NO_ROW) {
            merge->parts[i].at = merge->parts[i].size;
            find_chunk(merge, &merge->parts[i]);
        }
}

bool lines_write(const struct line_format *format, const struct severity *run, FILE *stream)
{
    assert(format->open && format->write && format->close);
    struct line_merge merge;
    const bool written = open_merge(&merge, format, run, NULL) && write_owned_rows(&merge, stream);
    close_merge(&merge);
    return written;
}

static const char purpose[] = "the lines of a report"; /* of memory */

/* Collective: the part of process 0. */
static enum status write_merged(const struct line_format *format, const struct severity *local,
                                const struct processes *processes, const char *path,
                                struct error *error)
{
    struct line_merge merge, *what = &merge;
    const bool opened = open_merge(&merge, format, local, processes);
    enum status status = processes_agree_memory(processes, opened, purpose, error);
    if (status == STATUS_OK) {
        status = report_file_write(path, write_merge, &what, error);
        receive_rest(&merge);
        status = processes_agree(processes, status, error);
    }
    close_merge(&merge);
    return status;
}

/* Collective: the part of the other processes. */
static enum status send_lines(const struct line_format *format, struct severity *local,
                              const struct processes *processes, struct error *error)
{
    struct own_lines own;
    struct sender sender = {.pieces = NULL};
    const bool opened =
        open_line_buffer(&own, format, local) && open_sender(&sender, processes, piece_room(&own));
    enum status status = processes_agree_memory(processes, opened, purpose, error);
    if (status == STATUS_OK) {
        send_own_lines(&sender, &own, local);
        status = processes_agree(processes, STATUS_OK, error);
    }
    close_sender(&sender);
    close_line_buffer(&own);
    return status;
}

enum status lines_write_together(const struct line_format *format, struct severity *local,
                                 const struct processes *processes, const char *path,
                                 struct error *error)
{
    assert(format->open && format->write && format->close);
    return processes->rank == 0 ? write_merged(format, local, processes, path, error)
                                : send_lines(format, local, processes, error);
}
