//! Places instructions and insertions as bytes: computes offsets, and widens branches where necessary.

use crate::emit::Known;
use spl_classfile::code::MAX_CODE;
use spl_classfile::instruction::{Flow, Insn, padding};
use spl_classfile::opcode::{self, GOTO, GOTO_W, NEW, TABLESWITCH};
use spl_classfile::reader::{Reader, malformed};
use spl_model::Refusal;
use std::ops::Range;

/// Branches may push each other out of reach, one at a time. After this many passes more branches are widened
/// than needed, which keeps adversarial code from quadratic time.
const PASSES: u8 = 16;

/// One stretch of the new code.
#[derive(Debug)]
enum Piece<'a> {
    /// Its range in the buffer of inserted code.
    Inserted(Range<usize>),
    Original(Insn<'a>),
}

/// The new code before its offsets are known.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    pieces: Vec<Piece<'a>>,
    /// All inserted code.
    inserted: Vec<u8>,
    /// For each offset of the original code, the piece reached by branches to it; `None` for offsets inside
    /// an instruction. The last item is the end of the original code.
    entry_of: Vec<Option<u32>>,
    /// The offsets for which `entry_of` holds a piece, ascending.
    starts: Vec<u32>,
    /// The `new` instructions with inserted code before them that branches to them reach: offset and piece,
    /// ascending.
    behind_others: Vec<(u32, PieceId)>,
    /// First instructions of blocks that have code in front, by their original offsets: the instructions
    /// themselves.
    behind_heads: Vec<(u32, PieceId)>,
    /// Code between `monitorenter` and the next instruction: that one's original offset, ascending, and the code.
    locked: Vec<(u32, PieceId)>,
    wide: Vec<bool>,
    /// Code that only the taken way of a condition runs: the condition's piece, and the range in the buffer of
    /// inserted code. Ascending.
    through: Vec<(u32, Range<usize>)>,
    /// Other targets of switches than the original ones: the switch's piece, the original target, and the
    /// piece instead of it. Ascending.
    redirects: Vec<(u32, u32, PieceId)>,
    /// Pieces that need a frame, each with the state that it has.
    copies: Vec<(Known, PieceId)>,
    /// Offset of each piece, and the end of the code.
    positions: Vec<u32>,
}

/// The number of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PieceId(u32);

impl<'a> Layout<'a> {
    pub(crate) fn new(code_length: usize) -> Self {
        Self {
            pieces: Vec::with_capacity(code_length / 2 + 16),
            inserted: Vec::with_capacity(256),
            entry_of: vec![None; code_length + 1],
            starts: Vec::with_capacity(code_length / 2 + 16),
            behind_others: Vec::new(),
            behind_heads: Vec::new(),
            locked: Vec::new(),
            wide: Vec::new(),
            through: Vec::new(),
            redirects: Vec::new(),
            copies: Vec::new(),
            positions: Vec::new(),
        }
    }

    /// The number of the next piece.
    pub(crate) fn next(&self) -> PieceId {
        PieceId(self.pieces.len() as u32)
    }

    /// Makes branches to the original offset `at` reach the next piece.
    pub(crate) fn enter_here(&mut self, at: u32) {
        let next = self.next();
        if let Some(entry) = self.entry_of.get_mut(at as usize) {
            *entry = Some(next.0);
            self.starts.push(at);
        }
    }

    pub(crate) fn push(&mut self, insn: Insn<'a>) {
        let next = self.next();
        if insn.opcode == NEW && self.entry(insn.at) != Some(next) {
            self.behind_others.push((insn.at, next));
        }
        self.pieces.push(Piece::Original(insn));
    }

    /// Adds a conditional branch whose taken way runs the code that `build` appends to the buffer passed to it.
    /// Also returns the result of `build`.
    pub(crate) fn push_through<T>(
        &mut self,
        insn: Insn<'a>,
        build: impl FnOnce(&mut Vec<u8>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let (id, start) = (self.next(), self.inserted.len());
        let built = build(&mut self.inserted)?;
        let end = insn.end();
        self.push(insn);
        if self.inserted.len() > start {
            self.through.push((id.0, start..self.inserted.len()));
            // The inverted condition jumps behind that code.
            self.copies.push((Known::FallenTo(end), self.next()));
        }
        Ok(built)
    }

    /// Makes the switch `switch` lead to the piece `to` wherever it led to the original offset `target`. Switches
    /// come in the order of the code, and the targets of one in ascending order.
    pub(crate) fn redirect(&mut self, switch: PieceId, target: u32, to: PieceId) {
        self.redirects.push((switch.0, target, to));
        if let Some(Piece::Original(insn)) = self.pieces.get(switch.0 as usize) {
            self.copies.push((Known::Switched(insn.at), to));
        }
    }

    /// The pieces that need a frame of their own, each with the state that is theirs.
    pub(crate) fn copies(&self) -> &[(Known, PieceId)] {
        &self.copies
    }

    fn through(&self, index: usize) -> Option<&Range<usize>> {
        let found = self.through.binary_search_by_key(&(index as u32), |(piece, _)| *piece);
        found.ok().map(|place| &self.through[place].1)
    }

    /// Adds a piece of code that `build` appends to the buffer passed to it. Also returns the result of
    /// `build`.
    pub(crate) fn insert<T>(
        &mut self,
        build: impl FnOnce(&mut Vec<u8>) -> Result<T, Refusal>,
    ) -> Result<(PieceId, T), Refusal> {
        let (id, start) = (self.next(), self.inserted.len());
        let built = build(&mut self.inserted)?;
        self.pieces.push(Piece::Inserted(start..self.inserted.len()));
        Ok((id, built))
    }

    /// Offset of a piece in the new code; the end of the code for the piece after the last. Valid after
    /// [`place`](Self::place).
    pub(crate) fn offset(&self, piece: PieceId) -> u16 {
        self.positions.get(piece.0 as usize).map_or(u16::MAX, |&at| at as u16)
    }

    /// New offset of a place within the inserted code of a piece, or within the code that only the taken way of a condition runs. Valid
    /// after [`place`](Self::place).
    pub(crate) fn inside(&self, piece: PieceId, inside: usize) -> u16 {
        // The inverted condition comes first.
        let before =
            if matches!(self.pieces.get(piece.0 as usize), Some(Piece::Original(_))) { 3 } else { 0 };
        self.offset(piece).saturating_add(u16::try_from(before + inside).unwrap_or(u16::MAX))
    }

    /// Bytes of the new code. Valid after [`place`](Self::place).
    pub(crate) fn length(&self) -> usize {
        self.positions.last().map_or(0, |end| *end as usize)
    }

    fn entry(&self, at: u32) -> Option<PieceId> {
        self.entry_of.get(at as usize).copied().flatten().map(PieceId)
    }

    /// New offset for branches to the instruction at the original offset `at`, which includes code inserted
    /// before it.
    pub(crate) fn moved(&self, at: u32) -> Result<u16, Refusal> {
        let entry = self.entry(at);
        Ok(self.offset(entry.ok_or_else(|| malformed(format!("no instruction starts at offset {at}")))?))
    }

    /// New offset of the `new` instruction itself that was at `at`. Frames name its object by this offset.
    pub(crate) fn moved_new(&self, at: u32) -> Result<u16, Refusal> {
        match self.behind_others.binary_search_by_key(&at, |(at, _)| *at) {
            Ok(index) => Ok(self.offset(self.behind_others[index].1)),
            Err(_) => self.moved(at),
        }
    }

    /// The next piece is the instruction at `at`, the first one of a block that has code in front.
    pub(crate) fn head_ends(&mut self, at: u32) {
        if self.entry(at) != Some(self.next()) {
            self.behind_heads.push((at, self.next()));
        }
    }

    /// The piece `piece` stands between `monitorenter` and the instruction at `at`.
    pub(crate) fn locked_from(&mut self, at: u32, piece: PieceId) {
        self.locked.push((at, piece));
    }

    /// New offset of the start of a handler's range. One that begins when a lock is taken covers our code behind that.
    pub(crate) fn moved_start(&self, at: u32) -> Result<u16, Refusal> {
        match self.locked.binary_search_by_key(&at, |(at, _)| *at) {
            Ok(index) => Ok(self.offset(self.locked[index].1)),
            Err(_) => self.moved(at),
        }
    }

    /// New offset of the instruction at `at` itself, if its block has code in front.
    pub(crate) fn behind_head(&self, at: u32) -> Option<u16> {
        let index = self.behind_heads.binary_search_by_key(&at, |(at, _)| *at).ok()?;
        Some(self.offset(self.behind_heads[index].1))
    }

    /// New offset for a debugging table. An offset inside an instruction keeps its distance from the
    /// instruction's start.
    ///
    /// Different offsets stay different: HotSpot rejects a class if two variables of the same name become
    /// equal.
    pub(crate) fn moved_loosely(&self, at: u32) -> Result<u16, Refusal> {
        if at == 0 {
            return Ok(0);
        }
        let beyond = || malformed(format!("offset {at} is beyond the code"));
        let next = self.starts.partition_point(|start| *start <= at);
        let start = next.checked_sub(1).and_then(|index| self.starts.get(index)).ok_or_else(beyond)?;
        let from = self.moved(*start)?;
        if at == *start {
            return Ok(from);
        }
        let end = self.moved(*self.starts.get(next).ok_or_else(beyond)?)?;
        // A switch may have less padding than before.
        let moved = u16::try_from(at - start).ok().and_then(|inside| from.checked_add(inside));
        let moved = moved.filter(|moved| *moved < end);
        moved.ok_or_else(|| malformed(format!("offset {at} lies in the padding of a switch")))
    }

    /// Original offsets of the instructions after a conditional branch that was widened.
    pub(crate) fn after_widened_conditions(&self) -> Vec<u32> {
        let widened = |(index, (piece, wide)): (usize, (&Piece<'_>, &bool))| match piece {
            Piece::Original(insn) if *wide && !matches!(insn.opcode, GOTO | GOTO_W) => {
                self.through(index).is_none().then(|| insn.end())
            }
            Piece::Original(_) | Piece::Inserted(_) => None,
        };
        self.pieces.iter().zip(&self.wide).enumerate().filter_map(widened).collect()
    }

    /// Computes all offsets, and widens branches until nothing changes.
    pub(crate) fn place(&mut self) -> Result<(), Refusal> {
        self.wide = self
            .pieces
            .iter()
            .map(|piece| matches!(piece, Piece::Original(i) if i.opcode == GOTO_W))
            .collect();
        for pass in 0..=u8::MAX {
            self.positions.clear();
            let mut at = 0;
            let mut through = self.through.iter().peekable();
            for (index, (piece, &wide)) in self.pieces.iter().zip(&self.wide).enumerate() {
                self.positions.push(at as u32);
                at += match through.next_if(|(piece, _)| *piece as usize == index) {
                    Some((_, code)) => 3 + code.len() + if wide { 5 } else { 3 },
                    None => piece.size(at, wide),
                };
            }
            self.positions.push(at as u32);
            if at > MAX_CODE {
                return Err(Refusal::TooLarge(at));
            }
            let shorter = 512 * i32::from(pass.saturating_sub(PASSES));
            if !self.widen((i32::from(i16::MAX) - shorter).max(0))? {
                break;
            }
        }
        Ok(())
    }

    /// Widens the branches that go farther than `reach`; returns whether there were any.
    fn widen(&mut self, reach: i32) -> Result<bool, Refusal> {
        let mut changed = false;
        for index in 0..self.pieces.len() {
            let Piece::Original(Insn { flow: Flow::Jump(target), .. }) = &self.pieces[index] else {
                continue;
            };
            let skip = self.through(index).map_or(0, |code| 3 + code.len() as i32);
            if !self.wide[index] && !(-reach - 1..=reach).contains(&(self.distance(index, *target)? - skip)) {
                self.wide[index] = true;
                changed = true;
            }
        }
        Ok(changed)
    }

    fn distance(&self, index: usize, target: u32) -> Result<i32, Refusal> {
        Ok(i32::from(self.moved(target)?) - self.positions[index] as i32)
    }

    /// The code. Valid after [`place`](Self::place).
    pub(crate) fn write(&self) -> Result<Vec<u8>, Refusal> {
        let mut out = Vec::with_capacity(self.positions.last().map_or(0, |&end| end as usize));
        for (index, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Inserted(range) => out.extend(&self.inserted[range.clone()]),
                Piece::Original(insn) => match &insn.flow {
                    Flow::Next => out.extend(insn.bytes),
                    Flow::Jump(target) => self.write_jump(index, insn.opcode, *target, &mut out)?,
                    Flow::Switch => self.write_switch(index, insn, &mut out)?,
                },
            }
        }
        Ok(out)
    }

    fn write_jump(&self, index: usize, opcode: u8, target: u32, out: &mut Vec<u8>) -> Result<(), Refusal> {
        let distance = self.distance(index, target)?;
        if let Some(code) = self.through(index) {
            let skip = 3 + code.len();
            let past = skip + if self.wide[index] { 5 } else { 3 };
            out.push(opcode::inverted(opcode));
            out.extend((past as u16).to_be_bytes());
            out.extend(&self.inserted[code.clone()]);
            let distance = distance - skip as i32;
            if self.wide[index] {
                out.push(GOTO_W);
                out.extend(distance.to_be_bytes());
            } else {
                out.push(GOTO);
                out.extend((distance as i16).to_be_bytes());
            }
            return Ok(());
        }
        if !self.wide[index] {
            out.push(opcode);
            out.extend((distance as i16).to_be_bytes());
            return Ok(());
        }
        let mut skip = 0;
        if !matches!(opcode, GOTO | GOTO_W) {
            // The inverse condition jumps over a goto_w.
            skip = 3;
            out.extend([opcode::inverted(opcode), 0, 8]);
        }
        out.push(GOTO_W);
        out.extend((distance - skip).to_be_bytes());
        Ok(())
    }

    fn write_switch(&self, index: usize, insn: &Insn<'_>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        let mut old = Reader::starting_at(insn.bytes, 1 + padding(insn.at as usize));
        let mut targets = insn.targets();
        let mut next = || -> Result<[u8; 4], Refusal> {
            let target = targets.next().ok_or_else(|| malformed("a switch lacks a target"))?;
            let to = match self.redirects.binary_search_by_key(&(index as u32, target), |one| (one.0, one.1))
            {
                Ok(place) => self.offset(self.redirects[place].2),
                Err(_) => self.moved(target)?,
            };
            Ok((i32::from(to) - self.positions[index] as i32).to_be_bytes())
        };
        out.push(insn.opcode);
        out.resize(out.len() + padding(self.positions[index] as usize), 0);
        old.take(4)?;
        out.extend(next()?);
        // The bounds of a tableswitch, or the number of pairs of a lookupswitch.
        out.extend(old.take(if insn.opcode == TABLESWITCH { 8 } else { 4 })?);
        while !old.is_at_end() {
            if insn.opcode != TABLESWITCH {
                out.extend(old.take(4)?);
            }
            old.take(4)?;
            out.extend(next()?);
        }
        Ok(())
    }
}

impl Piece<'_> {
    /// Bytes of the piece if it is placed at `at`.
    fn size(&self, at: usize, wide: bool) -> usize {
        match self {
            Self::Inserted(range) => range.len(),
            Self::Original(insn) => match (&insn.flow, insn.opcode) {
                (Flow::Next, _) => insn.bytes.len(),
                (Flow::Jump(_), GOTO | GOTO_W) => {
                    if wide {
                        5
                    } else {
                        3
                    }
                }
                (Flow::Jump(_), _) => {
                    if wide {
                        8
                    } else {
                        3
                    }
                }
                (Flow::Switch, _) => insn.bytes.len() - padding(insn.at as usize) + padding(at),
            },
        }
    }
}
