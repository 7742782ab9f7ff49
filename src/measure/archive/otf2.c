#include "measure/archive/archive_private.h"

#include "base/files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char complaint[1024]; /* the first message; later ones are its consequences */
static OTF2_ErrorCode complaint_code;

static OTF2_ErrorCode keep_complaint(void *data, const char *file, uint64_t line,
                                     const char *function, OTF2_ErrorCode code, const char *format,
                                     va_list arguments)
{
    (void)data, (void)file, (void)line, (void)function;
    if (code == OTF2_WARNING || code == OTF2_DEPRECATED || complaint_code)
        return code;
    vsnprintf(complaint, sizeof complaint, format, arguments);
    complaint_code = code;
    return code;
}

/* Codes of the operating system, such as that of a full disk, need no further text. */
static bool is_of_system(OTF2_ErrorCode code)
{
    return code >= OTF2_ERROR_E2BIG && code <= OTF2_ERROR_EXDEV;
}

enum status archive_error(struct error *error, const char *path, OTF2_ErrorCode code)
{
    if (complaint_code)
        code = complaint_code;
    bool plain = is_of_system(code) || !complaint[0];
    return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s%s%s", path,
                     OTF2_Error_GetDescription(code), plain ? "" : ": ", plain ? "" : complaint);
}

enum status archive_check(struct error *error, const char *path, OTF2_ErrorCode code)
{
    if (!code && !is_of_system(complaint_code))
        return STATUS_OK;
    return archive_error(error, path, code);
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
    complaint[0] = '\0';
    complaint_code = OTF2_SUCCESS;
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

struct record_path archive_part_path(const char *directory, uint32_t rank)
{
    char name[32];
    snprintf(name, sizeof name, "part-%u", rank);
    return record_path(directory, name);
}

enum status archive_remove_tree(const char *path, struct error *error)
{
    if (files_remove_tree(path))
        return STATUS_OK;
    return error_set(error, STATUS_ENVIRONMENT, "cannot remove %s: %s", path, strerror(errno));
}
