"""Hooks into torch: process groups, backend names, optimizers and modules."""
