/* Collects the error messages of the OTF2 library for the error messages of SILAS, instead of
 * letting the library print them. */
#ifndef TRACE_OTF2_ERROR_H
#define TRACE_OTF2_ERROR_H

#include <otf2/otf2.h>

/* From now on the library prints nothing. Keeps its last message; forgets messages of the past. */
void otf2_error_capture(void);

/* The first failure of the disk since then (full, quota, limit of file sizes, input and output), or
 * OTF2_SUCCESS. The library ignores such a failure when it closes event files, so a writer of
 * archives must call this. */
OTF2_ErrorCode otf2_error_of_disk(void);

/* The text of an error: the failure of the disk if there was one, because later failures follow
 * from it; otherwise the library's last message, or the description of `code` if there is none.
 * Forgets the message. */
const char *otf2_error_text(OTF2_ErrorCode code);

#endif
