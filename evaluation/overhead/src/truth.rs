//! Truth of reported times: what is reported of a body against its time on the wall, behind an open and a closed gate in
//! turn.

use crate::bench::Bench;
use crate::claims::{Report, median};
use spl_model::{Handle, Sizing};
use spl_overhead::{Door, Fault, Program, Session};

/// Methods of `Bodies.java` of which a probe must report the whole time.
const BODIES: [&str; 4] = ["loads", "straightLoads", "loop", "calls"];
/// Nothing holds pure arithmetic in registers between two clock reads: it is shown, and nothing is claimed of it.
const ARITHMETIC: &str = "arithmetic";
/// Its time is the probe's own.
const EMPTY: &str = "empty";
const CALLS: usize = 250;
const BURSTS: usize = 60;
/// Measurements behind each gate.
const TURNS: usize = 5;
/// Largest difference between what is reported and the time on the wall, as a share of the latter.
const LIMIT: f64 = 0.10;
/// Inlined as HotSpot likes, and never.
const COMPILED: [(&str, &[&str]); 2] = [
    ("inlined", &[]),
    ("not inlined", &["-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Bodies::*"]),
];

pub fn run(bench: &Bench, report: &mut Report) -> Result<(), Fault> {
    for (how, options) in COMPILED {
        let forks = (0..bench.forks).map(|_| fork(bench, options)).collect::<Result<Vec<_>, _>>()?;
        for (index, body) in BODIES.into_iter().chain([ARITHMETIC]).enumerate() {
            let shares = forks.iter().map(|fork| fork[index]).collect::<Vec<_>>();
            report.note("truth", &format!("{body}, {how}: reported against the wall"), "", &shares);
            if body != ARITHMETIC {
                let off = shares.iter().map(|share| (share - 1.0).abs()).collect::<Vec<_>>();
                report.at_most("truth", &format!("{body}, {how}: the difference"), "", &off, LIMIT);
            }
        }
    }
    Ok(())
}

/// The reported part of each body's time on the wall.
fn fork(bench: &Bench, options: &[&str]) -> Result<Vec<f64>, Fault> {
    let door = Door::open()?;
    let classes = bench.classes.display().to_string();
    let option = door.option(&bench.agent);
    let arguments = [&[&*option], options, &["-cp", &classes, "Bodies"]].concat();
    let mut program = Program::start(&bench.java, arguments)?;
    let mut agent = door.accept()?;
    program.expect("ready")?;
    let empty = times(&mut program, &mut agent, 0, EMPTY)?;
    let mut shares = Vec::new();
    for (handle, body) in (1..).zip(BODIES.into_iter().chain([ARITHMETIC])) {
        let [wall, reported] = times(&mut program, &mut agent, handle, body)?;
        shares.push((reported - empty[1]) / (wall - empty[0]));
    }
    program.end()?;
    Ok(shares)
}

/// Nanoseconds of a call: on the wall while the gate is closed, and as reported.
fn times(program: &mut Program, agent: &mut Session, handle: u32, body: &str) -> Result<[f64; 2], Fault> {
    agent.define(handle, &format!("Bodies.{body}(J)J"), Sizing::None)?;
    agent.instrument(&[handle])?;
    // Until the last compiler has seen it.
    burst(program, agent, body, [30, CALLS])?;
    burst(program, agent, body, [5, 100_000])?;
    let (mut wall, mut reported) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        wall.push(burst(program, agent, body, [BURSTS, CALLS])?);
        agent.arm(handle, 1)?;
        agent.samples.clear();
        burst(program, agent, body, [BURSTS, CALLS])?;
        agent.arm(handle, 0)?;
        let undisturbed =
            agent.samples.iter().filter(|sample| sample.handle == Handle(handle) && sample.flags == 0);
        let times = undisturbed.map(|sample| (sample.end_ns - sample.start_ns) as f64).collect::<Vec<_>>();
        // A busy machine moves the median of the means of groups less than the mean.
        let means = times.chunks(CALLS).map(|group| group.iter().sum::<f64>() / group.len() as f64);
        reported.push(median(&means.collect::<Vec<_>>()));
    }
    agent.restore(&[handle])?;
    Ok([median(&wall), median(&reported)])
}

/// Lets the program call a body in bursts, and gives the median nanoseconds of a call.
fn burst(
    program: &mut Program,
    agent: &mut Session,
    body: &str,
    [bursts, calls]: [usize; 2],
) -> Result<f64, Fault> {
    program.tell(&format!("{body} {bursts} {calls}"))?;
    let answer = agent.line_of(program)?;
    answer.parse().map_err(|_| Fault::Unexpected(format!("the program said {answer:?}")))
}
