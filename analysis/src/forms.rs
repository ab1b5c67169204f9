//! Values as text, JSON, CSV and XML, and the table of metrics as text.

mod csv;
mod dot;
mod figure;
mod json;
mod series;
mod table;
mod text;
mod xml;

pub use csv::csv;
pub use dot::dot;
pub use json::{SCHEMA, json};
pub use series::{series_csv, series_json, series_text};
pub use table::{explained, hierarchy, needed};
pub use text::text;
pub use xml::xml;
