"""Jobs over real Gloo in which one fault is planted, and what is made of their traces."""
