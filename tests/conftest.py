"""What holds for all tests."""

from hypothesis import settings

# How long an example takes depends on the machine and on what else runs there; the time
# limit of the whole test is in pyproject.toml. The same examples are tried every time.
settings.register_profile("spmd", deadline=None, derandomize=True)
settings.load_profile("spmd")
