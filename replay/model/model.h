/* The model engine: what would happen, computed, not tried (METHODS 4). */
#ifndef REPLAY_MODEL_MODEL_H
#define REPLAY_MODEL_MODEL_H

#include "replay/engine.h"

extern const struct engine engine_model;

#endif
