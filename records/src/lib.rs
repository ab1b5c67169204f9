//! Measurement and result files: bytes to values and back.
