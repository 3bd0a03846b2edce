"""Real changes of real programs; other measurements confirm the findings."""
