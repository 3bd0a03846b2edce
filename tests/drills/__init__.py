"""Jobs over Gloo or NCCL with one planted fault, and the diagnosis of their traces."""
