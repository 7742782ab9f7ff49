/* The text of a model script from an outline and its values. Process 0 only. */
#ifndef PREDICTION_FROM_WRITE_SCRIPT_H
#define PREDICTION_FROM_WRITE_SCRIPT_H

#include "predict/from/expressions.h"
#include "predict/from/frames.h"

struct script_text {
    struct bytes text;
    uint32_t statements, loops;
    uint32_t means; /* values that vary from visit to visit and are given by their mean */
};

/* Fills `text`, of which the caller clears text->text. Fails if out of memory; nothing is left to
 * free then. */
enum status write_script(const struct outline *outline, const struct outline_values *values,
                         const struct program_frames *frames, struct expressions *expressions,
                         struct script_text *text, struct error *error);

#endif
