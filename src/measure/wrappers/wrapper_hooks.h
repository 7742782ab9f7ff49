/* All that the generated wrappers call. */
#ifndef MEASURE_WRAPPER_HOOKS_H
#define MEASURE_WRAPPER_HOOKS_H

#include "measure/wrappers/call.h"
#include "measure/wrappers/collectives.h"
#include "measure/wrappers/communicators.h"
#include "measure/wrappers/handles.h"
#include "measure/wrappers/point_to_point.h"
#include "measure/wrappers/requests.h"
#include "measure/wrappers/waiting.h"
#include "measure/wrappers/windows.h"

#endif
