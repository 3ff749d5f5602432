"""The schema's history: one file in `versions` per change, run by `kiyo db upgrade`."""
