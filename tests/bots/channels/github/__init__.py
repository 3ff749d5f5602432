"""Tests of GitHub with its real library, against a server on loopback."""
