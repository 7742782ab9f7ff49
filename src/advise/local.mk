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
	src/advise/trial.c src/advise/trial.h src/advise/start.c src/advise/start.h \
	src/advise/choose.c src/advise/choose.h \
	src/advise/moves.c src/advise/moves.h \
	src/advise/format.h src/advise/text.c src/advise/json.c src/advise/html.c
advice_libs = libadvice.a $(sweep_libs) $(job_libs) $(patterns_libs) $(report_libs)

# The style of the page, with the colours of all pages.
BUILT_SOURCES += src/advise/html_style.inc
CLEANFILES += src/advise/html_style.inc
EXTRA_DIST += src/advise/html.css
src/advise/html_style.inc: src/report/html/theme.css src/advise/html.css
	@$(MKDIR_P) src/advise
	$(AM_V_GEN)cat $(top_srcdir)/src/report/html/theme.css $(top_srcdir)/src/advise/html.css | $(SED) 's/[\\"]/\\&/g; s/.*/"&\\n"/' > $@.tmp && mv $@.tmp $@
