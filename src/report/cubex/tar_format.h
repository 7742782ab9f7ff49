/* The 512 bytes in front of a member of a tar archive (POSIX.1-1988 ustar). Numbers are octal
 * digits. */
#ifndef REPORT_CUBEX_TAR_FORMAT_H
#define REPORT_CUBEX_TAR_FORMAT_H

enum { TAR_BLOCK = 512 };

struct tar_head {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
    char type; /* '0' or 0: a file; 'x': pax records for the next member */
    char link[100], magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155];
    char padding[12];
};

/* The sum of all bytes with the checksum taken as blanks. */
static inline unsigned tar_checksum(const struct tar_head *head)
{
    const unsigned char *bytes = (const unsigned char *)head;
    unsigned sum = 0;
    for (int i = 0; i < TAR_BLOCK; i++)
        sum += bytes[i];
    for (unsigned i = 0; i < sizeof head->checksum; i++)
        sum += ' ' - (unsigned char)head->checksum[i];
    return sum;
}

#endif
