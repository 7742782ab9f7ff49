/* Reads the global definitions of an OTF2 archive into dense tables. */
#ifndef TRACE_LOAD_DEFINITIONS_H
#define TRACE_LOAD_DEFINITIONS_H

#include "base/status.h"
#include "trace/load/definition_ids.h"

#include <otf2/otf2.h>

/* Reads all global definitions. Free `ids` with definition_ids_clear, also after a failure. */
enum status load_definitions(OTF2_Reader *reader, const char *path,
                             struct definitions **definitions, struct definition_ids *ids,
                             struct error *error);

#endif
