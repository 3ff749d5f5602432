"""Tests of Slack with its real SDK, against a workspace on loopback."""
