/* All that the generated wrappers call. */
#ifndef MEASURE_WRAPPER_HOOKS_H
#define MEASURE_WRAPPER_HOOKS_H

#include "measure/call.h"
#include "measure/collectives.h"
#include "measure/communicators.h"
#include "measure/handles.h"
#include "measure/point_to_point.h"
#include "measure/requests.h"
#include "measure/waiting.h"
#include "measure/windows.h"

#endif
