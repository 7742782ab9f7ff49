# Traces in formats of other tools.
noinst_LTLIBRARIES += libexports.la
libexports_la_SOURCES = exports/format.h exports/format_list.c exports/format_template.c \
	exports/goal.c exports/simgrid.c \
	exports/parts.h exports/parts.c exports/csv.c exports/folded.c \
	exports/perfetto.c exports/perfetto_packets.h exports/perfetto_packets.c \
	exports/protobuf.h exports/protobuf.c
libexports_la_LIBADD = libschedules.la libpatterns.la libreport.la

bin_PROGRAMS += silas-export
silas_export_SOURCES = src/programs/silas-export.c
silas_export_LDADD = libprogram.la libexports.la libjob.la
dist_man_MANS += doc/silas-export.1
dist_doc_DATA += doc/exports.md
