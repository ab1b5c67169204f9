//! `spl enable` and `spl disable`.

use clap::Args;
use std::path::PathBuf;

const ENABLE_HELP: &str = "\
Example:
  spl enable shop.service && systemctl daemon-reload && systemctl restart shop.service

Writes a drop-in for a systemd service: at its next start its JVMs load the agent, which stays dormant until `spl attach` wants \
it. No class is changed before. A JVM prints one line about JAVA_TOOL_OPTIONS on standard error. The library is tried in the \
unit's own java first. Nothing is changed, and the reason is said, if the unit sets JAVA_TOOL_OPTIONS already, loads the \
agent already, has a root folder of its own, or could not load the library. The unit itself is neither restarted nor changed.

Exit status: 0 it is written, or was there already, 2 something went wrong.";

const DISABLE_HELP: &str = "\
Example:
  spl disable shop.service && systemctl daemon-reload

Removes what spl enable wrote, and nothing else. A drop-in that somebody has changed is left as it is.

Exit status: 0 it is removed, or was not there, 2 something went wrong.";

const COPY_HELP: &str = "\
Example:
  spl copy-agent /spl

For the init container of a pod: the program's container sees the library in a volume (docs/guide.md, Containers). The file is \
there whole or not at all, and every user may read it.

Exit status: 0 it is there, 2 something went wrong.";

/// The unit that is meant.
#[derive(Clone, Debug, Args)]
pub struct Unit {
    /// The unit; .service may be left out.
    #[arg(value_name = "UNIT")]
    pub name: String,
    /// Folder that has the root of another system, such as an image.
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub root: PathBuf,
    /// Until the machine's next start only, in /run: for systems whose /etc can only be read.
    #[arg(long)]
    pub runtime: bool,
}

/// `spl enable`
#[derive(Debug, Args)]
#[command(after_help = ENABLE_HELP)]
pub struct Enable {
    #[command(flatten)]
    pub unit: Unit,
    /// Path of the agent's library, as the service sees it [default: libspl_agent.so next to this program]
    #[arg(long, value_name = "FILE")]
    pub agent: Option<PathBuf>,
}

/// `spl disable`
#[derive(Debug, Args)]
#[command(after_help = DISABLE_HELP)]
pub struct Disable {
    #[command(flatten)]
    pub unit: Unit,
}

/// `spl copy-agent`
#[derive(Debug, Args)]
#[command(after_help = COPY_HELP)]
pub struct CopyAgent {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The agent's library [default: libspl_agent.so next to this program]
    #[arg(long, value_name = "FILE")]
    pub agent: Option<PathBuf>,
}
