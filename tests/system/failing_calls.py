"""System calls of our programs fail, or are the last: with strace, which can do that to a process.

failing_calls.py BUILD WORK PLACES: each program is run once as it is, and what it does with files of its folder is listed.
Then it runs again and again; each time one of these calls fails (no space, I/O error, too many files), or
ends the process by SIGKILL. PLACES of each kind of call are tried, at equal distances; 0: all. Prints TAP.

A program must end soon: with all of its output, as without the fault, or with exit code 1 or 3, a message, and nothing
half-written. What a killed one leaves under the name of its output must be whole, or refused by the next program.
"""
import filecmp, os, re, shutil, signal, subprocess, sys, time

BUILD, WORK, PLACES = sys.argv[1], sys.argv[2], int(sys.argv[3])
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec.hydra")
LIMIT = 30
CALLS = "openat,mmap,write,pwrite64,writev,read,close,fsync,fdatasync,rename,renameat2,mkdir,ftruncate,unlink"
ERRORS = {"openat": ["EMFILE", "EACCES", "EINTR"], "mmap": ["ENOMEM"], "write": ["ENOSPC", "EIO", "EINTR"], "pwrite64": ["ENOSPC"], "writev": ["ENOSPC"],
          "read": ["EIO", "EINTR"], "close": ["EIO"], "fsync": ["EIO", "EINTR"], "fdatasync": ["EIO"], "rename": ["EIO", "ENOSPC"],
          "renameat2": ["EIO"], "mkdir": ["ENOSPC", "EACCES"], "ftruncate": ["EIO"], "unlink": ["EACCES"]}
FATAL = ("write", "rename", "mkdir", "openat", "close")  # SIGKILL instead of these, too
number = 0


def ok(passed, text, comment=""):
    global number
    number += 1
    print(f"{'ok' if passed else 'not ok'} {number} - {text}")
    for line in comment.splitlines()[-12:]:
        print(f"#   {line}")
    sys.stdout.flush()


class Case:
    """rank: the one whose calls fail, None: there is no launcher. out: what is written, below the folder."""

    def __init__(self, name, command, out, rank=None, same=True):
        self.name, self.command, self.out, self.rank, self.same = name, command, out, rank, same
        self.folder = os.path.join(WORK, name)

    def run(self, inject=None):
        """Exit code (None: no end), standard error, path of the log of the calls."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(os.path.join(WORK, "given"), self.folder)
        log = os.path.join(WORK, self.name + ".calls")
        open(log, "w").close()
        tracer = ["strace", "-f", "-y", "-qq", "--seccomp-bpf", "-s", "0", "-e", f"trace={CALLS}", "-o", log]
        tracer += ["-e", f"inject={inject}"] if inject else []
        command = tracer + self.command
        if self.rank is not None:
            words = " ".join(f"'{word}'" for word in self.command)
            command = [MPIEXEC, "-np", "2", "sh", "-c",
                       f"if [ ${{PMI_RANK:-${{OMPI_COMM_WORLD_RANK:-0}}}} = {self.rank} ]; then exec {' '.join(tracer)} {words}; else exec {words}; fi"]
        with open(os.path.join(WORK, "said"), "w") as said:
            process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
                                       start_new_session=True)
            code = self.end_of(process, log)
        with open(os.path.join(WORK, "said"), errors="replace") as said:
            return code, said.read(), log

    def end_of(self, process, log):
        """Its exit code; None: no end within the limit, or none is waited for, because the fault hit another file."""
        began = time.monotonic()
        while time.monotonic() < began + LIMIT:
            try:
                return process.wait(1)
            except subprocess.TimeoutExpired:
                if self.hit_another(self.hits(log)):
                    break
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return None

    def hits(self, log):
        with open(log, errors="replace") as calls:
            return [line for line in calls if "INJECTED" in line or "killed by SIGKILL" in line]

    def hit_another(self, hits):
        """strace counts the calls of each process apart: the same fault may have happened to others, too."""
        return any("INJECTED" in line and not self.concerns(line) for line in hits)

    def concerns(self, line):
        """Whether a call is about a file of the folder: by its path, absolute or not, or by its descriptor."""
        path = re.search(r'"([^"]*)"', line.split(" = ")[0]) if re.search(r" (openat|mkdir|rename|renameat2|unlink)\(", line) else None
        if path:
            return path.group(1).startswith(self.folder) or not path.group(1).startswith("/")
        return f"<{self.folder}/" in line

    def places(self, calls):
        """(call, which one of its process): those on files of the folder, which begin with it."""
        counts, found, always = {}, {}, {}
        for line in calls:
            match = re.match(r"(\d+) +(\w+)\(", line)
            if not match:
                continue
            process, call = match.groups()
            counts[process, call] = counts.get((process, call), 0) + 1
            if self.concerns(line):
                found.setdefault(call, []).append(counts[process, call])
                if 'traces.otf2", O_WRONLY' in line:  # OTF2 does not tell of its failure
                    always.setdefault(call, set()).add(counts[process, call])
        for call, places in sorted(found.items()):
            places = sorted(set(places))
            step = max(1, len(places) // PLACES) if PLACES else 1
            for place in sorted({*places[step // 2::step], *always.get(call, ())}):
                yield call, place

    def whole(self, path):
        """Whether an output is there as without faults."""
        good = os.path.join(WORK, self.name + ".good", os.path.relpath(path, self.folder))
        if os.path.isdir(path):
            if os.path.exists(os.path.join(path, "traces.otf2")):
                return subprocess.run([f"{BUILD}/silas-analyze", "-o", "/dev/null", "-f", "json", path], capture_output=True).returncode == 0
            names = sorted(os.listdir(path))
            return names == sorted(os.listdir(good))
        return os.path.exists(path) and (not self.same or filecmp.cmp(path, good, shallow=False))

    def refused(self, path):
        """Whether the next program does not take a half-written archive for whole."""
        archive = next((folder for folder, _, names in os.walk(path) if "traces.otf2" in names), None)
        if not archive:
            return os.path.isdir(path)  # nothing that a program of ours would read
        check = subprocess.run([f"{BUILD}/silas-analyze", "-o", "/dev/null", "-f", "json", archive], capture_output=True, text=True)
        return check.returncode == 1 and "silas-analyze: " in check.stderr

    def complaint(self, fault, code, said, hits):
        """The mistake, or an empty text; None: the fault did not happen to a file of the folder."""
        if not hits or self.hit_another(hits):
            return None
        if code is None:
            return f"no end within {LIMIT} s"
        if code < 0 and fault != "SIGKILL" or code - 128 in (4, 6, 7, 8, 11) or -code in (4, 6, 7, 8, 11):
            return f"crashed: {code}"
        path = os.path.join(self.folder, self.out)
        there = os.path.lexists(path)
        if code == 0:
            return "" if there and self.whole(path) else "exit code 0 with another output"
        if fault == "SIGKILL":
            return "" if not there or self.whole(path) or self.refused(path) else "left a half-written output"
        if code not in (1, 3):
            return f"exit code {code}"
        lines = [line for line in said.splitlines() if line.startswith("silas")]
        if not lines:
            return f"exit code {code} without a message"
        if there and not self.whole(path) and not self.refused(path):
            return "left a half-written output"
        left = [name for name in os.listdir(self.folder) if ".part" in name]
        return f"left {left}" if left else ""

    def test(self):
        code, said, log = self.run()
        ok(code == 0, f"{self.name}: runs", "" if code == 0 else said)
        if code != 0:
            return
        good = os.path.join(WORK, self.name + ".good")
        shutil.rmtree(good, ignore_errors=True)
        shutil.move(self.folder, good)
        tried, wrong = 0, []
        with open(log, errors="replace") as calls:
            places = list(self.places(calls))
        for call, place in places:
            for fault in ERRORS[call] + (["SIGKILL"] if call in FATAL else []):
                how = f"signal=SIGKILL:when={place}" if fault == "SIGKILL" else f"error={fault}:when={place}"
                code, said, log = self.run(f"{call}:{how}")
                hits = self.hits(log)
                complaint = self.complaint(fault, code, said, hits)
                tried += complaint is not None
                if complaint:
                    wrong.append(f"{call} {place}, {fault}: {complaint}: {''.join(hits)[:150]}\n    {said.strip()[:300]}")
        ok(not wrong, f"{self.name}: a message and an exit code, or the whole output, of {tried} faults", "\n".join(wrong))
        ok(tried > 0, f"{self.name}: faults have happened")


def main():
    given = os.path.join(WORK, "given")
    silas = lambda name: f"{BUILD}/silas-{name}"
    Case.all = [
        Case("analyze-json", [silas("analyze"), "-o", "report.json", "trace"], "report.json"),
        Case("analyze-html", [silas("analyze"), "-o", "report.html", "trace"], "report.html", same=False),
        Case("analyze-cubex", [silas("analyze"), "-o", "report.cubex", "trace"], "report.cubex", same=False),
        Case("model", [silas("model"), "model.ini"], "result", same=False),
        Case("sweep", [silas("sweep"), "--jobs", "1", "-o", "result", "sweep.ini"], "result", same=False),
        Case("reduce", [silas("reduce"), "-o", "result", "trace"], "result", same=False),
        Case("loops", [silas("reduce"), "--loops", "-o", "result", "trace"], "result", same=False),
        Case("export", [silas("export"), "-f", "csv", "-o", "table.csv", "trace"], "table.csv"),
        Case("predict", [silas("predict"), "--from", "trace", "-o", "model.silas"], "model.silas"),
        Case("trace", [silas("trace"), "-o", "result", f"{BUILD}/examples/lb-p2p", "--iterations", "3"], "result", rank=0, same=False),
        Case("trace-1", [silas("trace"), "-o", "result", f"{BUILD}/examples/lb-p2p", "--iterations", "3"], "result", rank=1, same=False),
        Case("replay", [silas("replay"), "replay.ini"], "result", rank=0, same=False),
    ]
    os.makedirs(given)
    subprocess.run([f"{BUILD}/bench/trace/generate_trace", "-o", f"{given}/trace", "-r", "2", "-e", "200", "-f", "regions,blocking,collective"],
                   check=True, stdout=subprocess.DEVNULL)
    for name, more in (("model", "[network n]\nlatency = 2\n"), ("replay", "[replay]\nrepeat = 1\ntune = no\ntimeout = 20\n"),
                       ("sweep", "[network n]\nlatency = {0.5, 2}\n")):
        output = "" if name == "sweep" else "[output]\ndirectory = result\nformats = text, json\ntrace = yes\n"
        with open(f"{given}/{name}.ini", "w") as file:
            file.write(f"[trace]\npath = trace\n{output}{more}")
    names = os.environ.get("CASES", "").split()
    for case in Case.all:
        if not names or case.name in names:
            case.test()
    print(f"1..{number}")


main()
