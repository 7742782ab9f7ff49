/* The arguments of silas-predict's options: parameters and lists of recordings. */
#ifndef PROGRAMS_PREDICT_OPTIONS_H
#define PROGRAMS_PREDICT_OPTIONS_H

#include "base/options.h"
#include "predict/evaluate.h"
#include "predict/from/from.h"

#include <stdbool.h>

/* Parses texts such as "n=4096". `texts` and `settings` have OPTION_REPEATS items. The caller
 * clears the settings; after a failure there are none. */
enum status settings_parse(const char *const *texts, struct parameter_setting *settings,
                           uint32_t *count, struct error *error);
void settings_clear(struct parameter_setting *settings, uint32_t count);

struct recording_list {
    struct script_recording *items;
    uint32_t count;
};

/* Parses a list such as "run1/traces.otf2:n=64,m=3,run2/traces.otf2:n=96,m=3": an item that is not
 * NAME=NUMBER begins a recording. `recordings` is empty before. The caller clears them; after a
 * failure it is empty. */
enum status recordings_parse(const char *list, struct recording_list *recordings,
                             struct error *error);
void recordings_clear(struct recording_list *recordings);

#endif
