/* The parts of a .cubex file on hand-made members: orders of rows, indices and data in either byte
 * order, compressed data, types, tar archives beyond what octal digits hold. */
#include "tests/check_tap.h"

#include "report/cubex/cubex_private.h"

#include <byteswap.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

static const struct cubex_tar tar = {.path = "file"};

struct fed {
    unsigned char data[1024];
    size_t size;
};

static void put(struct fed *bytes, const void *data, size_t size)
{
    ck_assert_uint_le(bytes->size + size, sizeof bytes->data);
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void put_u32(struct fed *bytes, uint32_t number, bool swapped)
{
    number = swapped ? bswap_32(number) : number;
    put(bytes, &number, sizeof number);
}

static void put_u64(struct fed *bytes, uint64_t number, bool swapped)
{
    number = swapped ? bswap_64(number) : number;
    put(bytes, &number, sizeof number);
}

static void put_double(struct fed *bytes, double value, bool swapped)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u64(bytes, bits, swapped);
}

static struct cubex_member member_of(const struct fed *bytes, const char *name)
{
    struct cubex_member member = {.data = bytes->data, .size = bytes->size};
    snprintf(member.name, sizeof member.name, "%s", name);
    return member;
}

/* The keys 1, 4, 6 in a sparse index. */
static struct fed make_index(bool swapped, unsigned char format)
{
    struct fed bytes = {.size = 0};
    put(&bytes, "CUBEX.INDEX", 11);
    put_u32(&bytes, 1, swapped);
    put(&bytes, "\0\0", 2);
    put(&bytes, &format, 1);
    if (format == 1) {
        put_u32(&bytes, 3, swapped);
        put_u32(&bytes, 1, swapped);
        put_u32(&bytes, 4, swapped);
        put_u32(&bytes, 6, swapped);
    }
    return bytes;
}

static enum status read_index(const struct fed *bytes, struct cubex_index *index,
                              struct error *error)
{
    struct cubex_member member = member_of(bytes, "0.index");
    return cubex_index_read(&tar, &member, 7, index, error);
}

START_TEST(indices_are_read_in_either_byte_order)
{
    struct fed bytes = make_index(_i, 1);
    struct cubex_index index;
    struct error error;
    ck_assert_int_eq(read_index(&bytes, &index, &error), STATUS_OK);
    ck_assert_int_eq(index.swapped, _i);
    ck_assert_uint_eq(index.count, 3);
    ck_assert(index.keys[0] == 1 && index.keys[1] == 4 && index.keys[2] == 6);
    cubex_index_clear(&index);
    bytes = make_index(_i, 3);
    ck_assert_int_eq(read_index(&bytes, &index, &error), STATUS_OK);
    ck_assert_uint_eq(index.count, 7);
    ck_assert_uint_eq(index.keys[6], 6);
    cubex_index_clear(&index);
    bytes = make_index(_i, 1);
    bytes.size = 18; /* as CubeLib writes it for a metric without values: no count */
    ck_assert_int_eq(read_index(&bytes, &index, &error), STATUS_OK);
    ck_assert_uint_eq(index.count, 0);
    cubex_index_clear(&index);
}
END_TEST

static void check_bad_index(const struct fed *bytes, const char *text)
{
    struct cubex_index index;
    struct error error;
    ck_assert_int_eq(read_index(bytes, &index, &error), STATUS_INPUT);
    ck_assert_ptr_null(index.keys);
    ck_assert_msg(strstr(error.text, text), "%s", error.text);
}

START_TEST(bad_indices_are_named)
{
    struct fed bytes = make_index(false, 1);
    bytes.data[0] = 'K';
    check_bad_index(&bytes, "file: 0.index: not an index");
    bytes = make_index(false, 1);
    bytes.data[12] = 1;
    check_bad_index(&bytes, "byte order");
    bytes = make_index(false, 2);
    check_bad_index(&bytes, "unknown format");
    bytes = make_index(false, 1);
    bytes.size -= 4;
    check_bad_index(&bytes, "cut off");
    bytes.size = 19;
    check_bad_index(&bytes, "cut off");
    bytes.size = 11;
    check_bad_index(&bytes, "not an index");
    bytes = make_index(false, 1);
    bytes.data[bytes.size - 4] = 7;
    check_bad_index(&bytes, "does not exist");
    bytes.data[bytes.size - 4] = 4;
    check_bad_index(&bytes, "ascending");
}
END_TEST

static const double expected[6] = {0.5, -1e-300, 3, 4, 5e300, 6};

static void check_values(const struct fed *bytes, bool swapped)
{
    struct cubex_member member = member_of(bytes, "0.data");
    uint32_t keys[3] = {1, 4, 6};
    struct cubex_index index = {swapped, 3, keys};
    double *values;
    struct error error;
    enum status status =
        cubex_data_read(&tar, &member, &index, cubex_type_find("DOUBLE"), 2, &values, &error);
    ck_assert_msg(status == STATUS_OK, "%s", error.text);
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq(values[i], expected[i]);
    free(values);
}

START_TEST(data_are_read_in_either_byte_order)
{
    struct fed bytes = {.size = 0};
    put(&bytes, "CUBEX.DATA", 10);
    for (int i = 0; i < 6; i++)
        put_double(&bytes, expected[i], _i);
    check_values(&bytes, _i);
}
END_TEST

/* A piece for each row, and a table with room for more than that. */
static struct fed make_compressed(bool swapped)
{
    struct fed bytes = {.size = 0}, pieces = {.size = 0};
    put(&bytes, "ZCUBEX.DATA", 11);
    put_u64(&bytes, 4, swapped);
    for (int row = 0; row < 3; row++) {
        struct fed plain = {.size = 0};
        put_double(&plain, expected[2 * row], swapped);
        put_double(&plain, expected[2 * row + 1], swapped);
        unsigned char packed[128];
        uLongf size = sizeof packed;
        ck_assert_int_eq(compress(packed, &size, plain.data, plain.size), Z_OK);
        put_u64(&bytes, 16 * (uint64_t)row, swapped);
        put_u64(&bytes, pieces.size, swapped);
        put_u64(&bytes, size, swapped);
        put(&pieces, packed, size);
    }
    for (int i = 0; i < 3; i++)
        put_u64(&bytes, 0, swapped);
    put(&bytes, pieces.data, pieces.size);
    return bytes;
}

START_TEST(compressed_data_are_read)
{
    struct fed bytes = make_compressed(_i);
    check_values(&bytes, _i);
}
END_TEST

static void check_bad_data(const struct fed *bytes, const char *text)
{
    struct cubex_member member = member_of(bytes, "0.data");
    uint32_t keys[3] = {1, 4, 6};
    struct cubex_index index = {false, 3, keys};
    double *values;
    struct error error;
    ck_assert_int_eq(
        cubex_data_read(&tar, &member, &index, cubex_type_find("DOUBLE"), 2, &values, &error),
        STATUS_INPUT);
    ck_assert_ptr_null(values);
    ck_assert_msg(strstr(error.text, text), "%s", error.text);
}

START_TEST(bad_data_are_named)
{
    struct fed bytes = {.size = 0};
    put(&bytes, "CUBEX.DATA", 10);
    put_double(&bytes, 1, false);
    check_bad_data(&bytes, "8 bytes of data where 3 call paths and 2 locations need 48");
    bytes.data[0] = 'D';
    check_bad_data(&bytes, "not data of a Cube file");
    for (size_t cut = make_compressed(false).size - 1; cut > 10; cut--) {
        bytes = make_compressed(false);
        bytes.size = cut;
        check_bad_data(&bytes, "file: 0.data: ");
    }
    bytes = make_compressed(false);
    bytes.data[bytes.size - 1] ^= 1; /* the checksum of the last piece */
    check_bad_data(&bytes, "damaged");
    bytes = make_compressed(false);
    bytes.data[18] = 0xff; /* entries of the table */
    check_bad_data(&bytes, "table");
}
END_TEST

START_TEST(too_much_inflated_data_is_refused)
{
    unsigned char zeros[4096] = {0}, *result;
    struct fed packed;
    uLongf size = sizeof packed.data;
    size_t result_size;
    struct error error;
    ck_assert_int_eq(compress(packed.data, &size, zeros, sizeof zeros), Z_OK);
    packed.size = size;
    struct cubex_member member = member_of(&packed, "0.data");
    ck_assert_int_eq(cubex_member_inflate(&tar, &member, 0, 4095, &result, &result_size, &error),
                     STATUS_INPUT);
    ck_assert_msg(strstr(error.text, "longer than they can be"), "%s", error.text);
    ck_assert_int_eq(cubex_member_inflate(&tar, &member, 0, 4096, &result, &result_size, &error),
                     STATUS_OK);
    ck_assert_uint_eq(result_size, 4096);
    free(result);
}
END_TEST

static double get(const char *type, const void *data, bool swapped)
{
    return cubex_type_get(cubex_type_find(type), data, swapped);
}

START_TEST(numbers_of_every_type_are_read)
{
    double infinite = INFINITY, largest = DBL_MAX;
    ck_assert_double_eq(get("UINT8", "\xff", false), 255);
    ck_assert_double_eq(get("INT8", "\xff", false), -1);
    ck_assert_double_eq(get("UINT16", "\x01\x02", true), 0x102);
    ck_assert_double_eq(get("INT16", "\xff\xfe", true), -2);
    ck_assert_double_eq(get("INT32", "\xff\xff\xff\xfd", true), -3);
    ck_assert_double_eq(get("UINT32", "\xff\xff\xff\xff", true), UINT32_MAX);
    ck_assert_double_eq(get("INTEGER", "\xff\xff\xff\xff\xff\xff\xff\xfc", true), -4);
    ck_assert_double_eq(get("UINT64", "\0\0\0\1\0\0\0\0", true), 0x1p32);
    ck_assert_double_eq(get("FLOAT", &infinite, false), 0);
    ck_assert_double_eq(get("MINDOUBLE", &largest, false), 0);
    ck_assert_double_eq(get("DOUBLE", &largest, false), DBL_MAX);
    ck_assert_ptr_null(cubex_type_find("HISTOGRAM"));
}
END_TEST

/*  0        preorder:     0 1 3 4 2 5 | 6 7
 *  |- 1     by siblings:  0 1 2 3 4 5 | 6 7, where 2's child 5 comes after those of 1
 *  |  |- 3
 *  |  `- 4
 *  `- 2 - 5       6 - 7 */
START_TEST(rows_have_their_orders)
{
    static const uint32_t parents[] = {SEVERITY_NONE, 0, 0, 1, 1, 2, SEVERITY_NONE, 6};
    static const uint32_t preorder[] = {0, 1, 3, 4, 2, 5, 6, 7};
    uint32_t order[8];
    ck_assert(cubex_rows_preorder(parents, 8, order));
    ck_assert_mem_eq(order, preorder, sizeof order);
    ck_assert(cubex_rows_by_siblings(parents, 8, order));
    for (uint32_t i = 0; i < 8; i++)
        ck_assert_uint_eq(order[i], i);
    static const uint32_t deep[] = {SEVERITY_NONE, 0, 1, 1, 0, 4}; /* as a document has them */
    static const uint32_t by_siblings[] = {0, 1, 4, 2, 3, 5};
    ck_assert(cubex_rows_by_siblings(deep, 6, order));
    ck_assert_mem_eq(order, by_siblings, sizeof by_siblings);
}
END_TEST

/* The head of a member of 9 GiB: its size stands in a pax record. */
START_TEST(large_members_have_their_size_in_a_record)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    cubex_tar_write_head(stream, "0.data", 9ull << 30);
    fclose(stream);
    ck_assert_uint_eq(size, 3 * 512);
    ck_assert_str_eq(text + 512, "19 size=9663676416\n");
    struct severity_file file = {"file", (unsigned char *)text, size};
    struct cubex_tar archive;
    struct error error;
    ck_assert_int_eq(cubex_tar_open(&file, &archive, &error), STATUS_INPUT);
    ck_assert_str_eq(error.text, "file: the file is cut off within 0.data");
    free(text);
}
END_TEST

static enum status read_anchor(const char *text, struct cubex_anchor *anchor, struct error *error)
{
    struct cubex_member member = {
        .name = "anchor.xml", .data = (const unsigned char *)text, .size = strlen(text)};
    return cubex_anchor_read(&tar, &member, anchor, error);
}

/* The words of Cube 4.0, ids in no order, two streams that look like the same thread, a metric that
 * is computed from others. */
START_TEST(old_and_odd_anchors_are_read)
{
    static const char text[] =
        "<cube version=\"4.1\"><attr key=\"x\" value=\"y\"/><metrics>"
        "<metric id=\"7\"><uniq_name>time</uniq_name><uom>sec</uom><dtype>DOUBLE</dtype>"
        "<metric id=\"8\" type=\"POSTDERIVED\"><uniq_name>ipc</uniq_name></metric></metric>"
        "</metrics><program><region id=\"5\" mod=\"MPI\"><name>MPI_Send</name></region>"
        "<region id=\"3\"><name>f&lt;int&gt;</name></region>"
        "<cnode id=\"9\" calleeId=\"3\"><parameter parkey=\"n\" parvalue=\"2\"/>"
        "<cnode id=\"2\" calleeId=\"5\"/></cnode></program><system>"
        "<machine Id=\"0\"><name>m</name><node Id=\"0\"><name>node n1</name>"
        "<process Id=\"1\"><rank>4</rank><thread Id=\"6\"><rank>0</rank></thread></process>"
        "<process Id=\"0\"><rank>4</rank><thread Id=\"5\"><rank>0</rank></thread></process>"
        "<process Id=\"2\"><rank>7</rank><thread Id=\"1\"><rank>0</rank></thread></process>"
        "</node></machine></system></cube>";
    struct cubex_anchor anchor;
    struct error error;
    enum status status = read_anchor(text, &anchor, &error);
    ck_assert_msg(status == STATUS_OK, "%s", error.text);
    ck_assert_uint_eq(anchor.metrics.count, 2);
    ck_assert_str_eq(anchor.metrics.items[0].id, "7");
    ck_assert_uint_eq(anchor.metrics.items[1].parent, 0);
    ck_assert_str_eq(anchor.metrics.items[1].kind, "POSTDERIVED");
    ck_assert_uint_eq(anchor.callpaths.count, 2);
    ck_assert_str_eq(anchor.callpaths.items[0].name, "f<int> (n=2)");
    ck_assert(anchor.callpaths.items[1].mpi && anchor.callpaths.items[1].parent == 0);
    ck_assert_uint_eq(anchor.locations.count, 3);
    ck_assert_uint_eq(anchor.locations.items[0].rank, 7);
    ck_assert_str_eq(anchor.locations.items[0].host, "n1");
    ck_assert_uint_eq(anchor.locations.items[1].rank, 4);
    ck_assert_uint_eq(anchor.locations.items[1].thread, 0);
    ck_assert_uint_eq(anchor.locations.items[2].rank, 4);
    ck_assert_uint_eq(anchor.locations.items[2].thread, 1);
    cubex_anchor_clear(&anchor);
}
END_TEST

START_TEST(bad_anchors_are_named)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"<cube version=\"4.4\">\n<metrics>", "file: anchor.xml:2: no element found"},
        {"", "no element found"},
        {"<html/>", "not the description of a Cube file"},
        {"<cube version=\"3.0\"/>", "not of version 4"},
        {"<cube/>", "not of version 4"},
        {"<cube version=\"4.4\"><program><cnode calleeId=\"1\"/></program></cube>",
         "a region that does not exist"},
        {"<cube version=\"4.4\"><metric id=\"x\"/></cube>", "not a number"},
        {"<cube version=\"4.4\"><region/></cube>", "an id or a rank is missing"},
        {"<cube version=\"4.4\"><location Id=\"0\"/></cube>", "outside of any process"},
        {"<cube version=\"4.4\"><locationgroup><location Id=\"0\"/><location Id=\"0\"/>"
         "</locationgroup></cube>",
         "the same id"},
        {"<cube version=\"4.4\"><attr key=\"CLUSTERING\" value=\"ON\"/></cube>", "clustered"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cubex_anchor anchor;
        struct error error;
        ck_assert_int_eq(read_anchor(cases[i].text, &anchor, &error), STATUS_INPUT);
        ck_assert_msg(strstr(error.text, cases[i].message), "%s", error.text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cubex");
    TCase *tests = tcase_create("parts");
    tcase_add_loop_test(tests, indices_are_read_in_either_byte_order, 0, 2);
    tcase_add_test(tests, bad_indices_are_named);
    tcase_add_loop_test(tests, data_are_read_in_either_byte_order, 0, 2);
    tcase_add_loop_test(tests, compressed_data_are_read, 0, 2);
    tcase_add_test(tests, bad_data_are_named);
    tcase_add_test(tests, too_much_inflated_data_is_refused);
    tcase_add_test(tests, numbers_of_every_type_are_read);
    tcase_add_test(tests, rows_have_their_orders);
    tcase_add_test(tests, large_members_have_their_size_in_a_record);
    tcase_add_test(tests, old_and_odd_anchors_are_read);
    tcase_add_test(tests, bad_anchors_are_named);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
