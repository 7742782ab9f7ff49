/* The arguments of silas-predict's options: numbers, parameters, lists of recordings. */
#ifndef PROGRAMS_PREDICT_OPTIONS_H
#define PROGRAMS_PREDICT_OPTIONS_H

#include "base/options.h"
#include "predict/evaluate.h"
#include "predict/from/from.h"

#include <stdbool.h>

/* A whole number from least to most. */
bool option_number(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/* "n=4096" each; `texts` and `settings` have OPTION_REPEATS items. The texts outlive the settings.
 * Clear the settings in any case. */
enum status settings_parse(const char *const *texts, struct parameter_setting *settings,
                           uint32_t *count, struct error *error);
void settings_clear(struct parameter_setting *settings, uint32_t count);

struct recordings {
    struct script_recording *items;
    uint32_t count;
};

/* "run1/traces.otf2:n=64,m=3,run2/traces.otf2:n=96,m=3": an item that is not NAME=NUMBER begins a
 * recording. Clear the recordings in any case. */
enum status recordings_parse(const char *list, struct recordings *recordings, struct error *error);
void recordings_clear(struct recordings *recordings);

#endif
