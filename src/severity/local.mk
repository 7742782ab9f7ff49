# src/severity
