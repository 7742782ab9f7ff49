# tests/report
