# doc
dist_doc_DATA += doc/methods.md doc/model.md doc/report-html.md
# What the JSON of programs looks like, for machines.
dist_doc_DATA += doc/report.schema.json doc/severity.schema.json doc/advice.schema.json \
	doc/sweep.schema.json doc/verify.schema.json

# Beside the pages that show them.
picturesdir = $(docdir)/pictures
dist_pictures_DATA = doc/pictures/structure.png doc/pictures/fold.svg
