/* The format of Cube 4 reports (.cubex), which Scalasca and Score-P write and the Cube GUI shows: a
 * tar archive of tables of values (index.h, data.h) and of what they are about
 * (anchor.h). */
#include "report/cubex/parts.h"

static bool recognises(const struct severity_file *file)
{
    return cubex_tar_recognises(file->data, file->size);
}

extern const struct report_format report_cubex;
const struct report_format report_cubex = {
    .name = "cubex",
    .description = "a Cube 4 report, as Scalasca and Score-P have them",
    .binary = true,
    .write_run = cubex_write,
    .replay_files = {"before.cubex", "after.cubex"}, /* whoever reads Cube files subtracts them */
    .recognises = recognises,
    .read = cubex_read,
};
