#include "measure/reduce/remote_records.h"

#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void remote_records_open(struct remote_records *records, const char *directory, uint32_t rank)
{
    *records =
        (struct remote_records){.directory = directory, .rank = rank, .file = -1, .ready_file = -1};
}

static void close_file(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

void remote_records_close(struct remote_records *records)
{
    close_file(&records->file);
    close_file(&records->ready_file);
}

static bool open_record_files(struct remote_records *records)
{
    struct record_header header;
    if (records->file >= 0)
        return true;
    const int file =
        open(record_path_of_thread(records->directory, records->rank, 0).text, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return false;
    records->ready_file = open(remote_records_path(records->directory, records->rank).text,
                               O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (records->ready_file < 0 ||
        pread(file, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        header.magic != RECORD_MAGIC || header.segment_size == 0) {
        close(file);
        close_file(&records->ready_file);
        return false;
    }
    records->file = file;
    records->segment_size = header.segment_size;
    return true;
}

/* Writes the definitions through, which the records refer to. */
static void sync_definitions(const struct remote_records *records)
{
    const int file =
        open(record_path_of_rank(records->directory, records->rank, "definitions").text,
             O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    fsync(file);
    close(file);
}

static bool sync_part(const struct remote_records *records, uint64_t from, uint64_t to)
{
    void *memory = mmap(NULL, (size_t)(to - from), PROT_READ | PROT_WRITE, MAP_SHARED,
                        records->file, (off_t)from);
    if (memory == MAP_FAILED)
        return false;
    const bool synced = msync(memory, (size_t)(to - from), MS_SYNC) == 0;
    munmap(memory, (size_t)(to - from));
    return synced;
}

void remote_records_publish(struct remote_records *records, bool ended)
{
    struct stat status;
    if (!open_record_files(records) || fstat(records->file, &status) != 0)
        return;
    uint64_t complete = (uint64_t)status.st_size;
    if (!ended) {
        const uint64_t segments =
            complete > RECORD_HEADER_SIZE
                ? (complete - RECORD_HEADER_SIZE + records->segment_size - 1) /
                      records->segment_size
                : 0;
        complete =
            segments > RECORD_SEGMENTS_FILLED
                ? RECORD_HEADER_SIZE + (segments - RECORD_SEGMENTS_FILLED) * records->segment_size
                : RECORD_HEADER_SIZE;
    }
    if (complete <= records->ready && !ended)
        return;
    sync_definitions(records);
    const bool synced =
        ended ? fsync(records->file) == 0 : sync_part(records, records->ready, complete);
    if (synced && pwrite(records->ready_file, &complete, sizeof complete, 0) == sizeof complete) {
        fsync(records->ready_file);
        records->ready = complete;
    }
}

uint64_t remote_records_ready(const char *path)
{
    uint64_t ready = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC); /* opened anew: NFS then asks the server */
    if (file < 0)
        return 0;
    if (pread(file, &ready, sizeof ready, 0) != sizeof ready)
        ready = 0;
    close(file);
    return ready;
}
