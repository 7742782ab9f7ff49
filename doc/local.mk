# doc
dist_doc_DATA += doc/methods.md doc/model.md

# Beside the pages that show them.
picturesdir = $(docdir)/pictures
dist_pictures_DATA = doc/pictures/structure.png doc/pictures/fold.svg
