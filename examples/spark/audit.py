"""The audit of conversation records on Spark: the component looks at the lines of each
Arrow batch in one call, and the sums of all batches add up to those of the record.

    spark-submit audit.py --component murmur-fence.wasm --package ../python/src RECORDS...

Prints one JSON object. Exit status as everywhere in the project: 0 clean, 1 for errors
and warnings, 2 for what cannot be used.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

# What goes into the component at once, in bytes: it needs several times as much.
CALL = 8 << 20

ANSWER = "path string, first long, answer string"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", nargs="+", help="record files, directories or patterns")
    parser.add_argument("--component", required=True, type=Path)
    parser.add_argument("--package", required=True, type=Path, help="where murmur_fence lies")
    parser.add_argument("--max-findings", type=int, default=1000)
    parser.add_argument("--name", default="conversation.jsonl", help="of files in directories")
    options = parser.parse_args()
    for path in [options.component, options.package / "murmur_fence"]:
        if not path.exists():
            print(f"there is no `{path}`; say where it is", file=sys.stderr)
            return 2
    spark = SparkSession.builder.appName("murmur-fence audit").getOrCreate()
    with tempfile.TemporaryDirectory() as directory:
        try:
            ship(spark, options.component, options.package, Path(directory))
            report = audit(spark, options.records, options.name, options.max_findings)
        finally:
            spark.stop()
    print(json.dumps(report, ensure_ascii=False, indent=1))
    counts = report["counts"]
    return 1 if counts["errors"] or counts["warnings"] else 0


def ship(spark: SparkSession, component: Path, package: Path, directory: Path) -> None:
    """Hands every worker the component and the package. They fetch them from the
    directory when their first task begins."""
    archive = shutil.make_archive(str(directory / "murmur_fence"), "zip", package, "murmur_fence")
    spark.sparkContext.addPyFile(archive)
    renamed = directory / "murmur-fence.wasm"
    shutil.copyfile(component, renamed)
    spark.sparkContext.addFile(str(renamed))


def audit(spark: SparkSession, records: list[str], name: str, most: int) -> dict[str, Any]:
    """What the records come to, file by file and in all."""
    lines = read(spark, records, name)
    starts, torn = places(lines)
    answers = lines.mapInArrow(look(starts, torn, most), ANSWER)
    files: dict[str, dict[str, Any]] = {path: nothing() for path, _ in starts}
    found: list[dict[str, Any]] = []
    for row in answers.toLocalIterator():
        answer = json.loads(row.answer)
        add(files[row.path], answer["sums"])
        found.extend({"path": row.path, **finding} for finding in answer["findings"])
    total = nothing()
    for sums in files.values():
        add(total, sums)
    found.sort(key=lambda finding: (finding["path"], finding["line"]))
    listed = [{"path": path, **shown(files[path])} for path in sorted(files)]
    return {"files": listed, **shown(total), "findings": found[:most]}


def read(spark: SparkSession, records: list[str], name: str) -> DataFrame:
    """Each line as bytes, with the file and the split that it is of, in their order.

    Only a newline ends a line: a carriage return before it is the audit's matter.
    """
    reader = spark.read.option("lineSep", "\n").option("recursiveFileLookup", "true")
    directories = [path for path in records if Path(path).is_dir()]
    others = [path for path in records if path not in directories]
    frames = []
    if directories:
        frames.append(reader.option("pathGlobFilter", name).text(directories))
    if others:
        frames.append(spark.read.option("lineSep", "\n").text(others))
    columns = [
        f.col("_metadata.file_path").alias("path"),
        f.col("_metadata.file_block_start").alias("block"),
        f.col("_metadata.file_size").alias("size"),
        f.col("value").cast("binary").alias("line"),
    ]
    frame = frames[0].select(columns)
    for other in frames[1:]:
        frame = frame.unionAll(other.select(columns))
    return frame


Starts = dict[tuple[str, int], int]


def places(lines: DataFrame) -> tuple[Starts, dict[str, int]]:
    """The number of each split's first line, and the files whose last line no newline
    ends, with the number of that line."""
    counted = lines.groupBy("path", "block", "size").agg(
        f.count("*").alias("lines"), f.sum(f.length("line") + 1).alias("bytes")
    )
    starts: Starts = {}
    torn: dict[str, int] = {}
    seen: dict[str, tuple[int, int]] = {}
    for row in sorted(counted.collect(), key=lambda row: (row.path, row.block)):
        before, read_so_far = seen.get(row.path, (0, 0))
        starts[row.path, row.block] = before + 1
        seen[row.path] = (before + row.lines, read_so_far + row.bytes)
        if seen[row.path][1] > row.size:
            torn[row.path] = seen[row.path][0]
    return starts, torn


def look(starts: Starts, torn: dict[str, int], most: int):
    """The work on one partition."""

    def partition(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from murmur_fence import Fence

        fence = Fence(SparkFiles.get("murmur-fence.wasm"))
        next_line = dict(starts)
        for batch in batches:
            rows = []
            for path, block, part in stretches(batch):
                first = next_line[path, block]
                next_line[path, block] += len(part)
                answer = call(fence, part, first, torn.get(path), most)
                rows.append((path, first, json.dumps(answer)))
            paths, firsts, texts = zip(*rows) if rows else ((), (), ())
            yield pa.RecordBatch.from_arrays(
                [pa.array(paths, pa.string()), pa.array(firsts, pa.int64()), pa.array(texts, pa.string())],
                names=["path", "first", "answer"],
            )

    return partition


def stretches(batch: pa.RecordBatch) -> Iterator[tuple[str, int, list[bytes]]]:
    """Runs of lines of one split, none of them larger than a call should be unless it
    is one line."""
    columns = [batch.column(name).to_pylist() for name in ("path", "block", "line")]
    place: tuple[str, int] | None = None
    part: list[bytes] = []
    size = 0
    for path, block, line in zip(*columns):
        if part and ((path, block) != place or size + len(line) > CALL):
            yield *place, part
            part, size = [], 0
        place = (path, block)
        part.append(line)
        size += len(line) + 1
    if part:
        yield *place, part


def call(fence: Any, lines: list[bytes], first: int, torn: int | None, most: int) -> dict[str, Any]:
    """One call of the component."""
    not_utf8 = []
    texts = []
    for number, line in enumerate(lines, first):
        try:
            texts.append(line.decode())
        except UnicodeDecodeError as error:
            whole = line.removesuffix(b"\r")
            cut_off = error.reason == "unexpected end of data" and line == whole
            not_utf8.append({"line": number, "valid-up-to": error.start, "cut-off": cut_off})
            texts.append(line.decode(errors="replace"))
    ended = first + len(lines) - 1 != torn
    text = "\n".join(texts) + ("\n" if ended else "")
    options = {
        "first-line": first,
        "not-utf8": not_utf8,
        "max-findings": most,
        "since": None,
        "lookalikes": True,
    }
    answer: dict[str, Any] = fence.audit_lines(text, options)
    return answer


def nothing() -> dict[str, Any]:
    return {"plain": Counter(), "sources": {}, "bare": Counter(), "codes": Counter()}


PLAIN = ["lines", "messages", "passed-over", "errors", "warnings", "notes"]
TALLY = ["labelled", "marked", "intact", "due", "bare", "unlabelled"]


def add(into: dict[str, Any], sums: dict[str, Any]) -> None:
    """Adds the component's sums, or those of a file."""
    if "plain" in sums:
        for name in ["plain", "bare", "codes"]:
            into[name].update(sums[name])
        for source, tally in sums["sources"].items():
            into["sources"].setdefault(source, Counter()).update(tally)
        return
    into["plain"].update({name: sums[name] for name in PLAIN})
    into["bare"].update({one["name"]: one["count"] for one in sums["bare"]})
    into["codes"].update({one["name"]: one["count"] for one in sums["by-code"]})
    for tally in sums["sources"]:
        counts = {name: tally[name] for name in TALLY}
        into["sources"].setdefault(tally["source"], Counter()).update(counts)


def shown(sums: dict[str, Any]) -> dict[str, Any]:
    """The sums as the program's JSON has them."""
    plain = sums["plain"]
    return {
        "lines": plain["lines"],
        "messages": plain["messages"],
        "passed_over": plain["passed-over"],
        "sources": {
            source: {name: sums["sources"][source][name] for name in TALLY}
            for source in sorted(sums["sources"])
        },
        "bare": dict(sorted(sums["bare"].items())),
        "counts": {
            "errors": plain["errors"],
            "warnings": plain["warnings"],
            "notes": plain["notes"],
            "by_code": dict(sorted(sums["codes"].items())),
        },
    }


if __name__ == "__main__":
    sys.exit(main())
