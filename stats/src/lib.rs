//! Numbers to estimates, tests, intervals and e-values.
