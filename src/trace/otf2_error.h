/* The OTF2 library's own error messages: kept quiet and put into ours. */
#ifndef TRACE_OTF2_ERROR_H
#define TRACE_OTF2_ERROR_H

#include <otf2/otf2.h>

/* From now on the library does not print; what it would have said last is kept. Idempotent. */
void otf2_error_capture(void);

/* The library's last complaint, or the description of `code` if it said nothing. Clears it. */
const char *otf2_error_text(OTF2_ErrorCode code);

#endif
