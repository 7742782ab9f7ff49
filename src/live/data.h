/* The data of a page that computes what-ifs (src/report/html/live.js). */
#ifndef LIVE_DATA_H
#define LIVE_DATA_H

#include "replay/engine.h"

/* The module as base64; "" if SILAS was built without clang or wasi-libc. */
const char *live_module_text(void);

/* Collective. Makes the data for what-ifs about `changed`, or about `original` if that is NULL;
 * both are matched. The saving of what-ifs is relative to `original`. `setup` is of the model.
 * `config` is the configuration of `changed`, which a page adds sections to. On process 0 `*text`
 * is a JSON document of `*size` bytes, to be freed: either with all that the page needs, or with
 * the reason why it cannot compute. */
enum status live_data_make(const struct trace *original, const struct trace *changed,
                           const struct engine_setup *setup, const char *config, char **text,
                           size_t *size, struct error *error);

#endif
