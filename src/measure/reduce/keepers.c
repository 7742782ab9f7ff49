#include "measure/reduce/keepers.h"

#include "measure/archive/folded.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    NICENESS = 10,           /* beside the program, on a full node about a tenth of a core */
    PAUSE_NS = 2 * 1000000,  /* between two looks at the other ranks */
    LATEST_BEGIN = 10 * 500, /* looks until a keeper that has not begun is taken for dead */
};

static void nap(void)
{
    const struct timespec pause = {0, PAUSE_NS};
    nanosleep(&pause, NULL);
}

static void rank_path(const struct reducer *reducer, uint32_t rank, char *path, size_t size)
{
    snprintf(path, size, "%s/records/rank-%u.keeper", reducer->directory, rank);
}

static void common_path(const struct reducer *reducer, char *path, size_t size)
{
    snprintf(path, size, "%s/records/reducer", reducer->directory);
}

/* A locked file that appears under its name when it is locked. -1: failed. */
static int lock_new(const char *path)
{
    char temporary[4300];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf(temporary, sizeof temporary, "%s.new", path);
    int file = open(temporary, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0 && (fcntl(file, F_SETLK, &lock) != 0 || rename(temporary, path) != 0)) {
        close(file);
        return -1;
    }
    return file;
}

static void unlock(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

enum holding { HELD, RELEASED, ABSENT };

static enum holding look(const char *path)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return ABSENT;
    bool held = fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(file);
    return held ? HELD : RELEASED;
}

static void give_up(struct reducer *reducer, const struct error *error)
{
    log_error(error);
    reduction_close(reducer->reduction);
    reducer->reduction = NULL;
    unlock(&reducer->common);
}

void reducer_begin(struct reducer *reducer, const char *directory, uint32_t rank, uint32_t size,
                   const struct run_assumptions *assumptions)
{
    char path[4200];
    struct error error;
    *reducer = (struct reducer){.directory = directory, .rank = rank, .size = size};
    rank_path(reducer, rank, path, sizeof path);
    reducer->own = lock_new(path);
    reducer->common = -1;
    if (rank != 0)
        return;
    common_path(reducer, path, sizeof path);
    reducer->common = lock_new(path);
    setpriority(PRIO_PROCESS, 0, NICENESS);
    if (reduction_open(directory, size, assumptions, &reducer->reduction, &error))
        give_up(reducer, &error);
}

void reducer_step(struct reducer *reducer)
{
    struct error error;
    if (reducer->reduction && reduction_step(reducer->reduction, &error))
        give_up(reducer, &error);
}

/* The other ranks' files are complete when their keepers say that they have ended. */
static void wait_for_ranks(struct reducer *reducer)
{
    char path[4200];
    for (uint32_t rank = 1, looks = 0; rank < reducer->size && reducer->reduction;) {
        rank_path(reducer, rank, path, sizeof path);
        enum holding holding = look(path);
        if (holding == RELEASED || (holding == ABSENT && ++looks >= LATEST_BEGIN)) {
            rank++;
            looks = 0;
            continue;
        }
        reducer_step(reducer);
        nap();
    }
}

static void finish(struct reducer *reducer)
{
    struct error error;
    wait_for_ranks(reducer);
    if (!reducer->reduction)
        return;
    if (reduction_finish(reducer->reduction, &error))
        give_up(reducer, &error);
    reduction_close(reducer->reduction);
    reducer->reduction = NULL;
}

static void wait_for_reducer(const struct reducer *reducer)
{
    char path[4200];
    common_path(reducer, path, sizeof path);
    for (uint32_t looks = 0; looks < LATEST_BEGIN;) {
        enum holding holding = look(path);
        if (holding == RELEASED)
            return;
        looks += holding == ABSENT;
        nap();
    }
}

enum status reducer_end(struct reducer *reducer, struct error *error)
{
    unlock(&reducer->own);
    if (reducer->rank == 0)
        finish(reducer);
    else
        wait_for_reducer(reducer);
    unlock(&reducer->common);
    return archive_take_reduced(reducer->directory, 0, error);
}
