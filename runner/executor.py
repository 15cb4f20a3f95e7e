"""What the two executors share."""

# Characters of output that are kept of one cell; what comes after them is read and forgotten.
LARGEST_OUTPUT = 1024 * 1024


class CellTimeout(Exception):
    """The cell ran longer than it may."""


class KernelDied(Exception):
    """The kernel ended before the cell did."""


class KernelUnavailable(Exception):
    """No kernel came up, though one is installed."""
