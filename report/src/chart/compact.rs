//! Joins the grid of each chart: plotters draws every line and every tick as an element of its own, which makes a third of a
//! page with hundreds of charts.

const LINE: &str = "<line stroke=\"var(--grid)\" stroke-width=\"1\" ";
const TICK: &str = "<polyline fill=\"none\" stroke=\"var(--grid)\" stroke-width=\"2\" points=\"";

/// The page with one element for the grid of each chart and one for its ticks, which look the same.
pub fn compacted(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    // A chart begins with its name for readers who cannot see it.
    while let Some(end) = rest.find("</title><text") {
        let body = end + "</title>".len();
        let stop = rest[body..].find("</svg>").map_or(rest.len(), |length| body + length);
        let (lines, without) = taken(&rest[body..stop], LINE, of_line);
        let (ticks, without) = taken(&without, TICK, of_tick);
        out.push_str(&rest[..body]);
        for (width, path) in [(1, lines), (2, ticks)] {
            if !path.is_empty() {
                out.push_str(&format!(
                    "<path d=\"{path}\" stroke=\"var(--grid)\" stroke-width=\"{width}\"/>"
                ));
            }
        }
        out.push_str(&without);
        rest = &rest[stop..];
    }
    out.push_str(rest);
    out
}

/// The elements that begin with `head`, as a path, and the text without them. Elements of another form stay.
fn taken(text: &str, head: &str, path_of: fn(&str) -> Option<String>) -> (String, String) {
    let (mut path, mut without, mut rest) = (String::new(), String::new(), text);
    while let Some(at) = rest.find(head) {
        let after = &rest[at + head.len()..];
        let end = after.find("/>").unwrap_or(after.len());
        without.push_str(&rest[..at]);
        rest = after.get(end + 2..).unwrap_or_default();
        match path_of(&after[..end]) {
            Some(part) => path.push_str(&part),
            None => without.push_str(&format!("{head}{}/>", &after[..end])),
        }
    }
    without.push_str(rest);
    (path, without)
}

/// `x1="1" y1="2" x2="3" y2="4"`
fn of_line(attributes: &str) -> Option<String> {
    let mut values = attributes.split('"').skip(1).step_by(2);
    let mut next = || values.next()?.parse::<i32>().ok();
    let (x1, y1, x2, y2) = (next()?, next()?, next()?, next()?);
    Some(straight(x1, y1, x2, y2))
}

/// `1,2 3,4 "`
fn of_tick(points: &str) -> Option<String> {
    let mut values = points.trim_end_matches(['"', ' ']).split([',', ' ']);
    let mut next = || values.next()?.parse::<i32>().ok();
    let (x1, y1, x2, y2) = (next()?, next()?, next()?, next()?);
    values.next().is_none().then(|| straight(x1, y1, x2, y2))
}

fn straight(x1: i32, y1: i32, x2: i32, y2: i32) -> String {
    match (x1 == x2, y1 == y2) {
        (true, _) => format!("M{x1} {y1}V{y2}"),
        (_, true) => format!("M{x1} {y1}H{x2}"),
        _ => format!("M{x1} {y1}L{x2} {y2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_ticks_are_joined_and_all_else_stays() {
        let grid = |x: i32| format!("{LINE}x1=\"{x}\" y1=\"380\" x2=\"{x}\" y2=\"14\"/>");
        let tick = |y: i32| format!("{TICK}95,{y} 100,{y} \"/>");
        let curve = "<polyline fill=\"none\" stroke=\"var(--left)\" stroke-width=\"4\" points=\"1,2 3,4 \"/>";
        let odd = format!("{TICK}1,2 3,4 5,6 \"/>");
        let chart =
            |inside: &str| format!("<p>a</p><svg><title>t</title><text x=\"1\">n</text>{inside}</svg>");
        let page = chart(&format!("{}{}{}<text>5</text>{}{odd}{curve}", grid(1), grid(7), tick(3), tick(4)));
        let joined = "<p>a</p><svg><title>t</title><path d=\"M1 380V14M7 380V14\" stroke=\"var(--grid)\" stroke-width=\"1\"/>\
            <path d=\"M95 3H100M95 4H100\" stroke=\"var(--grid)\" stroke-width=\"2\"/><text x=\"1\">n</text><text>5</text>";
        assert_eq!(compacted(&page), format!("{joined}{odd}{curve}</svg>"));
        let two = compacted(&(page.clone() + &page + "end"));
        assert!(two.matches(joined).count() == 2 && two.ends_with("</svg>end"), "{two}");
        let plain = "<title>t</title><p>no chart</p>";
        assert_eq!(compacted(plain), plain);
    }
}
