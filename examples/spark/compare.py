"""Audits records that are hard to cut in pieces, on a Spark cluster of two machines and
with the program on one, and compares every total and every finding.
`cargo xtask spark` calls it."""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MEMBERS = ["lines", "messages", "passed_over", "sources", "bare", "counts"]
# Small, so that every record is in many splits.
SPLIT = 1 << 20


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ["program", "component", "generator", "work"]:
        parser.add_argument(f"--{name}", required=True, type=Path)
    options = parser.parse_args()
    tree = options.work / "records"
    shutil.rmtree(tree, ignore_errors=True)
    write(tree, options.generator)
    refuse(options.component, options.work)
    here, there = on_one_machine(options.program, tree), on_spark(options.component, tree)
    wrong = 0
    for path in sorted(here["files"].keys() | there["files"].keys()):
        same = here["files"].get(path) == there["files"].get(path)
        wrong += not same
        lines = here["files"].get(path, {}).get("lines", 0)
        print(f"{path}: {lines} lines, {'the same totals' if same else 'OTHER TOTALS'}")
        if not same:
            print(f"  one machine: {here['files'].get(path)}\n  Spark: {there['files'].get(path)}")
    for what in ["total", "findings"]:
        same = here[what] == there[what]
        wrong += not same
        print(f"{what}: {'the same' if same else 'OTHER'}")
        if not same:
            print(f"  one machine: {here[what]}\n  Spark: {there[what]}")
    return 1 if wrong else 0


def refuse(component, work):
    """What cannot be used ends with status 2 and one line, before Spark does any work
    or after."""
    damaged, junk = work / "damaged", work / "junk.wasm"
    shutil.rmtree(damaged, ignore_errors=True)
    damaged.mkdir(parents=True)
    (damaged / "record.gz").write_bytes(b"\x1f\x8b\x08\x00 no gzip")
    (damaged / "_named").write_bytes(b"{}\n")
    junk.write_bytes(b"\0asm")
    local = ["--master", "local[1]"]
    for arguments in [
        [component, damaged, "--max-findings", "-1"],
        [component, damaged, "--max-findings", "many"],
        [damaged, damaged],
        [junk, damaged],
        [component, damaged / "absent"],
        [component, damaged],
        [component, damaged, "--name", "_*"],
        [component, damaged, "--name", "*.gz"],
    ]:
        done = submit(local, *arguments)
        # spark-submit prints what a program says on either way to its standard output.
        if done.returncode != 2 or "{" in done.stdout[:1] or "Traceback" in done.stdout:
            sys.exit(f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr[-4000:]}")


def write(tree, generator):
    """Records as a runtime leaves them, and what is hard to cut."""

    def record(name, text):
        path = tree / name / "conversation.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(text)

    def generated(megabytes, seed):
        return subprocess.check_output([generator, str(megabytes), str(seed)])

    def message(text, **more):
        content = [{"type": "text", "text": text}]
        return json.dumps({"role": "tool", "content": content, **more}).encode()

    for seed in range(3):
        record(f"generated-{seed}", generated(10, seed + 1))
    examples = HERE.parent / "records"
    for name in ["hostile", "tampered"]:
        record(name, (examples / name / "conversation.jsonl").read_bytes())
    bare = message("labelled, and bare", fence="tool:x")
    record("carriage-returns", b"\r\n".join([bare, b"", bare, b" \r", bare]) + b"\r\n")
    # Longer than a split and than one call of the component.
    record("long-line", bare + b"\n" + message("</untrusted-content> " * 600_000) + b"\n" + bare + b"\n")
    record("many-short-lines", b"{}\n" * 400_000 + bare + b"\n")
    record("not-utf-8", bare + b"\n\xff\xfe\n" + b'{"role":"\xc3\n' + bare + b"\n\x80")
    record("torn", generated(2, 9) + b'{"role":"user","content":"caf')
    record("torn-in-a-character", generated(2, 10) + b'{"role":"user","content":"caf\xc3')
    record("no-newline-at-the-end", bare + b"\n" + bare)
    record("empty", b"")
    for name in ["_hidden", ".hidden", "with space", "percent%41", "column=1", "[brackets]", "中文"]:
        record(name, bare + b"\n")


def members(sums):
    plain = {name: sums[name] for name in MEMBERS}
    plain["sources"] = {
        source: {name: count for name, count in tally.items() if name != "coverage"}
        for source, tally in sums["sources"].items()
    }
    return plain


def findings(report):
    keys = ["line", "code", "severity", "id", "call", "source", "pointer", "offset", "column", "text"]
    found = ([short(one["path"]), *(one.get(key) for key in keys)] for one in report["findings"])
    return sorted(found, key=lambda one: json.dumps(one))


def short(path):
    return "/".join(Path(path).parts[-2:])


def on_one_machine(program, tree):
    command = [program, "audit", "--format", "json", "--max-findings", "1000000", tree]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE).stdout)
    files = {short(one["path"]): members(one) for one in report["files"]}
    return {"files": filled(files), "total": members(report["surfaces"]["record"]), "findings": findings(report)}


def on_spark(component, tree):
    cluster = ["--master", "local-cluster[2,1,1024]"]
    cluster += ["--conf", f"spark.sql.files.maxPartitionBytes={SPLIT}"]
    done = submit(cluster, component, tree, "--max-findings", "1000000")
    if done.returncode not in (0, 1) or not done.stdout.startswith("{"):
        sys.exit(f"the audit on Spark failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    report = json.loads(done.stdout)
    files = {short(one["path"]): members(one) for one in report["files"]}
    return {"files": filled(files), "total": members(report), "findings": findings(report)}


def submit(master, component, *arguments):
    command = [Path(sys.executable).with_name("spark-submit"), *master]
    command += ["--conf", "spark.ui.enabled=false", HERE / "audit.py", "--component", component]
    command += ["--package", HERE.parent / "python" / "src", *arguments]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True)


def filled(files):
    """Without the files that have no line: Spark comes upon no line of theirs."""
    return {path: sums for path, sums in files.items() if sums["lines"]}


if __name__ == "__main__":
    sys.exit(main())
