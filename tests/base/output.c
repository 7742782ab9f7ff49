/* Output directories, and what an interrupt leaves of them: complete or not at all. Programs in
 * folders. */
#include "base/files.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/output.h"

#include "tests/check_abort.h"
#include "tests/check_tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const own[] = {"report.txt", "trace", NULL};
static char work[] = "/tmp/silas-output.XXXXXX";

/* The tests run in an empty directory. */
static void set_up(void)
{
    strcpy(work + strlen(work) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(work));
    ck_assert_int_eq(chdir(work), 0);
}

static void tear_down(void)
{
    char command[100];
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", work, work);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(system(command), 0);
}

/* The names in a directory, in order, with blanks between them. */
static const char *names_in(const char *directory)
{
    static char text[1000];
    struct dirent **entries;
    text[0] = '\0';
    int count = scandir(directory, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.')
            sprintf(text + strlen(text), "%s%s", *text ? " " : "", entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return text;
}

static bool write_into(const char *directory, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    return file && fputs("text\n", file) >= 0 && fclose(file) == 0;
}

static struct output *open_output(const char *path, bool overwrite)
{
    struct output *output;
    struct error error;
    if (output_open(path, overwrite, ", or help yourself", own, &output, &error) != STATUS_OK)
        ck_abort_msg("%s", error.text);
    return output;
}

static enum status refused(const char *path, bool overwrite, struct error *error)
{
    struct output *output = (struct output *)1;
    enum status status = output_open(path, overwrite, ", or help yourself", own, &output, error);
    ck_assert_ptr_null(output);
    return status;
}

START_TEST(it_appears_when_it_is_complete)
{
    struct error error;
    struct output *output = open_output("result/", false);
    ck_assert(write_into(output_directory(output), "report.txt"));
    ck_assert_int_ne(access("result", F_OK), 0);
    ck_assert_int_eq(output_commit(output, &error), STATUS_OK);
    ck_assert_str_eq(names_in("."), "result");
    ck_assert_str_eq(names_in("result"), "report.txt");
    ck_assert_int_eq(output_commit(NULL, &error), STATUS_OK);
}
END_TEST

START_TEST(nothing_is_left_of_a_discarded_one)
{
    struct output *output = open_output("result", false);
    const char *directory = output_directory(output);
    char deep[300];
    ck_assert(write_into(directory, "report.txt"));
    snprintf(deep, sizeof deep, "%s/trace", directory);
    ck_assert_int_eq(mkdir(deep, 0777), 0);
    ck_assert(write_into(deep, "0.evt"));
    output_discard(output);
    ck_assert_str_eq(names_in("."), "");
    output_discard(NULL);
}
END_TEST

START_TEST(what_exists_is_not_overwritten_unasked)
{
    struct error error;
    ck_assert_int_eq(mkdir("result", 0777), 0);
    ck_assert_int_eq(refused("result", false, &error), STATUS_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text,
                                 "output directory result exists; remove it, or choose another "
                                 "directory, or help yourself"));
    ck_assert(write_into(".", "file"));
    ck_assert_int_eq(refused("file", false, &error), STATUS_INPUT);
    ck_assert_int_eq(refused("file", true, &error), STATUS_INPUT); /* no directory */
    ck_assert_str_eq(names_in("."), "file result");
}
END_TEST

START_TEST(a_former_output_stays_until_the_new_one_is_complete)
{
    struct error error;
    ck_assert_int_eq(mkdir("result", 0777), 0);
    ck_assert(write_into("result", "report.txt"));
    struct output *output = open_output("result", true);
    ck_assert(write_into(output_directory(output), "trace"));
    ck_assert_str_eq(names_in("result"), "report.txt");
    output_discard(output);
    ck_assert_str_eq(names_in("result"), "report.txt");
    output = open_output("result", true);
    ck_assert(write_into(output_directory(output), "trace"));
    ck_assert_int_eq(output_commit(output, &error), STATUS_OK);
    ck_assert_str_eq(names_in("result"), "trace");
    ck_assert_str_eq(names_in("."), "result");
}
END_TEST

START_TEST(files_of_others_are_never_overwritten)
{
    struct error error;
    ck_assert_int_eq(mkdir("home", 0777), 0);
    ck_assert(write_into("home", "report.txt"));
    ck_assert(write_into("home", "thesis.tex"));
    ck_assert_int_eq(refused("home", true, &error), STATUS_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "\"thesis.tex\""));
    ck_assert_str_eq(names_in("home"), "report.txt thesis.tex");
}
END_TEST

START_TEST(a_place_that_cannot_be_written_is_the_environments_fault)
{
    struct error error;
    ck_assert_int_eq(refused("no/such/place", false, &error), STATUS_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(error.text, strerror(ENOENT)));
    ck_assert(write_into(".", "file"));
    ck_assert_int_eq(refused("file/below", false, &error), STATUS_ENVIRONMENT);
    if (geteuid() != 0) { /* nothing is forbidden to root */
        ck_assert_int_eq(mkdir("closed", 0555), 0);
        ck_assert_int_eq(refused("closed/result", false, &error), STATUS_ENVIRONMENT);
        ck_assert_ptr_nonnull(strstr(error.text, strerror(EACCES)));
    }
    output_discard(open_output("result", false)); /* it can be opened after such failures */
}
END_TEST

START_TEST(what_another_program_has_made_meanwhile_is_left_and_nothing_is_lost)
{
    for (int is_file = 0; is_file < 2; is_file++) {
        struct error error;
        char kept[100], both[200];
        struct output *output = open_output("result", false);
        snprintf(kept, sizeof kept, "%s", output_directory(output));
        ck_assert(write_into(kept, "report.txt"));
        if (is_file)
            ck_assert(write_into(".", "result"));
        else
            ck_assert(mkdir("result", 0777) == 0 && write_into("result", "precious"));
        ck_assert_int_eq(output_commit(output, &error), STATUS_INPUT);
        ck_assert_ptr_nonnull(strstr(error.text, "result was made by another program"));
        ck_assert_ptr_nonnull(strstr(error.text, kept));
        snprintf(both, sizeof both, "result %s", kept);
        ck_assert_str_eq(names_in("."), both);
        ck_assert_str_eq(names_in(kept), "report.txt");
        if (!is_file)
            ck_assert_str_eq(names_in("result"), "precious");
        ck_assert(system("rm -r result*") == 0);
    }
}
END_TEST

START_TEST(a_commit_that_fails_leaves_nothing)
{
    struct error error;
    ck_assert_int_eq(mkdir("folder", 0777), 0);
    struct output *output = open_output("folder/result", false);
    ck_assert_int_eq(rename(output_directory(output), "folder/away"), 0);
    ck_assert_int_eq(output_commit(output, &error), STATUS_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot write folder/result"));
    ck_assert_str_eq(names_in("folder"), "away");
}
END_TEST

/* Files may not grow beyond a byte: what a full disk does. */
START_TEST(what_a_full_disk_has_left_is_removed)
{
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {1, 1};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        struct output *output = open_output("result", false);
        bool written = write_into(output_directory(output), "report.txt");
        output_discard(output);
        _exit(written ? 1 : 0);
    }
    int state;
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert_int_eq(state, 0);
    ck_assert_str_eq(names_in("."), "");
}
END_TEST

/* Runs until a signal, or `exits` at once with 7, after an output has been begun. */
static int interrupted_by(int sent, bool exits)
{
    int ready[2], state;
    char byte;
    ck_assert_int_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDERR_FILENO);
        interrupt_install();
        static struct output *volatile output; /* reachable at exit: no leak */
        output = open_output("result", false);
        if (!write_into(output_directory(output), "report.txt") || write(ready[1], "x", 1) != 1)
            _exit(99);
        if (exits)
            exit(7);
        for (;;)
            pause();
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    if (!exits)
        kill(child, sent);
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    close(ready[0]);
    close(ready[1]);
    ck_assert(WIFEXITED(state));
    return WEXITSTATUS(state);
}

START_TEST(an_interrupted_program_leaves_nothing)
{
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        ck_assert_int_eq(interrupted_by(signals[i], false), 128 + signals[i]);
        ck_assert_str_eq(names_in("."), "");
    }
    ck_assert_int_eq(interrupted_by(0, true), 7);
    ck_assert_str_eq(names_in("."), "");
}
END_TEST

START_TEST(a_held_signal_comes_after_what_is_done_as_a_whole)
{
    int state;
    pid_t child = fork();
    if (child == 0) {
        interrupt_install();
        interrupt_hold();
        if (mkdir("made", 0777) != 0 || raise(SIGTERM) != 0)
            _exit(99);
        interrupt_remove("made");
        if (access("made", F_OK) != 0)
            _exit(98);
        interrupt_release();
        _exit(97);
    }
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert(WIFEXITED(state));
    ck_assert_int_eq(WEXITSTATUS(state), 128 + SIGTERM);
    ck_assert_str_eq(names_in("."), "");
}
END_TEST

START_TEST(a_child_removes_nothing_of_its_parents)
{
    struct output *output = open_output("result", false);
    int state;
    pid_t child = fork();
    if (child == 0) {
        interrupt_clean_up();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert_int_eq(access(output_directory(output), F_OK), 0);
    interrupt_clean_up();
    ck_assert_int_ne(access(output_directory(output), F_OK), 0);
    output_discard(output);
}
END_TEST

START_TEST(interrupts_know_the_last_directory_only)
{
    ck_assert_int_eq(mkdir("one", 0777), 0);
    ck_assert_int_eq(mkdir("two", 0777), 0);
    interrupt_remove("one");
    interrupt_remove("two");
    interrupt_clean_up();
    ck_assert_str_eq(names_in("."), "one");
    interrupt_remove("one");
    interrupt_remove(NULL);
    interrupt_clean_up();
    ck_assert_str_eq(names_in("."), "one");
}
END_TEST

START_TEST(wrong_calls_abort)
{
    char path[5000];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    ck_assert_aborts(interrupt_remove(""));
    ck_assert_aborts(interrupt_remove(path)); /* cut off it would be another's */
    ck_assert_aborts(open_output("", false));
    struct output *output = open_output("one", false);
    ck_assert_aborts(open_output("two", false)); /* one output at a time */
    output_discard(output);
    output_discard(open_output("two", false));
}
END_TEST

/* The folders of PATH, as execvp looks for programs in them. */
START_TEST(programs_are_found_in_lists_of_folders)
{
    static const struct {
        const char *folders, *found; /* NULL: none */
    } cases[] = {{"a:b", "b/tool"}, {"b", "b/tool"},  {"a", NULL},        {"", NULL},
                 {":a", "./tool"},  {"a:", "./tool"}, {"a::b", "./tool"}, {"none", NULL}};
    char path[16];
    ck_assert_int_eq(mkdir("a", 0777) | mkdir("b", 0777) | mkdir("a/tool", 0777), 0);
    ck_assert_int_ge(close(open("tool", O_CREAT | O_WRONLY, 0777)), 0);
    ck_assert_int_ge(close(open("b/tool", O_CREAT | O_WRONLY, 0777)), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool found = files_find_program(cases[i].folders, "tool", path, sizeof path);
        ck_assert_msg(found == (cases[i].found != NULL), "%s", cases[i].folders);
        if (found)
            ck_assert_str_eq(path, cases[i].found);
    }
    ck_assert(!files_find_program("b", "tool", path, strlen("b/tool"))); /* too little room */
    ck_assert(files_find_program(NULL, "sh", path, sizeof path));
}
END_TEST

int main(void)
{
    log_open("output", true);
    Suite *suite = suite_create("output");
    TCase *tests = tcase_create("output");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, it_appears_when_it_is_complete);
    tcase_add_test(tests, nothing_is_left_of_a_discarded_one);
    tcase_add_test(tests, what_exists_is_not_overwritten_unasked);
    tcase_add_test(tests, a_former_output_stays_until_the_new_one_is_complete);
    tcase_add_test(tests, files_of_others_are_never_overwritten);
    tcase_add_test(tests, a_place_that_cannot_be_written_is_the_environments_fault);
    tcase_add_test(tests, what_another_program_has_made_meanwhile_is_left_and_nothing_is_lost);
    tcase_add_test(tests, a_commit_that_fails_leaves_nothing);
    tcase_add_test(tests, what_a_full_disk_has_left_is_removed);
    tcase_add_test(tests, an_interrupted_program_leaves_nothing);
    tcase_add_test(tests, a_held_signal_comes_after_what_is_done_as_a_whole);
    tcase_add_test(tests, a_child_removes_nothing_of_its_parents);
    tcase_add_test(tests, interrupts_know_the_last_directory_only);
    tcase_add_test(tests, programs_are_found_in_lists_of_folders);
    tcase_add_test(tests, wrong_calls_abort);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
