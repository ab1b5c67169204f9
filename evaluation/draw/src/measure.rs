//! Figures of a drawing: crossings of lines, and the area.

/// A drawing as lines and a size, by whom ever it was made.
pub struct Measured {
    /// Lines as straight pieces, for each edge.
    pub lines: Vec<Vec<(f64, f64)>>,
    /// The boxes at the ends of each edge.
    pub ends: Vec<(usize, usize)>,
    /// The area, square pixels.
    pub area: f64,
}

/// A straight piece of the line of an edge.
struct Piece {
    edge: usize,
    from: (f64, f64),
    to: (f64, f64),
}

impl Measured {
    /// Pairs of edges whose lines cross, once for each crossing. Lines that touch or join do not cross.
    #[must_use]
    pub fn crossings(&self) -> Vec<(usize, usize)> {
        let mut pieces: Vec<Piece> = Vec::new();
        for (edge, line) in self.lines.iter().enumerate() {
            let of_line = line.windows(2).map(|pair| Piece { edge, from: pair[0], to: pair[1] });
            pieces.extend(of_line.filter(|piece| piece.from != piece.to));
        }
        pieces.sort_by(|one, other| one.top().total_cmp(&other.top()));
        let mut found = Vec::new();
        for (at, one) in pieces.iter().enumerate() {
            let near = pieces[at + 1..].iter().take_while(|other| other.top() < one.bottom());
            let crossing = near.filter(|other| other.edge != one.edge && one.crosses(other));
            found.extend(crossing.map(|other| (one.edge, other.edge)));
        }
        found
    }
}

impl Piece {
    fn top(&self) -> f64 {
        self.from.1.min(self.to.1)
    }

    fn bottom(&self) -> f64 {
        // Level pieces have to meet pieces that begin at the same height.
        self.from.1.max(self.to.1) + 1e-9
    }

    /// Whether both lie on different sides of each other.
    fn crosses(&self, other: &Self) -> bool {
        let differ = |one: f64, other: f64| (one > 1e-6 && other < -1e-6) || (one < -1e-6 && other > 1e-6);
        differ(self.side(other.from), self.side(other.to))
            && differ(other.side(self.from), other.side(self.to))
    }

    /// The distance of a point from the line through both ends; its sign says the side.
    fn side(&self, point: (f64, f64)) -> f64 {
        let (x, y) = (self.to.0 - self.from.0, self.to.1 - self.from.1);
        (x * (point.1 - self.from.1) - y * (point.0 - self.from.0)) / x.hypot(y)
    }
}
