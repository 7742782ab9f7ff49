# Advice: what to change in a program, found, tried and ranked.
noinst_LIBRARIES += libadvice.a
libadvice_a_SOURCES = \
	src/advise/advice.c src/advise/advice.h \
	src/advise/facts.c src/advise/facts.h \
	src/advise/candidate.c src/advise/candidate.h \
	src/advise/candidates/families.h \
	src/advise/candidates/list.c \
	src/advise/candidates/barriers.c \
	src/advise/candidates/collectives.c \
	src/advise/candidates/early.c \
	src/advise/candidates/empty_messages.c \
	src/advise/candidates/extra_work.c \
	src/advise/candidates/imbalance.c \
	src/advise/candidates/overlap.c \
	src/advise/candidates/placement.c \
	src/advise/candidates/repeated_messages.c \
	src/advise/candidates/threads.c \
	src/advise/candidates/stragglers.c \
	src/advise/trial.c src/advise/trial.h src/advise/config_draft.c src/advise/config_draft.h \
	src/advise/choose.c src/advise/choose.h \
	src/advise/moves.c src/advise/moves.h \
	src/advise/format.h src/advise/text.c src/advise/json.c src/advise/html.c
advice_libs = libadvice.a $(sweep_libs) $(job_libs) $(patterns_libs) $(report_libs)

# Its page.
advice_page_files = $(pages)/page.html $(srcdir)/src/advise/advice.css $(srcdir)/src/advise/advice.js
nodist_libadvice_a_SOURCES = src/advise/advice_page.c
BUILT_SOURCES += src/advise/advice_page.c
CLEANFILES += src/advise/advice_page.c
EXTRA_DIST += $(advice_page_files)
src/advise/advice_page.c: $(advice_page_files) $(pages)/page.awk
	$(page_of) -v name=advice_page $(advice_page_files) > $@.tmp && mv $@.tmp $@
