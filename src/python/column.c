/* Columns as Python objects. The layouts of Arrow's structures are those that
 * https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html publish; the
 * names of the capsules are those of the "PyCapsule interface" there. */
#include "python/module_private.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *schema);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *array);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *schema);
    int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *array);
    const char *(*get_last_error)(struct ArrowArrayStream *stream);
    void (*release)(struct ArrowArrayStream *stream);
    void *private_data;
};

enum { ARROW_FLAG_NULLABLE = 2 };

/* The stable interface contains buffers since 3.11, with the layout and the slots that they have
 * had in 3.9 and 3.10. */
struct buffer_view {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
};
enum { BUFFER_GET_SLOT = 1, BUFFER_WRITABLE = 1, BUFFER_FORMAT = 4, BUFFER_ND = 8 };

struct column {
    PyObject ob_base; /* PyObject_HEAD */
    PyObject *owner, *categories;
    void *data;
    Py_ssize_t length, stride;
    char format;
    bool nullable;
};

static PyTypeObject *column_type;

PyObject *column_new(PyObject *owner, void *data, size_t length, char format, bool nullable,
                     PyObject *categories)
{
    assert(data || length == 0);
    struct column *column = PyObject_New(struct column, column_type);
    if (!column) {
        if (!owner)
            free(data);
        return NULL;
    }
    Py_XINCREF(owner);
    Py_XINCREF(categories);
    column->owner = owner;
    column->categories = categories;
    column->data = data;
    column->length = (Py_ssize_t)length;
    column->stride = (Py_ssize_t)column_width(format);
    column->format = format;
    column->nullable = nullable;
    return (PyObject *)column;
}

static void column_dealloc(PyObject *self)
{
    struct column *column = (struct column *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (!column->owner)
        free(column->data);
    Py_XDECREF(column->owner);
    Py_XDECREF(column->categories);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* The letter of the module struct and of buffers. */
static const char *struct_format(char format)
{
    switch (format) {
    case 'c':
        return "b";
    case 'C':
        return "B";
    case 'i':
        return "i";
    case 'L':
        return "Q";
    default:
        return "d";
    }
}

static int column_getbuffer(PyObject *self, struct buffer_view *view, int flags)
{
    struct column *column = (struct column *)self;
    if (flags & BUFFER_WRITABLE) {
        view->obj = NULL;
        PyErr_SetString(PyExc_BufferError, "columns are read-only");
        return -1;
    }
    Py_INCREF(self);
    *view = (struct buffer_view){
        .buf = column->data,
        .obj = self,
        .len = column->length * column->stride,
        .itemsize = column->stride,
        .readonly = 1,
        .ndim = 1,
        .format = flags & BUFFER_FORMAT ? (char *)struct_format(column->format) : NULL,
        .shape = flags & BUFFER_ND ? &column->length : NULL,
        .strides = flags & 16 ? &column->stride : NULL};
    return 0;
}

/* The number at a place: whether there is one is `*present`. */
static int64_t whole_at(const struct column *column, Py_ssize_t i, bool *present)
{
    int64_t value;
    switch (column->format) {
    case 'c':
        value = ((const int8_t *)column->data)[i];
        break;
    case 'C':
        value = ((const uint8_t *)column->data)[i];
        break;
    case 'i':
        value = ((const int32_t *)column->data)[i];
        break;
    default:
        value = ((const int64_t *)column->data)[i];
    }
    *present = !column->nullable || value != -1;
    return value;
}

static Py_ssize_t column_length(PyObject *self)
{
    return ((struct column *)self)->length;
}

static PyObject *column_item(PyObject *self, Py_ssize_t i)
{
    const struct column *column = (struct column *)self;
    bool present;
    if (i < 0 || i >= column->length) {
        PyErr_SetString(PyExc_IndexError, "row out of range");
        return NULL;
    }
    if (column->format == 'g')
        return PyFloat_FromDouble(((const double *)column->data)[i]);
    const int64_t value = whole_at(column, i, &present);
    if (!present)
        Py_RETURN_NONE;
    if (column->categories) {
        PyObject *text = PyTuple_GetItem(column->categories, (Py_ssize_t)value);
        Py_XINCREF(text);
        return text;
    }
    return column->format == 'L' ? PyLong_FromUnsignedLongLong((uint64_t)value)
                                 : PyLong_FromLongLong(value);
}

/* A row, or consecutive rows as a column over the same memory. */
static PyObject *column_subscript(PyObject *self, PyObject *key)
{
    const struct column *column = (struct column *)self;
    Py_ssize_t start, stop, step;
    if (PyIndex_Check(key)) {
        const Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (i == -1 && PyErr_Occurred())
            return NULL;
        return column_item(self, i < 0 ? i + column->length : i);
    }
    if (!PySlice_Check(key)) {
        PyErr_SetString(PyExc_TypeError, "expected a row or consecutive rows");
        return NULL;
    }
    if (PySlice_Unpack(key, &start, &stop, &step) < 0)
        return NULL;
    const Py_ssize_t count = PySlice_AdjustIndices(column->length, &start, &stop, step);
    if (step != 1) {
        PyErr_SetString(PyExc_ValueError, "columns have slices of step 1 only; use numpy.asarray");
        return NULL;
    }
    return column_new(self, (char *)column->data + start * column->stride, (size_t)count,
                      column->format, column->nullable, column->categories);
}

static PyObject *get_categories(PyObject *self, void *closure)
{
    PyObject *categories = ((struct column *)self)->categories;
    (void)closure;
    categories = categories ? categories : Py_None;
    Py_INCREF(categories);
    return categories;
}

static PyObject *get_nullable(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(((struct column *)self)->nullable);
}

static PyObject *get_format(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(struct_format(((struct column *)self)->format));
}

static PyObject *get_array_interface(PyObject *self, void *closure)
{
    const struct column *column = (struct column *)self;
    const union {
        uint16_t whole;
        uint8_t first;
    } order = {1};
    char type[8] = {column->stride == 1 ? '|'
                    : order.first       ? '<'
                                        : '>',
                    column->format == 'g'                            ? 'f'
                    : column->format == 'L' || column->format == 'C' ? 'u'
                                                                     : 'i',
                    (char)('0' + column->stride)};
    (void)closure;
    return Py_BuildValue("{s:(n),s:s,s:(NO),s:i}", "shape", column->length, "typestr", type, "data",
                         PyLong_FromVoidPtr(column->data), PyBool_FromLong(1), "version", 3);
}

/* A schema's children and dictionary belong to it. */
static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *child = schema->children[i];
        if (child->release)
            child->release(child);
        free(child);
    }
    if (schema->dictionary && schema->dictionary->release)
        schema->dictionary->release(schema->dictionary);
    free(schema->dictionary);
    free(schema->children);
    free((char *)schema->name);
    schema->release = NULL;
}

static bool open_schema(struct ArrowSchema *schema, const char *format, const char *name,
                        bool nullable)
{
    *schema = (struct ArrowSchema){.format = format,
                                   .name = strdup(name),
                                   .flags = nullable ? ARROW_FLAG_NULLABLE : 0,
                                   .release = release_schema};
    return schema->name;
}

static bool fill_schema(const struct column *column, const char *name, struct ArrowSchema *schema)
{
    static const char *const formats[] = {"c", "C", "i", "L", "g"};
    const char *format = formats[4];
    for (size_t f = 0; f < 5; f++)
        if (*formats[f] == column->format)
            format = formats[f];
    if (!open_schema(schema, format, name, column->nullable))
        return false;
    if (!column->categories)
        return true;
    schema->dictionary = calloc(1, sizeof *schema->dictionary);
    return schema->dictionary && open_schema(schema->dictionary, "u", "", false);
}

/* What an exported array owns. */
struct exported {
    PyObject *column; /* NULL: none */
    void *blocks[2];  /* the bits of a column; offsets and texts of a dictionary */
    const void *buffers[3];
};

/* Any thread may call it. After the interpreter's end the column is gone with it. */
static void release_array(struct ArrowArray *array)
{
    struct exported *exported = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child->release)
            child->release(child);
        free(child);
    }
    if (array->dictionary && array->dictionary->release)
        array->dictionary->release(array->dictionary);
    free(array->dictionary);
    free(array->children);
    if (exported->column && Py_IsInitialized()) {
        const PyGILState_STATE state = PyGILState_Ensure();
        Py_DECREF(exported->column);
        PyGILState_Release(state);
    }
    free(exported->blocks[0]);
    free(exported->blocks[1]);
    free(exported);
    array->release = NULL;
}

static struct exported *open_array(struct ArrowArray *array, Py_ssize_t length, int buffers)
{
    struct exported *exported = calloc(1, sizeof *exported);
    *array = (struct ArrowArray){.length = length,
                                 .n_buffers = buffers,
                                 .buffers = exported ? exported->buffers : NULL,
                                 .release = exported ? release_array : NULL,
                                 .private_data = exported};
    return exported;
}

/* The texts of a dictionary: offsets, then characters. */
static bool fill_dictionary(PyObject *categories, struct ArrowArray *array)
{
    const Py_ssize_t count = PyTuple_Size(categories);
    struct exported *exported = open_array(array, count, 3);
    int32_t *offsets = exported ? calloc((size_t)count + 1, sizeof *offsets) : NULL;
    struct bytes text = {0};
    bool done = offsets != NULL;
    if (exported)
        exported->blocks[0] = offsets;
    for (Py_ssize_t i = 0; done && i < count; i++) {
        PyObject *bytes = PyUnicode_AsUTF8String(PyTuple_GetItem(categories, i));
        done = bytes && text.size + (size_t)PyBytes_Size(bytes) <= INT32_MAX &&
               bytes_put(&text, PyBytes_AsString(bytes), (size_t)PyBytes_Size(bytes));
        offsets[i + 1] = (int32_t)text.size;
        Py_XDECREF(bytes);
    }
    if (exported) {
        exported->blocks[1] = text.data;
        exported->buffers[1] = offsets;
        exported->buffers[2] = text.data ? text.data : "";
    }
    return done;
}

/* The bits of the values that are present. NULL when memory is out. */
static uint8_t *presence_bits(const struct column *column, int64_t *missing)
{
    uint8_t *bits = calloc((size_t)column->length / 8 + 1, 1);
    for (Py_ssize_t i = 0; bits && i < column->length; i++) {
        bool present;
        whole_at(column, i, &present);
        bits[i / 8] |= (uint8_t)(present << i % 8);
        *missing += !present;
    }
    return bits;
}

static bool fill_array(struct column *column, struct ArrowArray *array)
{
    struct exported *exported = open_array(array, column->length, 2);
    if (!exported)
        return false;
    exported->buffers[1] = column->data ? column->data : "";
    if (column->nullable) {
        exported->blocks[0] = presence_bits(column, &array->null_count);
        exported->buffers[0] = exported->blocks[0];
        if (!exported->blocks[0])
            return false;
    }
    Py_INCREF((PyObject *)column);
    exported->column = (PyObject *)column;
    if (!column->categories)
        return true;
    array->dictionary = calloc(1, sizeof *array->dictionary);
    return array->dictionary && fill_dictionary(column->categories, array->dictionary);
}

/* A struct of columns. `names` NULL: the only column by itself. */
static bool fill_table_schema(PyObject *names, PyObject *columns, struct ArrowSchema *schema)
{
    if (names == Py_None)
        return fill_schema((struct column *)PyTuple_GetItem(columns, 0), "", schema);
    const Py_ssize_t count = PyTuple_Size(columns);
    if (!open_schema(schema, "+s", "", false) ||
        !(schema->children = calloc((size_t)count + 1, sizeof(struct ArrowSchema *))))
        return false;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name = PyUnicode_AsUTF8String(PyTuple_GetItem(names, i));
        struct ArrowSchema *child = name ? calloc(1, sizeof *child) : NULL;
        if (child)
            schema->children[schema->n_children++] = child;
        const bool done = child && fill_schema((struct column *)PyTuple_GetItem(columns, i),
                                               PyBytes_AsString(name), child);
        Py_XDECREF(name);
        if (!done)
            return false;
    }
    return true;
}

static bool fill_table_array(PyObject *names, PyObject *columns, struct ArrowArray *array)
{
    struct column *first =
        PyTuple_Size(columns) > 0 ? (struct column *)PyTuple_GetItem(columns, 0) : NULL;
    if (names == Py_None)
        return fill_array(first, array);
    const Py_ssize_t count = PyTuple_Size(columns);
    const struct exported *exported = open_array(array, first ? first->length : 0, 1);
    if (!exported || !(array->children = calloc((size_t)count + 1, sizeof(struct ArrowArray *))))
        return false;
    for (Py_ssize_t i = 0; i < count; i++) {
        struct ArrowArray *child = calloc(1, sizeof *child);
        if (child)
            array->children[array->n_children++] = child;
        if (!child || !fill_array((struct column *)PyTuple_GetItem(columns, i), child))
            return false;
    }
    return true;
}

/* Capsules that were not taken over release what they contain. */
#define CAPSULE_END(structure, name)                                      \
    static void end_##name(PyObject *capsule)                             \
    {                                                                     \
        struct structure *content = PyCapsule_GetPointer(capsule, #name); \
        if (content && content->release)                                  \
            content->release(content);                                    \
        free(content);                                                    \
    }
CAPSULE_END(ArrowSchema, arrow_schema)
CAPSULE_END(ArrowArray, arrow_array)
CAPSULE_END(ArrowArrayStream, arrow_array_stream)

/* Checks the arguments (names, columns): names are a tuple of texts, or None for one column. */
static bool parse_named_columns(PyObject *arguments, PyObject **names, PyObject **columns)
{
    if (!PyArg_ParseTuple(arguments, "OO!", names, &PyTuple_Type, columns))
        return false;
    const Py_ssize_t count = PyTuple_Size(*columns);
    bool fits =
        *names == Py_None ? count == 1 : PyTuple_Check(*names) && PyTuple_Size(*names) == count;
    for (Py_ssize_t i = 0; i < count && fits; i++)
        fits = Py_TYPE(PyTuple_GetItem(*columns, i)) == column_type &&
               (*names == Py_None || PyUnicode_Check(PyTuple_GetItem(*names, i))) &&
               column_length(PyTuple_GetItem(*columns, i)) ==
                   column_length(PyTuple_GetItem(*columns, 0));
    if (!fits)
        PyErr_SetString(PyExc_TypeError, "expected names and columns of the same length");
    return fits;
}

static PyObject *no_memory(void)
{
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

PyObject *arrow_schema(PyObject *module, PyObject *arguments)
{
    PyObject *names, *columns;
    (void)module;
    if (!parse_named_columns(arguments, &names, &columns))
        return NULL;
    struct ArrowSchema *schema = calloc(1, sizeof *schema);
    PyObject *capsule = schema ? PyCapsule_New(schema, "arrow_schema", end_arrow_schema) : NULL;
    if (!capsule)
        free(schema);
    if (capsule && fill_table_schema(names, columns, schema))
        return capsule;
    Py_XDECREF(capsule);
    return no_memory();
}

PyObject *arrow_array(PyObject *module, PyObject *arguments)
{
    PyObject *names, *columns;
    (void)module;
    if (!parse_named_columns(arguments, &names, &columns))
        return NULL;
    struct ArrowArray *array = calloc(1, sizeof *array);
    PyObject *capsule = array ? PyCapsule_New(array, "arrow_array", end_arrow_array) : NULL;
    if (!capsule)
        free(array);
    if (capsule && fill_table_array(names, columns, array))
        return capsule;
    Py_XDECREF(capsule);
    return no_memory();
}

/* A stream has one array. */
struct table_stream {
    PyObject *names, *columns;
    bool ended;
};

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema)
{
    const struct table_stream *of = stream->private_data;
    const PyGILState_STATE state = PyGILState_Ensure();
    *schema = (struct ArrowSchema){.release = NULL};
    const bool done = fill_table_schema(of->names, of->columns, schema);
    if (!done && schema->release)
        schema->release(schema);
    PyErr_Clear();
    PyGILState_Release(state);
    return done ? 0 : 12; /* ENOMEM */
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *array)
{
    struct table_stream *of = stream->private_data;
    *array = (struct ArrowArray){.release = NULL};
    if (of->ended)
        return 0;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool done = fill_table_array(of->names, of->columns, array);
    of->ended = done;
    if (!done && array->release)
        array->release(array);
    PyErr_Clear();
    PyGILState_Release(state);
    return done ? 0 : 12; /* ENOMEM */
}

static const char *stream_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "out of memory";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    struct table_stream *of = stream->private_data;
    if (Py_IsInitialized()) {
        const PyGILState_STATE state = PyGILState_Ensure();
        Py_DECREF(of->names);
        Py_DECREF(of->columns);
        PyGILState_Release(state);
    }
    free(of);
    stream->release = NULL;
}

PyObject *arrow_stream(PyObject *module, PyObject *arguments)
{
    PyObject *names, *columns;
    (void)module;
    if (!parse_named_columns(arguments, &names, &columns))
        return NULL;
    struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
    struct table_stream *of = calloc(1, sizeof *of);
    PyObject *capsule =
        stream && of ? PyCapsule_New(stream, "arrow_array_stream", end_arrow_array_stream) : NULL;
    if (!capsule) {
        free(stream);
        free(of);
        return no_memory();
    }
    Py_INCREF(names);
    Py_INCREF(columns);
    *of = (struct table_stream){names, columns, false};
    *stream = (struct ArrowArrayStream){stream_schema, stream_next, stream_last_error,
                                        release_stream, NULL};
    stream->private_data = of;
    return capsule;
}

/* (None, (column,)): a column by itself, as the functions above take it. */
static PyObject *as_table(PyObject *self)
{
    return Py_BuildValue("O(O)", Py_None, self);
}

static PyObject *column_arrow_schema(PyObject *self, PyObject *unused)
{
    PyObject *arguments = as_table(self);
    (void)unused;
    PyObject *schema = arguments ? arrow_schema(NULL, arguments) : NULL;
    Py_XDECREF(arguments);
    return schema;
}

static PyObject *column_arrow_array(PyObject *self, PyObject *requested)
{
    PyObject *arguments = as_table(self);
    (void)requested;
    PyObject *schema = arguments ? arrow_schema(NULL, arguments) : NULL;
    PyObject *array = schema ? arrow_array(NULL, arguments) : NULL;
    PyObject *both = array ? PyTuple_Pack(2, schema, array) : NULL;
    Py_XDECREF(arguments);
    Py_XDECREF(schema);
    Py_XDECREF(array);
    return both;
}

int column_type_add(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"__arrow_c_schema__", column_arrow_schema, METH_NOARGS, "The type, for Arrow."},
        {"__arrow_c_array__", column_arrow_array, METH_VARARGS,
         "__arrow_c_array__(requested_schema=None): the type and the values, for Arrow; the values "
         "are not copied."},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef attributes[] = {
        {"categories", get_categories, NULL,
         "The texts to which the numbers of the column refer; None: it is a column of numbers.",
         NULL},
        {"nullable", get_nullable, NULL, "Whether -1 stands for a missing value.", NULL},
        {"format", get_format, NULL, "The type of the values, a letter of the module struct.",
         NULL},
        {"__array_interface__", get_array_interface, NULL, "For numpy.", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, column_dealloc},
        {Py_tp_methods, methods},
        {Py_tp_getset, attributes},
        {Py_tp_doc, "A column of a table, read-only.\n\n"
                    "numpy.asarray(column) and memoryview(column) show its numbers without a copy; "
                    "column[i] is a value (a text where the column has categories, None for a "
                    "missing value), column[i:j] the same memory from row i to row j - 1."},
        {Py_tp_iter, PySeqIter_New},
        {Py_sq_length, column_length},
        {Py_sq_item, column_item},
        {Py_mp_length, column_length},
        {Py_mp_subscript, column_subscript},
        {BUFFER_GET_SLOT, column_getbuffer},
        {0, NULL},
    };
    static PyType_Spec spec = {"silas.Column", sizeof(struct column), 0, Py_TPFLAGS_DEFAULT, slots};
    column_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!column_type)
        return -1;
    Py_INCREF(column_type);
    return PyModule_AddObject(module, "Column", (PyObject *)column_type);
}
