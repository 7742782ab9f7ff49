/* Directories are removed with system calls only, so that a signal handler may do it (readdir
 * allocates). */
#include "base/files.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    DEPTH_MAX = 16, /* of directories: our own outputs need 3 */
    ENTRIES_SIZE =
        1 << 12,         /* bytes of directory entries at once, on the stack of a signal handler */
    READ_SIZE = 1 << 12, /* bytes of a file at once: a page */
};

/* A record of getdents64(2). */
struct kernel_entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static bool is_self_or_parent(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void empty_directory(int parent, const char *name, int depth);

static void remove_entry(int directory, const struct kernel_entry *entry, int depth)
{
    if (unlinkat(directory, entry->name, 0) == 0 || (errno != EISDIR && errno != EPERM))
        return;
    empty_directory(directory, entry->name, depth + 1);
    unlinkat(directory, entry->name, AT_REMOVEDIR);
}

static void empty_directory(int parent, const char *name, int depth)
{
    _Alignas(struct kernel_entry) char buffer[ENTRIES_SIZE];
    int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return;
    long size;
    while (depth < DEPTH_MAX &&
           (size = syscall(SYS_getdents64, directory, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < size;) {
            const struct kernel_entry *entry = (const struct kernel_entry *)(buffer + at);
            if (!is_self_or_parent(entry->name))
                remove_entry(directory, entry, depth);
            at += entry->length;
        }
    close(directory);
}

int files_stream_failure(FILE *stream)
{
    int code = errno;
    if (code == 0) {
        clearerr(stream);
        if (fputc('\n', stream) == EOF || fflush(stream) != 0)
            code = errno;
    }
    return code ? code : EIO;
}

bool files_is_terminal(int descriptor)
{
    return isatty(descriptor) && !getenv("OMPI_COMM_WORLD_RANK");
}

bool files_remove_tree(const char *path)
{
    assert(*path);
    if (unlink(path) == 0) /* a symbolic link or a file */
        return true;
    empty_directory(AT_FDCWD, path, 0);
    return rmdir(path) == 0 || errno == ENOENT;
}

bool files_flush_name(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
             slash ? path : ".");
    int handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0)
        return false;
    const bool good = fsync(handle) == 0 || errno == EINVAL;
    close(handle);
    return good;
}

enum status files_read_stream(FILE *file, const char *path, size_t largest, struct bytes *bytes,
                              struct error *error)
{
    char piece[READ_SIZE];
    size_t got, total = 0;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) {
        total += got;
        if (total > largest)
            return error_set(error, STATUS_INPUT, "%s: too large: more than %zu bytes", path,
                             largest);
        if (!bytes_put(bytes, piece, got))
            return error_memory(error, path);
    }
    if (ferror(file))
        return error_set(error, STATUS_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    return STATUS_OK;
}

enum status files_read(const char *path, size_t largest, struct bytes *bytes, struct error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return error_set(error, STATUS_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    enum status status = files_read_stream(file, path, largest, bytes, error);
    fclose(file);
    return status;
}

const char *files_base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash && slash[1] ? slash + 1 : path;
}

bool files_is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

bool files_is_program(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

bool files_find_program(const char *folders, const char *name, char *path, size_t size)
{
    const char *at = folders ? folders : "/usr/bin:/bin";
    for (bool more = *at != '\0'; more;) {
        const size_t length = strcspn(at, ":");
        const int written =
            snprintf(path, size, "%.*s%s%s", (int)length, at, length ? "/" : "./", name);
        if ((size_t)written < size && files_is_program(path))
            return true;
        more = at[length] == ':';
        at += length + more;
    }
    return false;
}
