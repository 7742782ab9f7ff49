#include "plugins/functions.h"

#include <silas/plugin.h>

const struct plugin_function plugin_functions[] = {
#include "plugins/functions.inc"
    {0},
};
