# Traces in formats of other tools.
noinst_LIBRARIES += libexports.a
libexports_a_SOURCES = src/exchange/exports/format.h src/exchange/exports/format_list.c src/exchange/exports/format_template.c \
	src/exchange/exports/goal.c src/exchange/exports/simgrid.c \
	src/exchange/exports/locations.h src/exchange/exports/locations.c src/exchange/exports/csv.c src/exchange/exports/folded.c \
	src/exchange/exports/perfetto.c src/exchange/exports/perfetto_packets.h src/exchange/exports/perfetto_packets.c \
	src/exchange/exports/protobuf.h src/exchange/exports/protobuf.c
exports_libs = libexports.a $(schedules_libs) $(patterns_libs) $(report_libs)

bin_PROGRAMS += silas-export
silas_export_SOURCES = src/programs/silas-export.c
silas_export_LDADD = $(program_libs) $(exports_libs) $(job_libs)
dist_man_MANS += doc/silas-export.1
dist_doc_DATA += doc/exports.md
