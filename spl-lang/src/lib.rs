//! Task files and SPL formulas: text to spanned syntax trees, with diagnostics.
