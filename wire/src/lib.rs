//! Controller and agent messages: bytes to values and back.
