"""What a program calls; `traced` and `traced.recording` give it out."""
