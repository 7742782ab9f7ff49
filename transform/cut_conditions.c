#include "transform/cut.h"

void cut_conditions_clear(struct cut_conditions *conditions)
{
    ranges_clear(&conditions->size);
    ranges_clear(&conditions->tag);
    ranges_clear(&conditions->sender);
    ranges_clear(&conditions->receiver);
}

/* Without a condition everything would be chosen: that must be said. */
static enum status check_conditions(const struct cut_conditions *c, bool all, struct error *error)
{
    bool any = c->where || c->communicator || c->size.items || c->tag.items || c->sender.items ||
               c->receiver.items;
    if (all && any)
        return section_error(error, c->ref, "all",
                             "\"all\" chooses every message, but the section also has a condition");
    if (!all && !any)
        return section_error(error, c->ref, NULL,
                             "a condition is missing: size, tag, region, callpath, sender, "
                             "receiver or communicator; \"all = yes\" chooses every message");
    return STATUS_OK;
}

enum status cut_conditions_read(struct section_ref ref, struct cut_conditions *c,
                                struct error *error)
{
    bool all = false;
    *c = (struct cut_conditions){.ref = ref, .where = callpath_marks_wanted(ref)};
    enum status status = ranges_read(ref, "size", &c->size, error);
    if (status == STATUS_OK)
        status = ranges_read(ref, "tag", &c->tag, error);
    if (status == STATUS_OK)
        status = ranges_read(ref, "sender", &c->sender, error);
    if (status == STATUS_OK)
        status = ranges_read(ref, "receiver", &c->receiver, error);
    if (status == STATUS_OK)
        status = ini_get_string(ref.ini, ref.section, "communicator", &c->communicator, error);
    if (status == STATUS_OK)
        status = ini_get_bool(ref.ini, ref.section, "all", &all, error);
    return status == STATUS_OK ? check_conditions(c, all, error) : status;
}
