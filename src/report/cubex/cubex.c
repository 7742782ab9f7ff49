/* The format of Cube 4 reports (.cubex), which Scalasca and Score-P write and the Cube GUI shows: a
 * tar archive of tables of values (index.h, data.h) and of what they are about
 * (anchor.h). */
#include "report/cubex/cubex.h"

extern const struct severity_format severity_cubex;

static bool recognises(const struct severity_file *file)
{
    return cubex_tar_recognises(file->data, file->size);
}

const struct severity_format severity_cubex = {
    .name = "cubex",
    .description = "a Cube 4 report, as Scalasca and Score-P have them",
    .binary = true,
    .write = cubex_write,
    .recognises = recognises,
    .read = cubex_read,
};
