# src/report
