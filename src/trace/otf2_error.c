#include "trace/otf2_error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static char last_text[512], returned_text[512];
static OTF2_ErrorCode disk; /* the first of its kind; OTF2_SUCCESS: none */

static bool is_of_disk(OTF2_ErrorCode code)
{
    return code == OTF2_ERROR_ENOSPC || code == OTF2_ERROR_EDQUOT || code == OTF2_ERROR_EFBIG ||
           code == OTF2_ERROR_EIO || code == OTF2_ERROR_EINTR;
}

static OTF2_ErrorCode keep_error(void *user_data, const char *file, uint64_t line,
                                 const char *function, OTF2_ErrorCode code, const char *format,
                                 va_list arguments)
{
    (void)user_data;
    (void)file;
    (void)line;
    (void)function;
    if (code == OTF2_WARNING || code == OTF2_DEPRECATED)
        return code;
    if (disk == OTF2_SUCCESS && is_of_disk(code))
        disk = code;
    int length = snprintf(last_text, sizeof last_text, "%s", OTF2_Error_GetDescription(code));
    if (format && *format && length > 0 && (size_t)length + 2 < sizeof last_text) {
        length += snprintf(last_text + length, sizeof last_text - (size_t)length, ": ");
        vsnprintf(last_text + length, sizeof last_text - (size_t)length, format, arguments);
    }
    return code;
}

void otf2_error_capture(void)
{
    last_text[0] = '\0';
    disk = OTF2_SUCCESS;
    OTF2_Error_RegisterCallback(keep_error, NULL);
}

OTF2_ErrorCode otf2_error_of_disk(void)
{
    return disk;
}

const char *otf2_error_text(OTF2_ErrorCode code)
{
    if (disk != OTF2_SUCCESS)
        snprintf(returned_text, sizeof returned_text, "%s", OTF2_Error_GetDescription(disk));
    else
        snprintf(returned_text, sizeof returned_text, "%s",
                 last_text[0] ? last_text : OTF2_Error_GetDescription(code));
    last_text[0] = '\0';
    return returned_text;
}
