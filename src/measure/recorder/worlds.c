#include "measure/recorder/worlds.h"

#include "measure/recorder/record_path.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static_assert(sizeof(struct world) == 32, "worlds are written without padding");

/* The file while it is locked. */
struct worlds_file {
    int file;
    struct world *items; /* with room for one more */
    size_t count;
};

/* Closes the file, which releases the lock. Keeps errno. */
static void worlds_close(struct worlds_file *worlds)
{
    const int code = errno;
    if (worlds->file >= 0)
        close(worlds->file);
    free(worlds->items);
    *worlds = (struct worlds_file){.file = -1};
    errno = code;
}

static bool lock_whole(int file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int result;
    while ((result = fcntl(file, F_SETLKW, &lock)) != 0 && errno == EINTR)
        ;
    return result == 0;
}

static bool read_items(struct worlds_file *worlds)
{
    struct stat status;
    if (fstat(worlds->file, &status) != 0)
        return false;
    const size_t size = (size_t)status.st_size;
    worlds->count = size / sizeof *worlds->items;
    worlds->items = calloc(worlds->count + 1, sizeof *worlds->items);
    if (!worlds->items)
        return false;
    const ssize_t done = pread(worlds->file, worlds->items, size, 0);
    if (done >= 0 && (size_t)done != size)
        errno = EIO;
    return done >= 0 && (size_t)done == size;
}

static bool worlds_open(struct worlds_file *worlds, const char *directory)
{
    *worlds = (struct worlds_file){.file = -1};
    worlds->file = open(record_path(directory, "worlds").text, O_RDWR | O_CLOEXEC);
    if (worlds->file >= 0 && lock_whole(worlds->file) && read_items(worlds))
        return true;
    worlds_close(worlds);
    return false;
}

/* Writes `count` items and closes the file. */
static bool worlds_store(struct worlds_file *worlds, size_t first, size_t count)
{
    const size_t size = count * sizeof *worlds->items;
    const off_t place = (off_t)(first * sizeof *worlds->items);
    const ssize_t done = pwrite(worlds->file, &worlds->items[first], size, place);
    if (done >= 0 && (size_t)done != size)
        errno = ENOSPC;
    worlds_close(worlds);
    return done >= 0 && (size_t)done == size;
}

static struct world *find_world(const struct worlds_file *worlds, uint32_t first)
{
    for (size_t i = worlds->count; i > 0; i--)
        if (worlds->items[i - 1].first == first)
            return &worlds->items[i - 1];
    return NULL;
}

bool worlds_create(const char *directory, uint32_t size)
{
    assert(size > 0);
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    struct worlds_file worlds = {open(record_path(directory, "worlds").text, flags, 0666), NULL, 1};
    worlds.items = calloc(1, sizeof *worlds.items);
    if (worlds.file < 0 || !worlds.items) {
        worlds_close(&worlds);
        return false;
    }
    worlds.items[0] = (struct world){
        .size = size, .creator = RECORD_NONE, .started = size, .initialised = size, .settled = 1};
    return worlds_store(&worlds, 0, 1);
}

bool worlds_add(const char *directory, uint32_t size, uint32_t creator, uint32_t *first)
{
    assert(size > 0);
    struct worlds_file worlds;
    if (!worlds_open(&worlds, directory))
        return false;
    const size_t count = worlds.count;
    const struct world *last = count > 0 ? &worlds.items[count - 1] : NULL;
    *first = last ? last->first + last->size : 0;
    if (!last || size > RECORD_NONE - 1 - *first) {
        worlds_close(&worlds);
        errno = EOVERFLOW;
        return false;
    }
    worlds.items[count] = (struct world){.first = *first, .size = size, .creator = creator};
    return worlds_store(&worlds, count, 1);
}

/* What happens to a process of a world. */
enum world_event { WORLD_SETTLES, WORLD_STARTS, WORLD_INITIALISES };

static bool note_process(const char *directory, uint32_t first, enum world_event event)
{
    struct worlds_file worlds;
    if (!worlds_open(&worlds, directory))
        return false;
    struct world *world = find_world(&worlds, first);
    if (!world || (event == WORLD_STARTS && world->settled)) {
        worlds_close(&worlds);
        errno = 0;
        return false;
    }
    world->settled |= event == WORLD_SETTLES;
    world->started += event == WORLD_STARTS;
    world->initialised += event == WORLD_INITIALISES;
    return worlds_store(&worlds, (size_t)(world - worlds.items), 1);
}

bool worlds_settle(const char *directory, uint32_t first)
{
    return note_process(directory, first, WORLD_SETTLES);
}

bool worlds_start(const char *directory, uint32_t first)
{
    return note_process(directory, first, WORLD_STARTS);
}

bool worlds_initialise(const char *directory, uint32_t first)
{
    return note_process(directory, first, WORLD_INITIALISES);
}

static bool world_is_recorded(const struct world *world)
{
    return world->initialised == world->size;
}

bool worlds_is_recorded(const char *directory, uint32_t first)
{
    struct worlds_file worlds;
    if (!worlds_open(&worlds, directory))
        return false;
    const struct world *world = find_world(&worlds, first);
    const bool recorded = world && world_is_recorded(world);
    worlds_close(&worlds);
    return recorded;
}

/* Whether none of its processes is awaited. */
static bool world_has_ended(const struct world *world)
{
    return world->ended == world->started && (world->settled || world->started == world->size);
}

bool worlds_end(const char *directory, uint32_t first, uint32_t rank, bool *last)
{
    struct worlds_file worlds;
    *last = false;
    if (!worlds_open(&worlds, directory))
        return false;
    struct world *own = find_world(&worlds, first);
    if (!own) {
        worlds_close(&worlds);
        errno = EINVAL;
        return false;
    }
    own->ended++;
    *last = true;
    for (size_t i = 0; i < worlds.count; i++) {
        worlds.items[i].settled |= rank != RECORD_NONE && worlds.items[i].creator == rank;
        *last = *last && world_has_ended(&worlds.items[i]);
    }
    for (size_t i = 0; i < worlds.count && *last; i++)
        worlds.items[i].settled = 1;
    return worlds_store(&worlds, 0, worlds.count);
}

bool worlds_read(const char *directory, struct world **list, size_t *count)
{
    struct worlds_file worlds;
    *list = NULL;
    *count = 0;
    if (!worlds_open(&worlds, directory))
        return false;
    for (size_t i = 0; i < worlds.count; i++)
        if (world_is_recorded(&worlds.items[i]))
            worlds.items[(*count)++] = worlds.items[i];
    *list = worlds.items;
    worlds.items = NULL;
    worlds_close(&worlds);
    return true;
}

uint32_t worlds_rank_count(const struct world *worlds, size_t count)
{
    return count > 0 ? worlds[count - 1].first + worlds[count - 1].size : 0;
}

const struct world *worlds_of_rank(const struct world *worlds, size_t count, uint32_t rank)
{
    for (size_t i = 0; i < count; i++)
        if (rank >= worlds[i].first && rank - worlds[i].first < worlds[i].size)
            return &worlds[i];
    return NULL;
}
