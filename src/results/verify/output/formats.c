/* Every format of silas-verify; a new one is one line here. */
#include "results/verify/verification.h"

extern const struct verify_format verify_text, verify_html, verify_json, verify_csv;

const struct verify_format *const verify_format_list[] = {&verify_text, &verify_html, &verify_json,
                                                          &verify_csv, NULL};
