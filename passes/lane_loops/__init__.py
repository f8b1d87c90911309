"""The parts of `lanes-to-loops`."""
