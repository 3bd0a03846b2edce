"""Helpers for the rest of the package: settings, messages, errors, the extension, tracectl."""
