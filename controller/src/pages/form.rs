//! Fields of a form, as browsers send them (application/x-www-form-urlencoded).

/// The fields of a body, each with its value, with line breaks as `\n`; `None` when it is not such a form in UTF-8.
pub fn fields(body: &[u8]) -> Option<Vec<(String, String)>> {
    let pairs = body.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let at = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
            let value = pair.get(at + 1..).unwrap_or_default();
            Some((decoded(&pair[..at])?, decoded(value)?.replace("\r\n", "\n")))
        })
        .collect()
}

/// A text with its escapes resolved.
fn decoded(text: &[u8]) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                u8::try_from(high * 16 + low).ok()?
            }
            other => *other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_browsers_write_them() {
        let read = |body: &str| fields(body.as_bytes());
        let pairs = |all: &[(&str, &str)]| {
            Some(all.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect())
        };
        assert_eq!(read(""), pairs(&[]));
        assert_eq!(
            read("sql=SELECT+1%3B%0D%0A%C3%A9&values=&as=csv"),
            pairs(&[("sql", "SELECT 1;\n\u{e9}"), ("values", ""), ("as", "csv")])
        );
        assert_eq!(read("a&b=c=d&"), pairs(&[("a", ""), ("b", "c=d")]));
        for wrong in ["a=%", "a=%4", "a=%zz", "a=%+1", "a=%ff", "%c3=1"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
