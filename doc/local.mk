# Pages for users. Some belong to a part of SILAS, whose local.mk installs them.
dist_doc_DATA += doc/tutorial.md doc/questions.md doc/part-of-a-run.md doc/spawn.md doc/install.md doc/containers.md doc/glossary.md doc/methods.md doc/model.md doc/metrics.md \
	doc/severity-files.md doc/report-json.md doc/python.md doc/realtime-replay.md doc/scaling.md doc/packaging.md doc/validation.md doc/report-html.md \
	ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md
# JSON schemas of the output of programs.
dist_doc_DATA += doc/report.schema.json doc/severity.schema.json doc/advice.schema.json \
	doc/sweep.schema.json doc/verify.schema.json doc/gate.schema.json

# Pictures, in a folder next to the pages that show them.
picturesdir = $(docdir)/pictures
dist_pictures_DATA = doc/pictures/report.png doc/pictures/structure.png doc/pictures/fold.svg

# All pages are installed in one folder, so links from README.md into doc/ lose this prefix.
pages_that_link_to_doc = README.md ARCHITECTURE.md CONTRIBUTING.md
install-data-hook:
	@for page in $(pages_that_link_to_doc); do \
		sed 's|](doc/|](|g' $(top_srcdir)/$$page >$(DESTDIR)$(docdir)/$$page || exit 1; \
	done

# Pages that are also installed as manual pages.
EXTRA_DIST += doc/man.awk
nodist_man_MANS = doc/silas-config.5 doc/silas-script.5 doc/silas-glossary.7
CLEANFILES += $(nodist_man_MANS)
make_man = $(AM_V_GEN)$(MKDIR_P) doc && $(AWK) -f $(top_srcdir)/doc/man.awk -v
doc/silas-config.5: doc/config.md doc/man.awk
	$(make_man) name=silas-config -v section=5 \
		-v summary='configuration files of silas-replay, silas-model and silas-sweep' \
		$(top_srcdir)/doc/config.md >$@.tmp && mv $@.tmp $@
doc/silas-script.5: doc/predict.md doc/predict-language.md doc/man.awk
	$(AM_V_GEN)$(MKDIR_P) doc && { echo '# Model scripts' && \
		sed -n '/^## A page of language/,/^## Hardware/p' $(top_srcdir)/doc/predict.md | sed '$$d' && \
		sed 1d $(top_srcdir)/doc/predict-language.md; } | \
		$(AWK) -f $(top_srcdir)/doc/man.awk -v name=silas-script -v section=5 \
		-v summary='model scripts: what a program will do, for silas-predict' - >$@.tmp && mv $@.tmp $@
doc/silas-glossary.7: doc/glossary.md doc/man.awk
	$(make_man) name=silas-glossary -v section=7 -v summary='the terms that SILAS uses' \
		$(top_srcdir)/doc/glossary.md >$@.tmp && mv $@.tmp $@

# Makes the tutorial as an HTML page with screenshots: runs its commands and a browser.
.PHONY: tutorial-pictures tutorial-update
EXTRA_DIST += doc/tutorial-page doc/run-tutorial doc/tutorial.awk
tutorial-pictures: all
	$(top_srcdir)/doc/tutorial-page $(abs_top_srcdir) $(abs_top_builddir)

# Replaces the outputs in the tutorial by the present ones.
tutorial-update: all
	$(top_srcdir)/doc/tutorial-page --update $(abs_top_srcdir) $(abs_top_builddir)
# Templates of CI jobs that fail if waits exceed limits.
dist_doc_DATA += doc/ci.md
cidir = $(docdir)/ci
dist_ci_DATA = doc/ci/gitlab-ci.yml doc/ci/github-actions.yml
