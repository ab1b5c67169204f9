//! Compiles the Java classes that the agent embeds. One set of class files serves JDK 11 to 25.

mod javac;

const SOURCES: [&str; 8] = [
    "java/java/lang/SplProbe.java",
    "java/java/lang/SplProcessors.java",
    "java/java/lang/SplSizes.java",
    "java/spl/size/Computable.java",
    "java/spl/size/MethodSize.java",
    "java/spl/size/ScaleBase.java",
    "java/spl/size/SizeAggregator.java",
    "java/spl/size/SizeProcessor.java",
];

fn main() {
    let options = ["-source", "11", "-target", "11", "--patch-module", "java.base=java"];
    if let Err(message) = javac::compile(&options, &SOURCES) {
        println!("cargo::error={message}");
    }
}
