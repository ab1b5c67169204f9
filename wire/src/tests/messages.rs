//! Every message that the protocol has, with arbitrary content.

use crate::{
    ByeReason, Change, CountedMethod, Drilled, EventCounts, EventPlace, Events, HeapClass, Label, Lifetimes,
    Listening, LoadedClass, LoadedMethod, OfClass, OfPlace, Readings, ToAgent, ToController, Wanted,
    WireSample, WireSize,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use spl_model::{
    DrillKind, Facts, Handle, Instrument, MethodRef, Outcome, Pattern, ProbeKind, Refusal, Scope, Sizing,
};

fn hello() -> impl Strategy<Value = ToController> {
    let jvm = any::<(u32, String, String, String, u64, Vec<String>)>();
    (jvm, any::<[Option<u64>; 4]>()).prop_map(|(jvm, limits)| {
        let (pid, java_version, instance, command, now_ns, kinds) = jvm;
        let [max_measurements, probe_cost_ps, probe_empty_ps, clock_reads_ps] = limits;
        ToController::Hello {
            pid,
            java_version,
            instance,
            command,
            now_ns,
            kinds,
            max_measurements,
            probe_cost_ps,
            probe_empty_ps,
            clock_reads_ps,
        }
    })
}

pub(super) fn to_controller() -> impl Strategy<Value = ToController> {
    let labels = vec(any::<(u32, String)>().prop_map(|(id, text)| Label { id, text }), 0..9);
    prop_oneof![
        hello(),
        (handle(), any::<String>(), outcome()).prop_map(|(handle, class_loader, outcome)| {
            ToController::Outcome { handle, class_loader, outcome }
        }),
        (vec(sample(), 0..40), any::<(u64, u64)>()).prop_map(|(samples, (dropped, anomalies))| {
            ToController::Readings { readings: Readings::Times(samples), dropped, anomalies }
        }),
        labels.prop_map(|labels| ToController::Labels { labels }),
        (handles(), prop_oneof![Just(Change::Added), Just(Change::Removed)], any::<(u64, u64)>()).prop_map(
            |(handles, change, (took_ns, at_ns))| ToController::Retransformed {
                handles,
                change,
                took_ns,
                at_ns
            }
        ),
        handles().prop_map(|handles| ToController::Restored { handles }),
        (handle(), any::<u64>()).prop_map(|(handle, number)| ToController::Idle { handle, number }),
        (handles(), any::<u64>()).prop_map(|(handles, bytes)| ToController::Dear { handles, bytes }),
        any::<[u64; 3]>().prop_map(|[kept, reserved, limit]| ToController::Metaspace {
            kept,
            reserved,
            limit
        }),
        (handles(), any::<(u32, u64)>()).prop_map(|(handles, (times, gap_ns))| ToController::Removed {
            handles,
            times,
            gap_ns
        }),
        handle().prop_map(|handle| ToController::Limit { handle }),
        any::<String>().prop_map(|text| ToController::Warning { text }),
        (any::<[String; 3]>(), any::<(u32, bool)>(), vec(loaded_class(), 0..4)).prop_map(
            |([class_path, module_path, java_home], (loaded, is_whole), classes)| ToController::Surveyed {
                class_path,
                module_path,
                java_home,
                loaded,
                classes,
                is_whole
            }
        ),
        any::<u64>().prop_map(|id| ToController::Ping { id }),
        any::<[u64; 3]>().prop_map(|[id, now_ns, clock_reads_ps]| ToController::Pong {
            id,
            now_ns,
            clock_reads_ps
        }),
        prop_oneof![
            Just(ByeReason::VmDeath),
            Just(ByeReason::Detached),
            any::<String>().prop_map(ByeReason::Failed)
        ]
        .prop_map(|reason| ToController::Bye { reason }),
        drilled().prop_map(ToController::Drilled),
        events().prop_map(ToController::Events),
    ]
}

fn events() -> impl Strategy<Value = Events> {
    let place = any::<(u32, [String; 3], u32)>().prop_map(|(number, [class, method, descriptor], lock)| {
        EventPlace { number, class, method, descriptor, lock }
    });
    let of_place =
        any::<(u32, u64, u64)>().prop_map(|(number, waits, waited_ns)| OfPlace { number, waits, waited_ns });
    let of_class = any::<(u32, u64, u64, u128)>().prop_map(|(number, samples, bytes, variance)| OfClass {
        number,
        samples,
        bytes,
        variance,
    });
    prop_oneof![
        (any::<(u64, u32)>(), vec(any::<String>(), 0..3))
            .prop_map(|((at_ns, live), without)| Events::Begun { at_ns, live, without }),
        any::<String>().prop_map(|why| Events::Refused { why }),
        vec(place, 0..4).prop_map(|places| Events::Places { places }),
        vec(any::<(u32, String)>(), 0..4).prop_map(|classes| Events::Classes { classes }),
        vec(any::<(String, [u64; 5], [u64; 5])>(), 0..4).prop_map(|classes| {
            let class = |(name, objects, places)| HeapClass { name, objects, places };
            Events::Heap { classes: classes.into_iter().map(class).collect() }
        }),
        any::<(u64, u64, Option<String>)>().prop_map(|(objects, stopped_ns, why)| Events::Walked {
            objects,
            stopped_ns,
            why
        }),
        any::<(u64, u32, u128, [u64; 4])>().prop_map(|(waits, most_live, variance, runnable)| {
            Events::Counts(Box::new(EventCounts {
                waits,
                most_live,
                variance,
                runnable,
                ..EventCounts::default()
            }))
        }),
        (vec(of_place, 0..4), vec(of_class, 0..4))
            .prop_map(|(places, classes)| Events::Of { places, classes }),
        (vec(any::<u64>(), 0..40), vec(any::<u64>(), 0..40), any::<u64>()).prop_map(
            |(gone, there, unfollowed)| {
                Events::Lifetimes(Box::new(Lifetimes {
                    gone_at_least: gone.clone(),
                    gone,
                    there,
                    unfollowed,
                }))
            }
        ),
    ]
}

fn drilled() -> impl Strategy<Value = Drilled> {
    let counters =
        prop_oneof![any::<u32>().prop_map(Ok), any::<String>().prop_map(|why| Err(Refusal::Malformed(why)))];
    let method =
        (any::<(String, String, u32)>(), counters).prop_map(|((name, descriptor, first), counters)| {
            CountedMethod { name, descriptor, first, counters }
        });
    prop_oneof![
        any::<(i32, u64, u64, u32, u32)>().prop_map(
            |(descriptor, bytes, arena_bytes, arenas, root_arenas)| {
                Drilled::Counters { descriptor, bytes, arena_bytes, arenas, root_arenas }
            }
        ),
        any::<String>().prop_map(|why| Drilled::Refused { why }),
        (any::<(u32, String, u32, bool)>(), vec(method, 0..4)).prop_map(
            |((class, name, length, from_start), methods)| Drilled::Counted {
                class,
                name,
                length,
                from_start,
                methods
            }
        ),
        (any::<u32>(), vec(any::<u8>(), 0..40)).prop_map(|(class, bytes)| Drilled::Bytes { class, bytes }),
        any::<(String, String)>().prop_map(|(name, why)| Drilled::Left { name, why }),
        any::<(u32, u64)>().prop_map(|(classes, took_ns)| Drilled::Begun { classes, took_ns }),
        Just(Drilled::VirtualThreads),
        any::<u32>().prop_map(|times| Drilled::Uncounted { times }),
        vec(any::<(u64, String)>(), 0..4).prop_map(|classes| Drilled::Receivers { classes }),
        (any::<u32>(), vec(any::<(String, u32)>(), 0..4))
            .prop_map(|(object, classes)| Drilled::Sizes { object, classes }),
    ]
}

pub(super) fn to_agent() -> impl Strategy<Value = ToAgent> {
    let sizing = prop_oneof![
        Just(Sizing::None),
        Just(Sizing::Shallow),
        Just(Sizing::Deep),
        Just(Sizing::Length),
        any::<String>().prop_map(Sizing::Processor)
    ];
    prop_oneof![
        any::<String>().prop_map(|reason| ToAgent::Reject { reason }),
        any::<String>().prop_map(|path| ToAgent::ProcessorJar { path }),
        (handle(), method(), sizing).prop_map(|(handle, method, sizing)| ToAgent::Define {
            handle,
            instrument: Instrument { method, kind: ProbeKind::Times(sizing) }
        }),
        handles().prop_map(|handles| ToAgent::Instrument { handles }),
        (handle(), any::<(u32, u64)>()).prop_map(|(handle, (every, quota))| ToAgent::Arm {
            handle,
            every,
            quota
        }),
        handle().prop_map(|handle| ToAgent::Disarm { handle }),
        handles().prop_map(|handles| ToAgent::Restore { handles }),
        Just(ToAgent::Drain),
        Just(ToAgent::Detach),
        any::<u64>().prop_map(|id| ToAgent::Ping { id }),
        any::<u64>().prop_map(|id| ToAgent::Pong { id }),
        (handle(), any::<u64>()).prop_map(|(handle, count)| ToAgent::Discarded { handle, count }),
        any::<u32>().prop_map(|objects| ToAgent::VisitLimit { objects }),
        any::<u64>().prop_map(|bytes| ToAgent::MetaspaceLimit { bytes }),
        (option::of(Just(Pattern::all())), any::<(bool, u32, bool, bool)>(), vec(any::<String>(), 0..3))
            .prop_map(|(pattern, (jdk, one_in, total, timed), roots)| ToAgent::Drill {
                what: if jdk { DrillKind::Blocks } else { DrillKind::Cover },
                scope: Scope {
                    include: pattern.iter().cloned().collect(),
                    within: pattern.into_iter().collect(),
                    one_in,
                    total,
                    receivers: total,
                    timed,
                    exclude: Vec::new(),
                    jdk,
                    larges: vec![7; roots.len()],
                    roots
                }
            }),
        any::<(bool, u32, u32, bool)>().prop_map(|(alone, interval_bytes, look_ms, heap)| {
            ToAgent::Listen(Listening { alone, interval_bytes, look_ms, heap })
        }),
        Just(ToAgent::CountersOpened),
        vec(any::<String>(), 0..4).prop_map(|methods| ToAgent::StopCounting { methods }),
        vec(any::<(String, String)>().prop_map(|(class, method)| Wanted { class, method }), 0..4)
            .prop_map(|wanted| ToAgent::Survey { wanted }),
    ]
}

fn loaded_class() -> impl Strategy<Value = LoadedClass> {
    let method = any::<(String, String, u16)>().prop_map(|(name, descriptor, access)| LoadedMethod {
        name,
        descriptor,
        access,
    });
    (any::<String>(), vec(method, 0..4)).prop_map(|(name, methods)| LoadedClass { name, methods })
}

pub(super) fn sample() -> impl Strategy<Value = WireSample> {
    let size = prop_oneof![
        Just(WireSize::Unchecked),
        any::<u64>().prop_map(WireSize::Value),
        any::<u32>().prop_map(WireSize::Label)
    ];
    (any::<(u32, u64, u64, u64)>(), option::of(any::<u32>()), size, any::<u16>()).prop_map(
        |((handle, start_ns, end_ns, thread), depth, size, flags)| WireSample {
            handle: Handle(handle),
            start_ns,
            end_ns,
            thread,
            depth,
            size,
            flags,
        },
    )
}

fn method() -> impl Strategy<Value = MethodRef> {
    let part = "[A-Za-z_$č][A-Za-z0-9_$]{0,8}";
    let descriptor = prop_oneof![Just("()V"), Just("(IJ[[D)Z"), Just("(Ljava/util/Map$Entry;)[I")];
    (part, part, prop_oneof![part, Just("<init>".to_owned())], descriptor).prop_map(
        |(package, class, name, d)| MethodRef::new(&format!("{package}/{class}"), &name, d).unwrap(),
    )
}

fn handle() -> impl Strategy<Value = Handle> {
    any::<u32>().prop_map(Handle)
}

fn handles() -> impl Strategy<Value = Vec<Handle>> {
    vec(handle(), 0..40)
}

fn facts() -> impl Strategy<Value = Facts> {
    any::<(u32, u32, bool, bool)>().prop_map(|(bytes_before, bytes_after, large, intrinsic)| Facts {
        bytes_before,
        bytes_after,
        large,
        intrinsic,
    })
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let refusal = prop_oneof![
        any::<String>().prop_map(Refusal::Malformed),
        any::<u16>().prop_map(Refusal::UnknownVersion),
        (0..usize::from(u16::MAX)).prop_map(Refusal::TooLarge),
        any::<String>().prop_map(Refusal::TableFull),
        Just(Refusal::Subroutines),
        any::<String>().prop_map(Refusal::Constructor),
        Just(Refusal::ArgumentReplaced),
        any::<String>().prop_map(Refusal::OwnClass),
        any::<String>().prop_map(Refusal::Annotation),
        any::<String>().prop_map(Refusal::Unverified),
        any::<String>().prop_map(Refusal::Jvm),
        Just(Refusal::Unmodifiable),
        any::<u32>().prop_map(Refusal::NoGate),
        any::<String>().prop_map(Refusal::Special),
        any::<String>().prop_map(Refusal::Loader),
        Just(Refusal::Probed),
        any::<[u64; 2]>().prop_map(|[kept_kb, limit_kb]| Refusal::Metaspace { kept_kb, limit_kb }),
        any::<[u64; 2]>().prop_map(|[left_kb, most_kb]| Refusal::MetaspaceFull { left_kb, most_kb }),
        any::<String>().prop_map(Refusal::NoMemory),
        any::<u32>().prop_map(Refusal::Removed),
    ];
    prop_oneof![
        facts().prop_map(Outcome::Instrumented),
        Just(Outcome::NotLoaded),
        Just(Outcome::Abstract),
        Just(Outcome::Native),
        any::<Vec<String>>().prop_map(|nearest| Outcome::NoSuchMethod { nearest }),
        refusal.prop_map(Outcome::Refused),
    ]
}
