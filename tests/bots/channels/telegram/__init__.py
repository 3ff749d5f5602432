"""Tests of Telegram with its real library, against a Bot API on loopback."""
