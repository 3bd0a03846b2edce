"""What is around a job: its start, its keeper, what it is told."""
