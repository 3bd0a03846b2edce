"""Jobs over Gloo or NCCL in which one fault is planted, and what is made of their traces."""
