# Severity files: one store written and read in each format.
noinst_LTLIBRARIES += libseverityreport.la
libseverityreport_la_SOURCES = \
	src/report/severity_format.h src/report/format_list.c \
	src/report/report_file.c src/report/report_file.h src/report/severity_read.c \
	src/report/severity_text.c \
	src/report/severity_changes.c src/report/severity_changes.h \
	src/report/comparison.c src/report/comparison.h \
	src/report/severity_tsv.c src/report/severity_tsv.h src/report/severity_tsv_read.c \
	src/report/severity_json.c src/report/severity_json.h src/report/severity_json_read.c \
	src/report/utf8.c src/report/utf8.h \
	src/report/cubex.c src/report/cubex.h src/report/cubex_read.c src/report/cubex_write.c \
	src/report/cubex_anchor.h src/report/cubex_anchor_private.h \
	src/report/cubex_anchor_read.c src/report/cubex_anchor_objects.c \
	src/report/cubex_anchor_write.c \
	src/report/cubex_data.c src/report/cubex_data.h \
	src/report/cubex_index.c src/report/cubex_index.h \
	src/report/cubex_inflate.c src/report/cubex_inflate.h \
	src/report/cubex_rows.c src/report/cubex_rows.h \
	src/report/cubex_tar.h src/report/cubex_tar_format.h \
	src/report/cubex_tar_read.c src/report/cubex_tar_write.c \
	src/report/cubex_type.c src/report/cubex_type.h
libseverityreport_la_CPPFLAGS = $(AM_CPPFLAGS) $(EXPAT_CFLAGS) $(ZLIB_CFLAGS)
libseverityreport_la_LIBADD = libseverity.la $(JANSSON_LIBS) $(EXPAT_LIBS) $(ZLIB_LIBS)
