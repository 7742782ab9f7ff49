/* Damaged scripts: each prefix of a script, and the script with one byte less, or another one, is
 * either read or refused by one message with a place; nothing crashes. prefixes FILE...
 * SILAS_EVERY_BYTE=1 tries all bytes at all places. */
#include "base/files.h"
#include "predict/script.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/check_tap.h"

static int descriptor;
static char path[40];

/* "PATH:LINE:COLUMN: text", one line. */
static bool has_place(const char *text)
{
    unsigned line, column;
    int length = 0;
    size_t head = strlen(path);
    return strncmp(text, path, head) == 0 &&
           sscanf(text + head, ":%u:%u: %n", &line, &column, &length) == 2 && length > 0 &&
           line > 0 && column > 0 && text[head + (size_t)length] && !strchr(text, '\n');
}

static void try_text(const char *text, size_t size)
{
    struct model_script *script;
    struct error error = {0};
    ck_assert(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, text, size, 0) == (ssize_t)size);
    enum status status = script_read(path, &script, &error);
    ck_assert_msg((status == STATUS_OK) == (script != NULL), "no script and no error");
    ck_assert_msg(status == STATUS_OK || (status == STATUS_INPUT && has_place(error.text)), "%s",
                  error.text);
    script_destroy(script);
}

static struct bytes texts[64];
static int text_count;

START_TEST(prefixes)
{
    for (size_t length = 0; length <= texts[_i].size; length++)
        try_text(texts[_i].data, length);
}
END_TEST

START_TEST(deletions)
{
    char *text = malloc(texts[_i].size);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i + 1 < texts[_i].size; i++) {
        memcpy(text, texts[_i].data, i);
        memcpy(text + i, texts[_i].data + i + 1, texts[_i].size - i - 1);
        try_text(text, texts[_i].size - 1);
    }
    free(text);
}
END_TEST

START_TEST(replacements)
{
    static const char some[] = "a1;{}()[]\"\\:,=-/.#\n\x80";
    bool every = getenv("SILAS_EVERY_BYTE") != NULL;
    for (size_t i = 0; i < texts[_i].size; i++) {
        char original = texts[_i].data[i];
        for (int byte = 0; byte < (every ? 256 : 2); byte++) {
            size_t which = (i * 2 + (size_t)byte) * 7 % (sizeof some - 1);
            texts[_i].data[i] = every ? (char)byte : some[which];
            try_text(texts[_i].data, texts[_i].size);
        }
        texts[_i].data[i] = original;
    }
}
END_TEST

int main(int argc, char **argv)
{
    const char *folder = getenv("top_srcdir");
    static const char *const names[] = {"good-steps", "good-scopes", "good-expressions",
                                        "good-windows"};
    for (int i = 0; i < (argc > 1 ? argc - 1 : 4); i++) {
        char name[4096];
        struct error error;
        if (argc > 1)
            snprintf(name, sizeof name, "%s", argv[i + 1]);
        else
            snprintf(name, sizeof name, "%s/tests/predict/scripts/%s.silas", folder, names[i]);
        if (files_read(name, 1 << 20, &texts[text_count++], &error) != STATUS_OK) {
            printf("Bail out! %s\n", error.text);
            return EXIT_FAILURE;
        }
    }
    descriptor = memfd_create("script", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);

    Suite *suite = suite_create("damaged scripts");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 600);
    tcase_add_loop_test(all, prefixes, 0, text_count);
    tcase_add_loop_test(all, deletions, 0, text_count);
    tcase_add_loop_test(all, replacements, 0, text_count);
    suite_add_tcase(suite, all);
    int result = check_tap(suite);
    for (int i = 0; i < text_count; i++)
        bytes_clear(&texts[i]);
    close(descriptor);
    return result;
}
