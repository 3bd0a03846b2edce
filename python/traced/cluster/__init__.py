"""Reads traces where they lie, with an engine that is there: `python -m traced.cluster`.

Each folder of traces is digested by `tracectl digest` in a task of the engine's, digests are put
together in a tree, and `tracectl` tells of what comes out. See docs/digest.md.
"""
