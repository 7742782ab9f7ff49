/* Correction of clocks by which messages arrive before they are sent. */
#ifndef JOB_CLOCKS_H
#define JOB_CLOCKS_H

#include "trace/trace.h"

/* Collective. Corrects the clocks of a matched trace and prints how many events it moved. */
enum status clocks_correct(struct trace *trace, struct error *error);

#endif
