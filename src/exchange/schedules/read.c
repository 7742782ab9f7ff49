#include "exchange/schedules/read.h"

#include "exchange/schedules/goal_read.h"
#include "exchange/schedules/ti_index.h"
#include "exchange/schedules/ti_read.h"

#include <assert.h>

bool schedule_recognises(const char *path)
{
    return goal_recognises(path) || ti_recognises(path);
}

enum status schedule_read(const char *path, struct processes *processes,
                          const struct hardware *hardware, struct trace **trace,
                          struct error *error)
{
    assert(hardware->ranks_per_node > 0);
    *trace = NULL;
    return goal_recognises(path) ? goal_read(path, processes, hardware, trace, error)
                                 : ti_read(path, processes, hardware, trace, error);
}
