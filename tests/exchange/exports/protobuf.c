/* The encoding of protocol buffers, byte by byte. */
#include "exchange/exports/protobuf.h"

#include "tests/check_tap.h"

#include <string.h>

static struct protobuf protobuf;

static void setup(void)
{
    memset(&protobuf, 0, sizeof protobuf);
}

static void teardown(void)
{
    protobuf_clear(&protobuf);
}

static void check_bytes(const char *expected, size_t size)
{
    ck_assert(!protobuf.out_of_memory);
    ck_assert_uint_eq(protobuf.bytes.size, size);
    ck_assert_mem_eq(protobuf.bytes.data, expected, size);
}

START_TEST(varints)
{
    protobuf_varint(&protobuf, 1, 150); /* the example of the format's description */
    protobuf_varint(&protobuf, 16, 0);  /* a key of two bytes */
    protobuf_varint(&protobuf, 2, UINT64_MAX);
    check_bytes("\x08\x96\x01\x80\x01\x00\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 17);
}
END_TEST

START_TEST(fixed_and_text)
{
    protobuf_fixed64(&protobuf, 47, 0x0102030405060708);
    protobuf_text(&protobuf, 2, "testing");
    protobuf_text(&protobuf, 3, "");
    check_bytes("\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01\x12\x07testing\x1a\x00", 21);
}
END_TEST

/* Messages whose length needs one byte, and more, inside of each other. */
START_TEST(messages)
{
    char text[301];
    memset(text, 'x', 300);
    text[300] = '\0';
    size_t outer = protobuf_open(&protobuf, 1), inner = protobuf_open(&protobuf, 3);
    protobuf_varint(&protobuf, 1, 150);
    protobuf_close(&protobuf, inner);
    inner = protobuf_open(&protobuf, 2);
    protobuf_text(&protobuf, 4, text);
    protobuf_close(&protobuf, inner);
    protobuf_close(&protobuf, outer);
    /* 300 = ac 02; with key and length 303 = af 02; with these, and the first message, 311 = b7 02
     */
    ck_assert_uint_eq(protobuf.bytes.size, 314);
    ck_assert_mem_eq(protobuf.bytes.data,
                     "\x0a\xb7\x02\x1a\x03\x08\x96\x01\x12\xaf\x02\x22\xac\x02xxx", 17);
    ck_assert_int_eq(protobuf.bytes.data[313], 'x');
    inner = protobuf_open(&protobuf, 5);
    protobuf_close(&protobuf, inner);
    ck_assert_mem_eq(protobuf.bytes.data + 314, "\x2a\x00", 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("protobuf");
    TCase *tests = tcase_create("protobuf");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, varints);
    tcase_add_test(tests, fixed_and_text);
    tcase_add_test(tests, messages);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
