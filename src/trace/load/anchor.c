/* Layout of an anchor file of format version 3 (written by OTF2 2 and 3), found by inspection; OTF2
 * 3 reads version 2 and all later ones in the same way: 12 bytes of magic and versions, two chunk
 * sizes and two bytes, the numbers of locations and definitions, then texts that end in 0: machine,
 * creator, description; the number of properties (4 bytes), two texts for each, and the trace's
 * identity. */
#include "base/names.h"
#include "trace/load/load_private.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ANCHOR_SIZE_LIMIT = 1 << 24, /* larger files are left to the library */
    MAGIC_OFFSET = 2,
    FORMAT_OFFSET = 7,
    TEXTS_OFFSET = 46,
    LITTLE_ENDIAN_MARK = 'B', /* the second byte */
};

static const char magic[] = {'O', 'T', 'F', '2'};

/* Whether silas-trace has recorded there, and has not written the archive. */
static bool has_records(const char *directory)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/records", directory);
    return access(path, F_OK) == 0;
}

/* Finds the only anchor file in a directory. */
static enum status anchor_in(const char *directory, char **path, struct error *error)
{
    DIR *dir = opendir(directory);
    if (!dir)
        return error_set(error, STATUS_INPUT, "%s: %s", directory, strerror(errno));
    size_t found = 0, length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (!name_ends_with(entry->d_name, ".otf2") || found++)
            continue;
        if (asprintf(path, "%.*s/%s", (int)length, directory, entry->d_name) < 0)
            *path = NULL;
    }
    closedir(dir);
    if (found == 1)
        return *path ? STATUS_OK : error_memory(error, "the path of the trace");
    free(*path);
    *path = NULL;
    if (found == 0 && has_records(directory))
        return error_set(error, STATUS_INPUT,
                         "%s: silas-trace has not written the archive yet: wait until the job has "
                         "ended, or if it was killed, run silas-trace --recover %s",
                         directory, directory);
    return error_set(error, STATUS_INPUT,
                     found ? "%s: this directory holds several .otf2 files; name the one to load"
                           : "%s: this directory holds no .otf2 file; name the directory of "
                             "an archive, as silas-trace -o does",
                     directory);
}

static enum status choose_anchor(const char *given, char **path, struct error *error)
{
    struct stat info;
    if (stat(given, &info) != 0)
        return error_set(error, STATUS_INPUT, "%s: %s", given, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return anchor_in(given, path, error);
    if (!name_ends_with(given, ".otf2"))
        return error_set(error, STATUS_INPUT,
                         "%s: not an OTF2 archive: name its anchor file, which ends in .otf2, or "
                         "the directory that holds it",
                         given);
    *path = strdup(given);
    return *path ? STATUS_OK : error_memory(error, "a path");
}

static bool begins_as_archive(const unsigned char *bytes, size_t size)
{
    return size >= MAGIC_OFFSET + sizeof magic &&
           memcmp(bytes + MAGIC_OFFSET, magic, sizeof magic) == 0;
}

/* Moves `*at` to the byte after `count` texts. False if the file ends before. */
static bool skip_texts(const unsigned char *bytes, size_t size, size_t *at, uint64_t count)
{
    for (; count > 0; count--) {
        *at += *at < size ? strnlen((const char *)bytes + *at, size - *at) + 1 : 1;
        if (*at > size)
            return false;
    }
    return true;
}

/* True if the file contains all the texts that it announces. The library would read texts without
 * an end beyond the end of its memory. */
static bool anchor_is_complete(const unsigned char *bytes, size_t size)
{
    size_t at = TEXTS_OFFSET;
    uint32_t properties;
    if (!skip_texts(bytes, size, &at, 3))
        return false;
    if (bytes[FORMAT_OFFSET] < 2)
        return true;
    if (size - at < sizeof properties)
        return false;
    memcpy(&properties, bytes + at, sizeof properties);
    at += sizeof properties;
    return skip_texts(
        bytes, size, &at,
        2 * (uint64_t)(bytes[1] == LITTLE_ENDIAN_MARK ? le32toh(properties) : be32toh(properties)));
}

static enum status inspect_anchor(const char *path, struct error *error)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    bool small = file && fstat(fileno(file), &info) == 0 && info.st_size < ANCHOR_SIZE_LIMIT;
    size_t room = small ? (size_t)info.st_size : 0;
    unsigned char *bytes = malloc(room + 1);
    enum status status = STATUS_OK;
    if (!file) {
        status = error_set(error, STATUS_INPUT, "%s: %s", path, strerror(errno));
    } else if (!bytes) {
        status = error_memory(error, "an anchor file");
    } else {
        size_t size = fread(bytes, 1, room, file);
        if (small && !begins_as_archive(bytes, size))
            status = error_set(error, STATUS_INPUT,
                               "%s: not an OTF2 archive: this file does not begin like an anchor "
                               "file",
                               path);
        else if (small && !anchor_is_complete(bytes, size))
            status = error_set(error, STATUS_INPUT,
                               "%s: this anchor file is damaged: it announces more texts than its "
                               "%zu bytes have",
                               path, size);
    }
    free(bytes);
    if (file)
        fclose(file);
    return status;
}

enum status anchor_find(const char *given, char **path, struct error *error)
{
    *path = NULL;
    enum status status = choose_anchor(given, path, error);
    if (status == STATUS_OK)
        status = inspect_anchor(*path, error);
    if (status != STATUS_OK) {
        free(*path);
        *path = NULL;
    }
    return status;
}
