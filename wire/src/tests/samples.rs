//! Samples from the wire to the model and back.

use super::messages::sample;
use crate::{Label, Labels, SampleFault, WireSample, WireSize};
use proptest::prelude::*;
use spl_model::{Handle, SampleFlags, Size};

fn wire(start_ns: u64, end_ns: u64, size: WireSize) -> WireSample {
    WireSample {
        handle: Handle(1),
        start_ns,
        end_ns,
        thread: 9,
        depth: Some(2),
        size,
        flags: SampleFlags::GC.0,
    }
}

#[test]
fn what_crossed_is_checked() {
    let mut labels = Labels::default();
    labels.learn([Label { id: 4, text: "small".into() }]);
    let good = wire(10, 25, WireSize::Label(4)).to_sample(&labels).unwrap();
    assert_eq!((good.start_ns(), good.duration_ns(), good.thread), (10, 15, 9));
    assert_eq!((good.depth, good.size, good.flags), (Some(2), Size::Label("small".into()), SampleFlags::GC));
    let backwards = wire(25, 10, WireSize::Unchecked).to_sample(&labels).unwrap_err();
    assert_eq!(backwards.to_string(), "the call ends at 10 ns, before its start at 25 ns");
    let unknown = wire(10, 25, WireSize::Label(5)).to_sample(&labels);
    assert_eq!(unknown, Err(SampleFault::UnknownLabel(5)));
}

proptest! {
    #[test]
    fn checked_samples_cross_unchanged(mut sample in sample(), text: String) {
        sample.end_ns = sample.end_ns.max(sample.start_ns);
        let mut labels = Labels::default();
        if let WireSize::Label(id) = sample.size {
            labels.learn([Label { id, text: text.clone() }]);
        }
        let checked = sample.to_sample(&labels).unwrap();
        let number = |label: &str| {
            assert_eq!(label, text);
            if let WireSize::Label(id) = sample.size { id } else { unreachable!("no label") }
        };
        prop_assert_eq!(WireSample::from_sample(sample.handle, &checked, number), sample);
    }
}
