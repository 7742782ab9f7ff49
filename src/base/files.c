#include "base/files.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

enum { OPEN_DIRECTORIES = 16 };

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *position)
{
    (void)info;
    (void)kind;
    (void)position;
    remove(path); /* what cannot be removed shows at the end */
    return 0;
}

bool files_remove_tree(const char *path)
{
    struct stat info;
    nftw(path, remove_one, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
    return lstat(path, &info) != 0;
}
