# doc
dist_doc_DATA += doc/methods.md doc/model.md
