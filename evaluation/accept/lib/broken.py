"""JVMs and set-ups that cannot be measured, or not well: `spl doctor` and `spl attach` have to name the cause of each. Prints a line
"ok|FAIL claim figure" for each.

Arguments: spl, folder of the classes, folder for files, java. Needs root for the part with other users and namespaces, which is
left out with a note otherwise.
"""

import atexit
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

SPL, CLASSES, WORK, JAVA = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
LIBRARY = Path(SPL).with_name("libspl_agent.so")
NOBODY = 65534
FAST = "CompareLoop#fast(int[]) < 1 s\n"
DEADLINE_S = 60
STARTED = []
found = missed = 0


@atexit.register
def leave_nothing():
    for process in STARTED:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()


def awaits(what, is_there):
    """Waits until a condition holds."""
    end = time.monotonic() + DEADLINE_S
    while not is_there():
        if time.monotonic() > end:
            raise SystemExit(f"FAIL waited {DEADLINE_S} s for {what}")
        time.sleep(0.02)


class Jvm:
    """The test program, with options of the JVM, in `around`: a command that starts it."""

    def __init__(self, *options, around=(), class_path=CLASSES, env=None):
        self.log = WORK / f"broken-{len(STARTED)}.log"
        command = [*around, JAVA, *options, "-cp", class_path, "CompareLoop", "0", "100000"]
        with open(self.log, "w") as log:
            env = {**os.environ, **(env or {})}
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, env=env, cwd=WORK)
        STARTED.append(self.process)
        awaits("the test program", lambda: "ready" in self.log.read_text())
        self.pid = jvm_of(self.process.pid)

    def ends(self):
        """Ends the program by its input; gives whether it was unharmed."""
        self.process.stdin.close()
        status = self.process.wait(timeout=DEADLINE_S)
        return status == 0 and "Full thread dump" not in self.log.read_text()


def jvm_of(pid):
    """The JVM among a process and its children."""
    try:
        if "libjvm.so" in Path(f"/proc/{pid}/maps").read_text():
            return pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return None
    return next((jvm for jvm in map(jvm_of, map(int, children)) if jvm), None)


def said(*words, around=()):
    ran = subprocess.run([*around, SPL, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         timeout=DEADLINE_S, cwd=WORK)
    return ran.returncode, ran.stdout + ran.stderr


def names(what, cause, answer, unharmed=True):
    """A claim: the answer names the cause, and does not succeed."""
    global found, missed
    status, text = answer
    if re.search(cause, text) and status in (1, 2) and unharmed and "panicked" not in text:
        found += 1
        return
    missed += 1
    print(f"FAIL {what}: status {status}, unharmed {unharmed}, and this does not name the cause: {text[-600:]!r}", flush=True)


def doctor(what, cause, *options, jvm=None, more=(), around=(), **how):
    """Asks the doctor about a JVM with these options. `more` are options of the doctor."""
    own = jvm or Jvm(*options, **how)
    answer = said("doctor", own.pid, *more, around=around)
    names(what, cause, answer, jvm is not None or own.ends())


def tasks(text, name="broken.tasks"):
    (WORK / name).write_text(text)
    return WORK / name


def of_processes():
    asleep = subprocess.Popen(["sleep", "600"])
    STARTED.append(asleep)
    names("a process that is not a JVM", "not a HotSpot JVM", said("doctor", asleep.pid))
    asleep.kill()
    asleep.wait()
    names("a process that is not there", "no such process", said("doctor", asleep.pid))
    names("no program has the text", "no HotSpot JVM", said("doctor", "--match", "CompareLoop 0 none"))
    shell = Jvm(around=["sh", "-c", '"$@"; true', "sh"])
    names("the shell around the JVM", "name the process of `java` itself", said("doctor", shell.process.pid))
    other = Jvm()
    names("two programs have the text", "2 JVMs have it", said("doctor", "--match", f"{CLASSES} CompareLoop 0 100000"))
    shell.ends()
    os.kill(other.pid, signal.SIGSTOP)
    # The kernel says so a moment later.
    awaits("the stop", lambda: "(stopped)" in Path(f"/proc/{other.pid}/status").read_text())
    doctor("a JVM that is stopped", "it is stopped", jvm=other)
    os.kill(other.pid, signal.SIGCONT)
    other.ends()


def of_options():
    # Such a JVM listens from its start on; no signal could make it listen again.
    deaf = Jvm("-Xrs")
    Path(f"/tmp/.java_pid{deaf.pid}").unlink(missing_ok=True)
    doctor("-Xrs, and the socket was removed", "its socket in /tmp was removed", jvm=deaf)
    deaf.ends()
    doctor("attaching is forbidden", r"-XX:\+DisableAttachMechanism", "-XX:+DisableAttachMechanism")
    doctor("agents are forbidden", r"-XX:-EnableDynamicAgentLoading", "-XX:+IgnoreUnrecognizedVMOptions",
           "-XX:-EnableDynamicAgentLoading")
    doctor("forbidden by a variable", r"-XX:\+DisableAttachMechanism", env={"JAVA_TOOL_OPTIONS": "-XX:+DisableAttachMechanism"})
    gone = WORK / "options.txt"
    gone.write_text("-XX:+DisableAttachMechanism\n")
    jvm = Jvm(f"-XX:VMOptionsFile={gone}", "-XX:-UsePerfData")
    gone.unlink()
    doctor("a file of options that is gone", "options cannot all be found out", jvm=jvm)
    jvm.ends()
    copy = WORK / "copy" / LIBRARY.name
    copy.parent.mkdir(exist_ok=True)
    shutil.copy(LIBRARY, copy)
    agents = [f"-agentpath:{path}=spl.client.socket=/nonexistent/spl" for path in (LIBRARY, copy)]
    doctor("two copies of the agent", "2 copies of it", *agents)


def of_files():
    jvm = Jvm()
    at = Path(f"/tmp/.java_pid{jvm.pid}")
    at.write_text("")
    doctor("a file in the place of its socket", "socket", jvm=jvm)
    at.unlink()
    trigger = WORK / f".attach_pid{jvm.pid}"
    trigger.mkdir()
    doctor("a folder in the place of the request", r"\.attach_pid", jvm=jvm)
    trigger.rmdir()
    names("an agent that is not there", "none.so", said("attach", jvm.pid, "--agent", "none.so", "--tasks", tasks(FAST),
                                                        "--yes"))
    text = WORK / "text.so"
    text.write_text("this is text")
    names("an agent that is not a library", "did not load|not a library|no agent", said("attach", jvm.pid, "--agent", text, "--tasks",
                                                                           tasks(FAST), "--yes"))
    names("results that cannot be written", "cannot", said("attach", jvm.pid, "--tasks", tasks(FAST), "--yes",
                                                            "--out", "/proc/none"))
    names("no task file", "none.tasks", said("doctor", jvm.pid, "--tasks", "none.tasks"))
    for what, cause, text in [
        ("a mistake in the task file", r"BAD +tasks +.*broken.tasks:1: ", "CompareLoop#fast(int[]) <=\n"),
        ("a method that the class has not", "CompareLoop#fats", "CompareLoop#fats(int[]) < 1 s\n"),
        ("a class that is not in the class path", "com.shop.None", "com.shop.None#f() < 1 s\n"),
        ("a native method", "native", "java.lang.Object#hashCode() < 1 s\n"),
        ("an abstract method", "abstract|no code|implement", "java.util.AbstractList#get(int) < 1 s\n"),
    ]:
        names(what, cause, said("doctor", jvm.pid, "--tasks", tasks(text)))
    names("attached to and removed: its socket", "its socket in /tmp was removed", removed(jvm))
    jvm.ends()
    doctor("an entry of the class path that is not there", "none.jar is in the class path and not there",
           class_path=f"{CLASSES}:none.jar", more=("--tasks", tasks(FAST)))


def removed(jvm):
    """The doctor's answer about a JVM that listens, and whose socket somebody has removed."""
    said("detach", jvm.pid)
    said("attach", jvm.pid, "--tasks", tasks(FAST), "--for", "1s", "--yes", "--out", WORK / "removed", "--replace")
    Path(f"/tmp/.java_pid{jvm.pid}").unlink(missing_ok=True)
    return said("doctor", jvm.pid)


def of_two():
    jvm = Jvm()
    options = ["attach", jvm.pid, "--tasks", tasks(FAST), "--yes", "--plain"]
    log = WORK / "first.log"
    with open(log, "w") as out:
        first = subprocess.Popen([SPL, *map(str, options), "--out", WORK / "first"], stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    STARTED.append(first)
    awaits("the first controller", lambda: "measuring Java" in log.read_text() or first.poll() is not None)
    names("another controller measures it", "another|measured already|is being measured", said(*options, "--out", WORK / "second"))
    first.send_signal(signal.SIGINT)
    first.wait(timeout=DEADLINE_S)
    jvm.ends()


def of_others():
    """Set-ups that need root."""
    as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    jvm = Jvm()
    names("another user's JVM", "it belongs to user 0", said("doctor", jvm.pid, around=as_nobody))
    at = Path(f"/tmp/.java_pid{jvm.pid}")
    with socket.socket(socket.AF_UNIX) as squatter:
        squatter.bind(str(at))
        os.chown(at, NOBODY, NOBODY)
        doctor("somebody else's socket in its place", "socket", jvm=jvm)
    at.unlink()
    jvm.ends()
    bound = 'mount --bind /tmp /tmp; mount -o remount,ro,bind /tmp; exec "$@"'
    read_only = Jvm(around=["unshare", "-m", "sh", "-ec", bound, "sh"])
    doctor("a /tmp that can only be read", "/tmp can only be read", jvm=read_only)
    read_only.ends()
    hidden = ('for at in /dev/shm /var/tmp /run; do mount -t tmpfs -o noexec none "$at"; done; '
              f'mount --bind /tmp /tmp; mount -o remount,noexec,bind /tmp; mount -t tmpfs none "{LIBRARY.parent}"; exec "$@"')
    nowhere = Jvm(around=["unshare", "-m", "sh", "-ec", hidden, "sh"])
    doctor("no folder to execute the library in", "may execute nothing", jvm=nowhere)
    doctor("classes in a container", "has another root folder", jvm=nowhere, more=("--tasks", tasks(FAST)))
    nowhere.ends()


of_processes()
of_options()
of_files()
of_two()
if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0:
    of_others()
else:
    print("note not tried: other users' JVMs and other namespaces: they need root", flush=True)
print(f"{'FAIL' if missed else 'ok  '} {found} of {found + missed} broken set-ups have their cause named", flush=True)
