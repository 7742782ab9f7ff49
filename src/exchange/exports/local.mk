# Traces in formats of other tools.
noinst_LTLIBRARIES += libexports.la
libexports_la_SOURCES = src/exchange/exports/format.h src/exchange/exports/format_list.c src/exchange/exports/format_template.c \
	src/exchange/exports/goal.c src/exchange/exports/simgrid.c \
	src/exchange/exports/parts.h src/exchange/exports/parts.c src/exchange/exports/csv.c src/exchange/exports/folded.c \
	src/exchange/exports/perfetto.c src/exchange/exports/perfetto_packets.h src/exchange/exports/perfetto_packets.c \
	src/exchange/exports/protobuf.h src/exchange/exports/protobuf.c
libexports_la_LIBADD = libschedules.la libpatterns.la libreport.la

bin_PROGRAMS += silas-export
silas_export_SOURCES = src/programs/silas-export.c
silas_export_LDADD = libprogram.la libexports.la libjob.la
dist_man_MANS += doc/silas-export.1
dist_doc_DATA += doc/exports.md
