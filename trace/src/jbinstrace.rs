//! The event numbers of JBInsTrace (section 3.2 of its paper): 2 bits of kind, 19 of a method, 11 of a block, as a signed integer.

use spl_graph::forms::{BLOCKS, METHODS};

const KIND: u32 = 30;
const METHOD: u32 = 11;

/// An event of JBInsTrace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numbered {
    /// A class was loaded; the paper does not say how its number lies in the other bits, so they are one number here.
    Loaded {
        /// Number of the class.
        class: u32,
    },
    /// A method began.
    Began {
        /// Number of the method.
        method: u32,
    },
    /// A method returned.
    Ended {
        /// Number of the method.
        method: u32,
    },
    /// A block began.
    Block {
        /// Number of the method.
        method: u32,
        /// Number of the block in it.
        block: u32,
    },
}

impl Numbered {
    /// The event of a number: each number has one. The bits of a block have no meaning in events of methods; the paper's own example has 1
    /// there.
    #[must_use]
    pub fn of(number: i32) -> Self {
        let bits = number as u32;
        let (method, block) = (bits >> METHOD & (METHODS - 1), bits & (BLOCKS - 1));
        match bits >> KIND {
            0 => Self::Loaded { class: bits },
            1 => Self::Began { method },
            2 => Self::Ended { method },
            _ => Self::Block { method, block },
        }
    }

    /// The number of the event; `None` where the format has no room for it.
    #[must_use]
    pub fn number(self) -> Option<i32> {
        let of = |kind: u32, method: u32, block: u32| {
            let fits = method < METHODS && block < BLOCKS;
            fits.then_some((kind << KIND | method << METHOD | block) as i32)
        };
        match self {
            Self::Loaded { class } => (class < 1 << KIND).then_some(class as i32),
            Self::Began { method } => of(1, method, 0),
            Self::Ended { method } => of(2, method, 0),
            Self::Block { method, block } => of(3, method, block),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_numbers_of_the_papers_figure_are_read() {
        let method = 5328;
        assert_eq!(Numbered::of(1_084_653_569), Numbered::Began { method });
        for (number, block) in (-1_062_830_080..=-1_062_830_076).zip(0..) {
            assert_eq!(Numbered::of(number), Numbered::Block { method, block });
            assert_eq!(Numbered::Block { method, block }.number(), Some(number));
        }
        assert_eq!(Numbered::of(-2_136_571_904), Numbered::Ended { method });
        assert_eq!(Numbered::Ended { method }.number(), Some(-2_136_571_904));
        // We write no bits of a block there.
        assert_eq!(Numbered::Began { method }.number(), Some(1_084_653_568));
    }

    #[test]
    fn what_does_not_fit_has_no_number() {
        assert_eq!(Numbered::Began { method: METHODS }.number(), None);
        assert_eq!(Numbered::Block { method: 1, block: BLOCKS }.number(), None);
        assert_eq!(Numbered::Block { method: METHODS - 1, block: BLOCKS - 1 }.number(), Some(-1));
        assert_eq!(Numbered::Loaded { class: 1 << 30 }.number(), None);
    }

    proptest! {
        #[test]
        fn each_number_is_an_event_that_has_it(number in any::<i32>()) {
            let event = Numbered::of(number);
            prop_assert_eq!(event.number().map(Numbered::of), Some(event));
        }
    }
}
