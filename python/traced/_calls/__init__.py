"""Functions of the public API; `traced` exports them."""
