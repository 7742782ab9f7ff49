#include "transform/hypothesis.h"

const struct hypothesis_kind *const hypothesis_list[] = {
    NULL,
};
