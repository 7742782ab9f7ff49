#include "measure/archive/archive_private.h"

#include "base/files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char complaint[1024];

static OTF2_ErrorCode keep_complaint(void *data, const char *file, uint64_t line,
                                     const char *function, OTF2_ErrorCode code, const char *format,
                                     va_list arguments)
{
    (void)data, (void)file, (void)line, (void)function;
    vsnprintf(complaint, sizeof complaint, format, arguments);
    return code;
}

enum status archive_error(struct error *error, const char *path, OTF2_ErrorCode code)
{
    error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s%s%s", path,
              OTF2_Error_GetDescription(code), complaint[0] ? ": " : "", complaint);
    complaint[0] = '\0';
    return STATUS_ENVIRONMENT;
}

static OTF2_FlushType flush_when_full(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                      void *caller, bool last)
{
    (void)data, (void)type, (void)location, (void)caller, (void)last;
    return OTF2_FLUSH;
}

OTF2_Archive *archive_open(const char *directory, struct error *error)
{
    static OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush_when_full};
    OTF2_Error_RegisterCallback(keep_complaint, NULL);
    OTF2_Archive *archive =
        OTF2_Archive_Open(directory, ARCHIVE_NAME, OTF2_FILEMODE_WRITE, ARCHIVE_CHUNK_EVENTS,
                          ARCHIVE_CHUNK_DEFINITIONS, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive) {
        archive_error(error, directory, OTF2_ERROR_FILE_CAN_NOT_OPEN);
        return NULL;
    }
    OTF2_ErrorCode code = OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
    if (!code)
        code = OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    if (code) {
        archive_error(error, directory, code);
        OTF2_Archive_Close(archive);
        return NULL;
    }
    return archive;
}

void archive_part_path(char *path, size_t size, const char *directory, uint32_t rank)
{
    snprintf(path, size, "%s/records/part-%u", directory, rank);
}

enum status archive_remove_tree(const char *path, struct error *error)
{
    if (files_remove_tree(path))
        return STATUS_OK;
    return error_set(error, STATUS_ENVIRONMENT, "cannot remove %s: %s", path, strerror(errno));
}
