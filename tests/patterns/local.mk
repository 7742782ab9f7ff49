# tests/patterns
