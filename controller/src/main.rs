//! `spl`: see the library.

fn main() -> std::process::ExitCode {
    spl_controller::main()
}
