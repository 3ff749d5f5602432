"""Migrations, oldest first by number."""
