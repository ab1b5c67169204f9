//! Cost of finding the workload size of a call, by the shape of its argument.

use crate::bench::Bench;
use crate::claims::Report;
use spl_model::{Handle, Instrument, ProbeKind, Sizing};
use spl_overhead::{Door, Fault, Program, Session};
use spl_wire::ToAgent;

/// Methods of `SizeCosts.java`: their names, what their argument is, and its type.
const SHAPES: [(&str, &str, &str); 10] = [
    ("number", "a number", "J"),
    ("string", "String of 33 characters", "Ljava/lang/String;"),
    ("fewNumbers", "int[10]", "[I"),
    ("manyNumbers", "int[1000]", "[I"),
    ("fewBoxed", "ArrayList of 10 numbers", "Ljava/util/List;"),
    ("manyBoxed", "ArrayList of 1,000 numbers", "Ljava/util/List;"),
    ("hashed", "HashMap of 100 numbers and texts", "Ljava/util/Map;"),
    ("tree", "TreeMap of 100 numbers and texts", "Ljava/util/Map;"),
    ("computable", "Computable with 1,000 numbers", "LSizeCosts$Own;"),
    ("processed", "ArrayList of 1,000, with a size processor", "Ljava/util/List;"),
];
const MODES: [(&str, Sizing); 4] = [
    ("nocheck", Sizing::None),
    ("sizeof", Sizing::Shallow),
    ("deep", Sizing::Deep),
    ("length", Sizing::Length),
];
const PROCESSED: &str = "processed";
const PROCESSOR: &str = "SizeCosts$Hundreds";

pub fn run(bench: &Bench, report: &mut Report) -> Result<(), Fault> {
    for (name, mode) in MODES {
        let forks = (0..bench.forks).map(|_| fork(bench, &mode)).collect::<Result<Vec<_>, _>>()?;
        for (index, (_, shape, _)) in SHAPES.iter().enumerate() {
            let added = forks.iter().map(|fork| fork[index]).collect::<Vec<_>>();
            report.note("sizes", &format!("{name}: {shape}"), " ns", &added);
        }
    }
    Ok(())
}

/// Additional cost of a measured call over one behind a closed gate, for each shape, in nanoseconds.
fn fork(bench: &Bench, sizing: &Sizing) -> Result<Vec<f64>, Fault> {
    let door = Door::open()?;
    let classes = bench.classes.display().to_string();
    let mut program =
        Program::start(&bench.java, [&door.option(&bench.agent), "-cp", &classes, "SizeCosts"])?;
    let mut agent = door.accept()?;
    program.expect("ready")?;
    let handles = (0..).zip(SHAPES).map(|(handle, (name, _, kind))| {
        let method = format!("SizeCosts.{name}({kind})V").parse();
        let method = method.map_err(|_| Fault::Unexpected(format!("{name} is not a method")))?;
        let is_processed = *sizing == Sizing::Deep && name == PROCESSED;
        let sizing = if is_processed { Sizing::Processor(PROCESSOR.to_owned()) } else { sizing.clone() };
        let instrument = Instrument { method, kind: ProbeKind::Times(sizing) };
        agent.send(&ToAgent::Define { handle: Handle(handle), instrument })?;
        Ok(handle)
    });
    let handles = handles.collect::<Result<Vec<u32>, Fault>>()?;
    agent.instrument(&handles)?;
    let mut added = Vec::new();
    for (&handle, (shape, _, _)) in handles.iter().zip(SHAPES) {
        let closed = nanos(bench, &mut program, &mut agent, shape)?;
        agent.arm(handle, 1)?;
        let armed = nanos(bench, &mut program, &mut agent, shape)?;
        agent.arm(handle, 0)?;
        added.push(armed - closed);
    }
    program.end()?;
    Ok(added)
}

/// The time of a call, after as many that count for nothing: until the last compiler has seen them.
fn nanos(bench: &Bench, program: &mut Program, agent: &mut Session, shape: &str) -> Result<f64, Fault> {
    let mut answer = String::new();
    for _ in 0..2 {
        program.tell(&format!("{shape} {}", bench.rounds))?;
        answer = agent.line_of(program)?;
        agent.samples.clear();
    }
    answer.parse().map_err(|_| Fault::Unexpected(format!("the program said {answer:?}")))
}
