#include "replay/realtime/options.h"

const struct realtime_options realtime_defaults = {.timeout_s = 60};

const char *const realtime_keys[] = {"oversubscribe", "timeout",     "buffer_limit",
                                     "wildcards",     "tune",        "correct_noise",
                                     "fill",          "stream_rate", NULL};

/* How a replay may differ from the recording on purpose. */
static enum status read_modes(const struct ini *ini, const struct ini_section *section,
                              struct realtime_options *options, struct error *error)
{
    static const char *const orders[] = {"recorded", "free", NULL};
    static const char *const fills[] = {"spin", "stream", NULL};
    int order = 0, fill = 0;
    enum status status = ini_get_choice(section, "wildcards", orders, &order, error);
    if (status == STATUS_OK)
        status = ini_get_choice(section, "fill", fills, &fill, error);
    if (status == STATUS_OK)
        status = ini_get_bytes(section, "stream_rate", &options->stream_rate, error);
    if (status == STATUS_OK && fill == 0 && options->stream_rate > 0)
        status = ini_error(error, ini, ini_line_of(section, "stream_rate"),
                           "stream_rate is for fill = stream only");
    options->free_wildcards = order == 1;
    options->stream = fill == 1;
    return status;
}

enum status realtime_options_read(const struct ini *ini, void *memory, struct error *error)
{
    const struct ini_section *section = ini_find_section(ini, "replay");
    struct realtime_options *options = memory;
    bool tune = true, correct_noise = true;
    *options = realtime_defaults;
    if (!section)
        return STATUS_OK;
    enum status status = ini_get_bool(section, "oversubscribe", &options->oversubscribe, error);
    if (status == STATUS_OK)
        status = ini_get_duration(section, "timeout", &options->timeout_s, error);
    if (status == STATUS_OK && options->timeout_s <= 0)
        status = ini_error(error, ini, ini_line_of(section, "timeout"),
                           "timeout = 0: expected a time after which a replay without progress "
                           "is ended");
    if (status == STATUS_OK)
        status = ini_get_bytes(section, "buffer_limit", &options->buffer_limit, error);
    if (status == STATUS_OK)
        status = ini_get_bool(section, "tune", &tune, error);
    if (status == STATUS_OK)
        status = ini_get_bool(section, "correct_noise", &correct_noise, error);
    if (status == STATUS_OK)
        status = read_modes(ini, section, options, error);
    options->untuned = !tune;
    options->keep_noise = !correct_noise;
    return status;
}
