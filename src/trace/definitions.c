#include "trace/definitions.h"
