include src/report/severity.mk
