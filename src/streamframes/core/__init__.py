"""What a frame is: schemes, scans and laws on NumPy, Numba and PyArrow. No engine is imported below here."""
