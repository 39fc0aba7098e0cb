"""How the search scales: measurements, metrics, tables and plots."""
