#include "transform/chosen_calls.h"

enum status chosen_calls_read(struct section_ref ref, struct chosen_calls *calls,
                              struct error *error)
{
    *calls = (struct chosen_calls){.ref = ref};
    enum status status = ini_get_bool(ref.ini, ref.section, "all", &calls->all, error);
    if (status != STATUS_OK)
        return status;
    if (calls->all && callpath_marks_wanted(ref))
        return section_error(error, ref, "all",
                             "\"all\" chooses every call, but the section also says where");
    if (!calls->all && !callpath_marks_wanted(ref))
        return section_error(error, ref, NULL,
                             "\"region\" or \"callpath\" is missing; \"all = yes\" chooses every "
                             "call");
    return STATUS_OK;
}
