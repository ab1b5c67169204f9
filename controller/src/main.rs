//! `spl`: see the library.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    spl_controller::main()
}
