//! Compiles the interfaces that `spl api-jar` writes.

#[path = "../agent/javac.rs"]
mod javac;

const SOURCES: [&str; 5] = [
    "../agent/java/spl/size/Computable.java",
    "../agent/java/spl/size/MethodSize.java",
    "../agent/java/spl/size/ScaleBase.java",
    "../agent/java/spl/size/SizeAggregator.java",
    "../agent/java/spl/size/SizeProcessor.java",
];

fn main() {
    if let Err(message) = javac::compile("java", &["--release", "11"], &SOURCES) {
        println!("cargo::error={message}");
    }
}
