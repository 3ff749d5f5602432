"""Coefficients of the support measure, one JSON file a version."""
