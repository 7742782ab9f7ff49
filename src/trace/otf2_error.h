/* Suppresses the OTF2 library's own error messages and adds them to ours. */
#ifndef TRACE_OTF2_ERROR_H
#define TRACE_OTF2_ERROR_H

#include <otf2/otf2.h>

/* From now on the library prints nothing; its last message is kept, and what it has kept before is
 * forgotten. */
void otf2_error_capture(void);

/* The first failure of the disk since then (full, quota, limit of a file's size, input and output),
 * or OTF2_SUCCESS. The library passes over such a failure when it closes event files: whoever
 * writes an archive must ask. */
OTF2_ErrorCode otf2_error_of_disk(void);

/* A failure of the disk if there was one, because later messages only follow from it; otherwise the
 * library's last message, or the description of `code` if there is none. Clears the message. */
const char *otf2_error_text(OTF2_ErrorCode code);

#endif
