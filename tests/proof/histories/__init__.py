"""Real changes of real programs, and whether what is said of them is so by other means."""
