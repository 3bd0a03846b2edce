"""Real jobs with one change, and the findings of `tracectl compare`."""
