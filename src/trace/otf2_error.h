/* Suppresses the OTF2 library's own error messages and adds them to ours. */
#ifndef TRACE_OTF2_ERROR_H
#define TRACE_OTF2_ERROR_H

#include <otf2/otf2.h>

/* From now on the library prints nothing; its last message is kept. Idempotent. */
void otf2_error_capture(void);

/* The library's last message, or the description of `code` if there is none. Clears the message. */
const char *otf2_error_text(OTF2_ErrorCode code);

#endif
