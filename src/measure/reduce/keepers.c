#include "measure/reduce/keepers.h"

#include "measure/archive/folded.h"
#include "measure/recorder/record_path.h"

#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    NICENESS = 10,           /* on a fully used node this leaves about a tenth of a core */
    PAUSE_NS = 2 * 1000000,  /* between two checks of the other ranks' locks */
    LATEST_BEGIN = 10 * 500, /* checks after which a keeper without a lock is taken to have ended */
};

static void pause_between_looks(void)
{
    const struct timespec pause = {0, PAUSE_NS};
    nanosleep(&pause, NULL);
}

static struct record_path lock_of_rank(const struct reducer *reducer, uint32_t rank)
{
    return record_path_of_rank(reducer->directory, rank, "keeper");
}

static struct record_path lock_of_reducer(const struct reducer *reducer)
{
    return record_path(reducer->directory, "reducer");
}

/* Makes a locked file, which appears under its name after it was locked. -1 on failure. */
static int lock_new(struct record_path path)
{
    char temporary[sizeof path + 8];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf(temporary, sizeof temporary, "%s.new", path.text);
    int file = open(temporary, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0 && (fcntl(file, F_SETLK, &lock) != 0 || rename(temporary, path.text) != 0)) {
        close(file);
        return -1;
    }
    return file;
}

static void release_lock(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

enum holding { HELD, RELEASED, ABSENT };

static enum holding look_at_lock(struct record_path path)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open(path.text, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return ABSENT;
    bool held = fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(file);
    return held ? HELD : RELEASED;
}

static void abandon_reduction(struct reducer *reducer, const struct error *error)
{
    log_error(error);
    run_reduction_close(reducer->reduction);
    reducer->reduction = NULL;
    release_lock(&reducer->common);
}

void reducer_begin(struct reducer *reducer, const char *directory, uint32_t rank, uint32_t size,
                   const struct run_assumptions *assumptions)
{
    assert(rank < size);
    struct error error;
    *reducer = (struct reducer){.directory = directory, .rank = rank, .size = size};
    reducer->own = lock_new(lock_of_rank(reducer, rank));
    reducer->common = -1;
    if (rank != 0)
        return;
    reducer->common = lock_new(lock_of_reducer(reducer));
    setpriority(PRIO_PROCESS, 0, NICENESS);
    if (run_reduction_open(directory, size, assumptions, &reducer->reduction, &error))
        abandon_reduction(reducer, &error);
}

void reducer_step(struct reducer *reducer)
{
    struct error error;
    if (reducer->reduction && run_reduction_step(reducer->reduction, &error))
        abandon_reduction(reducer, &error);
}

/* The other ranks' files are complete when their keepers have released their locks. */
static void wait_for_ranks(struct reducer *reducer)
{
    for (uint32_t rank = 1, looks = 0; rank < reducer->size && reducer->reduction;) {
        enum holding holding = look_at_lock(lock_of_rank(reducer, rank));
        if (holding == RELEASED || (holding == ABSENT && ++looks >= LATEST_BEGIN)) {
            rank++;
            looks = 0;
            continue;
        }
        reducer_step(reducer);
        pause_between_looks();
    }
}

static void finish_reduction(struct reducer *reducer)
{
    struct error error;
    wait_for_ranks(reducer);
    if (!reducer->reduction)
        return;
    if (run_reduction_finish(reducer->reduction, &error))
        abandon_reduction(reducer, &error);
    run_reduction_close(reducer->reduction);
    reducer->reduction = NULL;
}

static void wait_for_reducer(const struct reducer *reducer)
{
    for (uint32_t looks = 0; looks < LATEST_BEGIN;) {
        enum holding holding = look_at_lock(lock_of_reducer(reducer));
        if (holding == RELEASED)
            return;
        looks += holding == ABSENT;
        pause_between_looks();
    }
}

enum status reducer_end(struct reducer *reducer, struct error *error)
{
    assert(reducer->rank < reducer->size);
    release_lock(&reducer->own);
    if (reducer->rank == 0)
        finish_reduction(reducer);
    else
        wait_for_reducer(reducer);
    release_lock(&reducer->common);
    return archive_take_reduced(reducer->directory, 0, error);
}
