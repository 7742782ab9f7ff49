# What a user gets to see, a folder for each format: each format reads severities (and plain data
# about the runs), no more; the time line reads a trace.

# Severity files: one store written and read in each format.
noinst_LTLIBRARIES += libseverityreport.la
libseverityreport_la_SOURCES = \
	src/report/severity_format.h src/report/format_list.c \
	src/report/report_file.c src/report/report_file.h src/report/severity_read.c \
	src/report/comparison.c src/report/comparison.h \
	src/report/utf8.c src/report/utf8.h \
	src/report/text/severity.c src/report/text/changes.c src/report/text/changes.h \
	src/report/tsv/severity.c src/report/tsv/severity.h src/report/tsv/severity_read.c \
	src/report/json/severity.c src/report/json/severity.h src/report/json/severity_read.c \
	src/report/cubex/cubex.c src/report/cubex/cubex.h \
	src/report/cubex/read.c src/report/cubex/write.c \
	src/report/cubex/anchor.h src/report/cubex/anchor_private.h \
	src/report/cubex/anchor_read.c src/report/cubex/anchor_objects.c \
	src/report/cubex/anchor_write.c \
	src/report/cubex/data.c src/report/cubex/data.h \
	src/report/cubex/index.c src/report/cubex/index.h \
	src/report/cubex/inflate.c src/report/cubex/inflate.h \
	src/report/cubex/rows.c src/report/cubex/rows.h \
	src/report/cubex/tar.h src/report/cubex/tar_format.h \
	src/report/cubex/tar_read.c src/report/cubex/tar_write.c \
	src/report/cubex/type.c src/report/cubex/type.h
libseverityreport_la_CPPFLAGS = $(AM_CPPFLAGS) $(EXPAT_CFLAGS) $(ZLIB_CFLAGS)
libseverityreport_la_LIBADD = libseverity.la $(JANSSON_LIBS) $(EXPAT_LIBS) $(ZLIB_LIBS)

noinst_LTLIBRARIES += libreport.la
libreport_la_SOURCES = \
	src/report/efficiency.c src/report/efficiency.h \
	src/report/replay_report.h \
	src/report/units.c src/report/units.h \
	src/report/text/replay.c src/report/text/replay.h \
	src/report/text/tables.c src/report/text/tables.h \
	src/report/tsv/difference.c src/report/tsv/difference.h \
	src/report/json/replay.c src/report/json/replay.h \
	src/report/timeline/timeline.c src/report/timeline/timeline.h \
	src/report/timeline/json.c src/report/timeline/json.h \
	src/report/timeline/messages.c src/report/timeline/messages.h \
	src/report/timeline/page.h \
	src/report/timeline/path.c src/report/timeline/path.h \
	src/report/timeline/pieces.c src/report/timeline/pieces.h
libreport_la_LIBADD = libseverityreport.la libtrace.la libbase.la $(JANSSON_LIBS)

# The page of the time line: one C string.
timeline_page_files = src/report/timeline/timeline.html src/report/timeline/timeline.css \
	src/report/timeline/data.js src/report/timeline/view.js \
	src/report/timeline/draw.js src/report/timeline/input.js
nodist_libreport_la_SOURCES = src/report/timeline/page.c
BUILT_SOURCES += src/report/timeline/page.c
CLEANFILES += src/report/timeline/page.c
EXTRA_DIST += src/report/timeline/page.awk $(timeline_page_files)
src/report/timeline/page.c: $(timeline_page_files) src/report/timeline/page.awk
	@$(MKDIR_P) src/report/timeline
	$(AM_V_GEN)$(AWK) -v folder=$(top_srcdir)/src/report/timeline -f $(top_srcdir)/src/report/timeline/page.awk $(top_srcdir)/src/report/timeline/timeline.html > $@.tmp && mv $@.tmp $@
