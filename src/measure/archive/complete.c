/* Assembles the archive from the ranks' parts and puts it in its place; recovery. */
#include "measure/archive/archive_private.h"
#include "measure/archive/folded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status move(const char *from_directory, const char *to_directory, const char *name,
                        struct error *error)
{
    char from[4200], to[4200];
    snprintf(from, sizeof from, "%s/%s", from_directory, name);
    snprintf(to, sizeof to, "%s/%s", to_directory, name);
    if (rename(from, to) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_ENVIRONMENT, "cannot move %s to %s: %s", from, to,
                     strerror(errno));
}

/* Moves the event files of a part into the whole archive. */
static enum status move_events(const char *directory, uint32_t rank, const char *archive,
                               struct error *error)
{
    const struct record_path part = archive_part_path(directory, rank);
    char name[64], path[sizeof part + sizeof name];
    for (uint32_t thread = 0;; thread++) {
        snprintf(name, sizeof name, ARCHIVE_NAME "/%llu.evt",
                 (unsigned long long)archive_location(rank, thread));
        snprintf(path, sizeof path, "%s/%s", part.text, name);
        if (access(path, F_OK) != 0)
            return STATUS_OK;
        enum status status = move(part.text, archive, name, error);
        if (status)
            return status;
    }
}

/* Ranks of a world that was not recorded have no keeper that writes their parts. */
static enum status add_missing_part(const char *directory, uint32_t rank, struct error *error)
{
    return access(archive_part_path(directory, rank).text, F_OK) == 0
               ? STATUS_OK
               : archive_write_rank(directory, rank, error);
}

static enum status build_archive(const char *directory, const char *path,
                                 struct archive_summary *summary, struct error *error)
{
    uint32_t size;
    enum status status = archive_remove_tree(path, error);
    if (!status)
        status = archive_rank_count(directory, &size, error);
    for (uint32_t rank = 0; !status && rank < size; rank++)
        status = add_missing_part(directory, rank, error);
    if (status)
        return status;
    OTF2_Archive *archive = archive_open(path, error);
    if (!archive)
        return error->status;
    status = archive_write_definitions(archive, directory, summary, error);
    OTF2_ErrorCode code = OTF2_Archive_Close(archive);
    if (!status)
        status = archive_check(error, path, code);
    for (uint32_t rank = 0; rank < size && !status; rank++)
        status = move_events(directory, rank, path, error);
    return status;
}

/* Removes the old anchor file first and moves the new one last: an archive with an anchor is
 * complete. */
static enum status publish(const char *directory, const char *archive, struct error *error)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/" ARCHIVE_NAME ".otf2", directory);
    if (remove(path) != 0 && errno != ENOENT)
        return error_set(error, STATUS_ENVIRONMENT, "cannot replace %s: %s", path, strerror(errno));
    snprintf(path, sizeof path, "%s/" ARCHIVE_NAME, directory);
    enum status status = archive_remove_tree(path, error);
    if (!status)
        status = move(archive, directory, ARCHIVE_NAME, error);
    if (!status)
        status = move(archive, directory, ARCHIVE_NAME ".def", error);
    if (!status)
        status = move(archive, directory, ARCHIVE_NAME ".otf2", error);
    return status;
}

enum status archive_complete(const char *directory, struct archive_summary *summary,
                             struct error *error)
{
    const struct record_path archive = record_path(directory, "archive");
    enum status status = build_archive(directory, archive.text, summary, error);
    summary->costly[0] = '\0';
    if (!status && summary->recording > ARCHIVE_LARGE_RECORDING)
        archive_name_costly(directory, summary->recording_rank, summary->costly,
                            sizeof summary->costly);
    if (!status)
        status = publish(directory, archive.text, error);
    if (!status)
        status = archive_remove_tree(record_path(directory, "").text, error);
    return status;
}

static int open_locked(const char *path, short type, bool wait)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0 && fcntl(file, wait ? F_SETLKW : F_SETLK, &lock) != 0) {
        close(file);
        return -1;
    }
    return file;
}

enum status archive_rank_done(const char *directory, uint32_t world, uint32_t rank, bool *last,
                              struct error *error)
{
    if (worlds_end(directory, world, rank, last))
        return STATUS_OK;
    return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s",
                     record_path(directory, "worlds").text, strerror(errno));
}

int archive_hold(const char *directory, bool exclusive)
{
    return open_locked(record_path(directory, "live").text, exclusive ? F_WRLCK : F_RDLCK,
                       !exclusive);
}

/* Finds the size of world 0 in the first definitions file that exists; 0: there is none. */
static enum status find_size(const char *directory, uint32_t *size, struct error *error)
{
    enum { RANKS_ASKED = 64 };
    *size = 0;
    for (uint32_t rank = 0; rank < RANKS_ASKED && *size == 0; rank++) {
        struct rank_definitions definitions;
        enum status status = rank_definitions_read(directory, rank, &definitions, error);
        if (status)
            return status;
        if (definitions.present)
            *size = definitions.size;
        rank_definitions_free(&definitions);
    }
    return STATUS_OK;
}

enum status archive_read_worlds(const char *directory, struct world **worlds, size_t *count,
                                struct error *error)
{
    uint32_t size;
    if (worlds_read(directory, worlds, count) && *count > 0)
        return STATUS_OK;
    free(*worlds);
    enum status status = find_size(directory, &size, error); /* the file is lost */
    if (status)
        return status;
    if (size == 0)
        return error_set(error, STATUS_INPUT, "%s/records holds no records of an MPI program",
                         directory);
    *count = 1;
    *worlds = calloc(1, sizeof **worlds);
    if (!*worlds)
        return error_memory(error, "ranks");
    (*worlds)[0] = (struct world){.size = size, .creator = RECORD_NONE};
    return STATUS_OK;
}

enum status archive_rank_count(const char *directory, uint32_t *count, struct error *error)
{
    struct world *worlds;
    size_t world_count;
    enum status status = archive_read_worlds(directory, &worlds, &world_count, error);
    if (status)
        return status;
    *count = worlds_rank_count(worlds, world_count);
    free(worlds);
    return STATUS_OK;
}

enum status archive_recover(const char *directory, struct archive_summary *summary,
                            struct error *error)
{
    uint32_t size;
    enum status status = archive_rank_count(directory, &size, error);
    if (!status)
        status = archive_take_reduced(directory, size, error);
    for (uint32_t rank = 0; !status && rank < size; rank++)
        status = archive_write_rank(directory, rank, error);
    if (!status)
        status = archive_complete(directory, summary, error);
    return status;
}
