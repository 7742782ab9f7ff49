# doc
dist_doc_DATA += doc/model.md
