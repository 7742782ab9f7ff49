#include "trace/calltree.h"
