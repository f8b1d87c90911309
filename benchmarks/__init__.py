"""Speed, side by side: see README.md."""
