"""What hooks torch: groups, their spellings, optimizers, modules."""
