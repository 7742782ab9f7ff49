/* The declarations of a script's communicators. */
#ifndef PREDICTION_FROM_DECLARE_COMMS_H
#define PREDICTION_FROM_DECLARE_COMMS_H

#include "predict/from/expressions.h"

/* Appends a line for each communicator but the world: a copy, a grid of one dimension, or else the
 * parts that the recordings show, as colours and keys by rank. False when memory is out. */
bool declare_comms(struct expressions *expressions, struct bytes *text);

#endif
