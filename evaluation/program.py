"""A running program, or one that `spl run` has started, for the experiments that watch what it prints."""

import os
import signal
import subprocess
import threading
import time

from chapter import ROOT


class Program:
    """`said` and `noted` get each line of its output and of its errors, with the moment at which it came."""

    def __init__(self, command, environment):
        # The program's own, where another has started it: that one says which.
        self.pid = None
        self.process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **environment}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.readers = [threading.Thread(target=self.read, args=(self.process.stdout, self.said)),
                        threading.Thread(target=self.read, args=(self.process.stderr, self.noted))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def read(stream, take):
        for line in stream:
            take(time.monotonic(), line.rstrip("\n"))

    def end(self):
        """The controller ends by itself after the program; where it doesn't, it gets a signal."""
        for pid in (self.pid, self.process.pid):
            if pid and self.process.poll() is None:
                os.kill(pid, signal.SIGTERM)
                try:
                    self.process.wait(20)
                except subprocess.TimeoutExpired:
                    continue
        if self.process.poll() is None:
            self.process.kill()
        for reader in self.readers:
            reader.join()
