"""Tests of what all chat platforms share."""
