"""Real jobs in which one thing is changed, and what `tracectl compare` says of them."""
