#include "replay/engine.h"
#include "replay/model/model.h"
#include "replay/realtime/realtime.h"

#include <string.h>

const struct engine *const engine_list[] = {
    &engine_realtime,
    &engine_model,
    NULL,
};

const struct engine *engine_find(const char *name)
{
    for (const struct engine *const *engine = engine_list; *engine; engine++)
        if (strcmp((*engine)->name, name) == 0)
            return *engine;
    return NULL;
}
