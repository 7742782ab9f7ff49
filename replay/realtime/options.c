#include "replay/realtime/options.h"

const struct realtime_options realtime_defaults = {.timeout_s = 60};

static const char *const orders[] = {"recorded", "free", NULL};
static const char *const fills[] = {"spin", "stream", NULL};

const struct ini_key realtime_keys[] = {
    INI_KEY(realtime_options, oversubscribe, BOOL),
    INI_KEY_AT("timeout", realtime_options, timeout_s, DURATION),
    INI_KEY(realtime_options, buffer_limit, BYTES),
    INI_KEY_AT("wildcards", realtime_options, free_wildcards, CHOICE, .choices = orders),
    INI_KEY_AT("tune", realtime_options, untuned, NOT),
    INI_KEY_AT("correct_noise", realtime_options, keep_noise, NOT),
    INI_KEY_AT("fill", realtime_options, stream, CHOICE, .choices = fills),
    INI_KEY(realtime_options, stream_rate, BYTES),
    INI_KEYS_END,
};

enum status realtime_options_check(const struct ini *ini, const void *memory, struct error *error)
{
    const struct realtime_options *options = memory;
    const struct ini_section *section = ini_find_section(ini, "replay");
    if (options->timeout_s <= 0)
        return ini_error(error, ini, ini_line_of(section, "timeout"),
                         "timeout = 0: expected a time after which a replay without progress "
                         "is ended");
    if (!options->stream && options->stream_rate > 0)
        return ini_error(error, ini, ini_line_of(section, "stream_rate"),
                         "stream_rate is for fill = stream only");
    return STATUS_OK;
}
