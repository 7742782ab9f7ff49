#include "measure/recorder/measurement_state.h"

#include "measure/recorder/record_format.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

enum measurement_state measurement_state;
bool recorder_on, measurement_paused;
struct measurement_settings measurement_settings = {.keeper = -1};
uint32_t measurement_rank = RECORD_NONE;

void measurement_give_up(const char *format, ...)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    measurement_state = MEASUREMENT_NONE;
    recorder_on = false;
    if (!format || atomic_flag_test_and_set(&said))
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_warning("%s", text);
}
