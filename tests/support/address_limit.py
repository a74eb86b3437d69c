# SPDX-License-Identifier: MIT
"""Node.js and browsers reserve more addresses than `make test` allows, which they never use."""
import resource


def lift_limit():
    """For `preexec_fn` of what starts them."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
