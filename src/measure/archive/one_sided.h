/* Records of one-sided communication into an event file. */
#ifndef MEASURE_ARCHIVE_ONE_SIDED_H
#define MEASURE_ARCHIVE_ONE_SIDED_H

#include "measure/archive/writing.h"

/* A put, get or atomic operation (RECORD_RMA_OP). */
void writing_put_rma_op(struct writing *writing, const struct record *record);

/* The other records of one-sided communication, whose id is a window. */
void writing_put_window(struct writing *writing, const struct record *record);

#endif
