"""Runs around a job: the start, the keeper, messages and the comparison of two programs."""
