#!/usr/bin/env python3
"""Runs one arm of a comparison of settings: `tenjiku loop` until a budget of CPU time is spent.

    tools/arm.py base   --config configs/tenjiku-cpu.toml --out runs/arms --cpu 300 --core 0
    tools/arm.py visits --config configs/tenjiku-cpu.toml --out runs/arms --cpu 300 --core 1 -- --set search.visits=48

Arms on different cores may run at the same time; those that are to be compared should, because a machine's speed changes. What stands behind
`--` goes to `tenjiku loop`. At the end it exports the last network as OUT/NAME.onnx, appends a line to OUT/arms.jsonl (name, arguments, generations,
CPU seconds up to the last network), and prints it. Then, say:

    tenjiku match --players onnx:runs/arms/visits.onnx:visits=16 onnx:runs/arms/base.onnx:visits=16 --games 100 --max-plies 300 --out runs/arms/match
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def cpu_seconds(pid):
    """User and system time of a process, from /proc (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="name of the arm, and of its run's folder")
    parser.add_argument("--config", required=True, help="config of the run")
    parser.add_argument("--out", required=True, type=Path, help="folder for runs, logs and results")
    parser.add_argument("--cpu", required=True, type=float, help="budget, seconds of CPU time")
    parser.add_argument("--core", help="core to stay on, with one worker and one thread; all cores if absent")
    parser.add_argument("--binary", default="target/release/tenjiku", help="the program")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    arguments, rest = parser.parse_args(words[:end]), words[end + 1 :]
    arguments.out.mkdir(parents=True, exist_ok=True)
    run = arguments.out / arguments.name
    command = [arguments.binary, "loop", "--config", arguments.config, "--run", str(run), "--set", "generations=100000", *rest]
    if arguments.core is not None:
        command = ["taskset", "-c", arguments.core, *command, "--set", "selfplay.workers=1", "--set", "train.threads=1"]
    seen = {}
    with open(arguments.out / f"{arguments.name}.log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        stopping = False
        try:
            while process.poll() is None:
                try:
                    spent = cpu_seconds(process.pid)
                except (FileNotFoundError, ProcessLookupError):
                    break
                for folder in run.glob("networks/[0-9]*"):
                    seen.setdefault(int(folder.name), spent)
                if spent > arguments.cpu and not stopping:
                    stopping = True
                    process.send_signal(signal.SIGINT)
                time.sleep(0.5)
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
        process.wait()
    seen.pop(0, None)
    if not seen:
        sys.exit(f"arm.py: error: no network within {arguments.cpu} s; see {arguments.out / arguments.name}.log, or raise --cpu")
    last = max(seen)
    exported = arguments.out / f"{arguments.name}.onnx"
    subprocess.run(
        [arguments.binary, "export", "--network", str(run / "networks" / f"{last:06}"), "--out", str(exported)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    result = {"name": arguments.name, "arguments": rest, "generations": last, "cpu_s": round(seen[last]), "network": str(exported)}
    with open(arguments.out / "arms.jsonl", "a") as results:
        results.write(json.dumps(result) + "\n")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
