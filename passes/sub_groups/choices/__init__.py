"""What the choices of lanes cost."""
