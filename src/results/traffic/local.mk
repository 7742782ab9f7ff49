# What ranks send to each other.
noinst_LIBRARIES += libtraffic.a
libtraffic_a_SOURCES = src/results/traffic/measure.c src/results/traffic/traffic.h \
	src/results/traffic/text.c src/results/traffic/write.c
traffic_page_files = $(pages)/page.html $(srcdir)/src/results/traffic/traffic.js
nodist_libtraffic_a_SOURCES = src/results/traffic/traffic_kind.c
BUILT_SOURCES += src/results/traffic/traffic_kind.c
CLEANFILES += src/results/traffic/traffic_kind.c
EXTRA_DIST += src/results/traffic/traffic.js
src/results/traffic/traffic_kind.c: $(traffic_page_files) $(pages)/page.awk
	$(page_of) -v name=traffic_page $(traffic_page_files) > $@.tmp && mv $@.tmp $@

bin_PROGRAMS += silas-traffic
silas_traffic_SOURCES = src/programs/silas-traffic.c
silas_traffic_LDADD = libtraffic.a $(program_libs) $(job_libs)
dist_man_MANS += doc/silas-traffic.1
dist_doc_DATA += doc/traffic.schema.json
