#include "measure/reduce/keepers.h"

#include "measure/archive/folded.h"
#include "measure/archive/rank_definitions.h"
#include "measure/recorder/record_path.h"

#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

/* Begins the reduction when the definitions of all ranks can be read. With `last`, prints a note if
 * they cannot. */
static void open_reduction(struct reducer *reducer, bool last)
{
    struct error error;
    if (run_reduction_open(reducer->directory, reducer->size, reducer->assumptions,
                           last ? NULL : &reducer->later, &reducer->reduction, &error))
        abandon_reduction(reducer, &error);
    if (reducer->reduction)
        setpriority(PRIO_PROCESS, 0, NICENESS);
}

/* Finds out whether the rank is on another host than rank 0. */
static void locate_rank(struct reducer *reducer)
{
    struct rank_definitions first, own;
    struct error error;
    if (rank_definitions_read(reducer->directory, 0, &first, &error))
        return;
    if (rank_definitions_read(reducer->directory, reducer->rank, &own, &error) == STATUS_OK) {
        reducer->later = !first.present || !own.present;
        reducer->remote = !reducer->later && strcmp(first.boot_id, own.boot_id) != 0;
        if (reducer->remote)
            reducer->client = clock_client_begin(reducer->directory, own.boot_id,
                                                 &(struct clock){.tsc = own.tsc});
        rank_definitions_free(&own);
    }
    rank_definitions_free(&first);
    if (reducer->remote)
        remote_records_open(&reducer->records, reducer->directory, reducer->rank);
}

static void begin_work(struct reducer *reducer)
{
    reducer->later = false;
    if (reducer->rank == 0)
        open_reduction(reducer, false);
    else
        locate_rank(reducer);
}

void reducer_begin(struct reducer *reducer, const char *directory, uint32_t rank, uint32_t size,
                   const struct run_assumptions *assumptions)
{
    assert(rank < size);
    *reducer = (struct reducer){
        .directory = directory, .assumptions = assumptions, .rank = rank, .size = size};
    reducer->own = lock_new(lock_of_rank(reducer, rank));
    reducer->common = rank == 0 ? lock_new(lock_of_reducer(reducer)) : -1;
    begin_work(reducer);
}

void reducer_step(struct reducer *reducer)
{
    struct error error;
    if (reducer->later)
        begin_work(reducer);
    if (reducer->remote)
        remote_records_publish(&reducer->records, false);
    if (reducer->client)
        clock_client_step(reducer->client);
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
    if (reducer->later)
        open_reduction(reducer, true);
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
    if (reducer->remote)
        remote_records_publish(&reducer->records, true);
    release_lock(&reducer->own);
    if (reducer->rank == 0)
        finish_reduction(reducer);
    else
        wait_for_reducer(reducer);
    release_lock(&reducer->common);
    clock_client_end(reducer->client);
    if (reducer->remote)
        remote_records_close(&reducer->records);
    return archive_take_reduced(reducer->directory, 0, error);
}
