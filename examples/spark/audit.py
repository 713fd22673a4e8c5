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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy
import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark import SparkFiles
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

# What goes into the component at once, in bytes: it needs several times as much.
CALL = 8 << 20

# How many lines an Arrow batch has at most. The lines of records are long.
ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"

COMPONENT = "murmur-fence.wasm"
ANSWER = "path string, first long, answer string"
SCHEMA = pa.schema([("path", pa.string()), ("first", pa.int64()), ("answer", pa.string())])


class Unusable(Exception):
    """What cannot be audited, and why."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", nargs="+", help="files, directories or patterns")
    parser.add_argument("--component", required=True, type=Path)
    parser.add_argument("--package", required=True, type=Path, help="where murmur_fence lies")
    parser.add_argument("--max-findings", type=number, default=1000)
    parser.add_argument("--name", default="conversation.jsonl", help="of the files, as a pattern")
    options = parser.parse_args()
    for path in [options.component, options.package / "murmur_fence" / "__init__.py"]:
        if not path.is_file():
            print(f"there is no file `{path}`; say where it is", file=sys.stderr)
            return 2
    sys.path.insert(0, str(options.package))
    from murmur_fence import Fence, FenceError

    try:
        Fence(options.component)
    except FenceError as error:
        print(f"failed to audit: {error}", file=sys.stderr)
        return 2
    spark = SparkSession.builder.appName("murmur-fence audit").config(ROWS, 1000).getOrCreate()
    with tempfile.TemporaryDirectory() as directory:
        try:
            ship(spark, options.component, options.package, Path(directory))
            report = audit(spark, options.records, options.name, options.max_findings)
        except (Unusable, PySparkException, Py4JJavaError) as error:
            print(f"failed to audit: {reason(error)}", file=sys.stderr)
            return 2
        finally:
            spark.stop()
    print(json.dumps(report, ensure_ascii=False, indent=1))
    counts = report["counts"]
    return 1 if counts["errors"] or counts["warnings"] else 0


def number(text: str) -> int:
    """How many findings to list, as the component counts them."""
    given = int(text)
    if not 0 <= given < 1 << 32:
        raise argparse.ArgumentTypeError(f"{given} is out of range; give 0 to {(1 << 32) - 1}")
    return given


def reason(error: Exception) -> str:
    """One line; of an error on the side of Java, which file it is about if any, and what
    caused it in the end."""
    if not isinstance(error, Py4JJavaError):
        return str(error).strip().splitlines()[0]
    causes = []
    cause = error.java_exception
    while cause is not None:
        causes.append(cause.toString().splitlines()[0])
        cause = cause.getCause()
    about = [line for line in causes[:-1] if "reading file" in line][-1:]
    return ": ".join([*about, causes[-1]])


def ship(spark: SparkSession, component: Path, package: Path, directory: Path) -> None:
    """Hands every worker the component and the package. They fetch them from the
    directory when their first task begins."""
    archive = shutil.make_archive(str(directory / "murmur_fence"), "zip", package, "murmur_fence")
    spark.sparkContext.addPyFile(archive)
    renamed = directory / COMPONENT
    shutil.copyfile(component, renamed)
    spark.sparkContext.addFile(str(renamed))


def audit(spark: SparkSession, records: list[str], name: str, most: int) -> dict[str, Any]:
    """What the records come to, file by file and in all."""
    from murmur_fence import Sums
    from murmur_fence.values import Tally

    lines = read(spark, files_of(spark, records, name))
    starts, torn = places(lines)
    if not starts:
        raise Unusable(f"there is no line in a file that is named `{name}`; say --name")
    answers = lines.select("path", "block", "line").mapInArrow(look(starts, torn, most), ANSWER)
    files = {path: Sums() for path, _ in starts}
    found: list[dict[str, Any]] = []
    # Not `toLocalIterator`, which runs one partition after the other.
    for row in answers.collect():
        answer = json.loads(row.answer)
        sources = {name: Tally(**tally) for name, tally in answer["sums"].pop("sources").items()}
        files[row.path] += Sums(**answer["sums"], sources=sources)
        found.extend({"path": unquote(row.path), **finding} for finding in answer["findings"])
    total = sum(files.values(), Sums())
    found.sort(key=lambda finding: (finding["path"], finding["line"]))
    listed = [{"path": unquote(path), **shown(files[path])} for path in sorted(files)]
    return {"files": listed, **shown(total), "findings": found[:most]}


def files_of(spark: SparkSession, records: list[str], name: str) -> list[str]:
    """The files of that name. Spark's own search passes over every directory whose name
    begins with a dot or an underscore, and says nothing."""
    hadoop = spark._jvm.org.apache.hadoop.fs
    fits = hadoop.GlobFilter(name)
    files = set()
    for record in records:
        pattern = hadoop.Path(record)
        system = pattern.getFileSystem(spark._jsc.hadoopConfiguration())
        roots = system.globStatus(pattern)
        if not roots:
            raise Unusable(f"there is nothing at `{record}`; say where the records are")
        for root in roots:
            walk = system.listFiles(root.getPath(), True)
            while walk.hasNext():
                path = walk.next().getPath()
                if fits.accept(path):
                    files.add(path.toString())
    hidden = [path for path in sorted(files) if path.rpartition("/")[2].startswith((".", "_"))]
    if hidden:
        raise Unusable(f"Spark reads no file whose name begins as that of `{hidden[0]}`; rename it")
    if not files:
        raise Unusable(f"there is no file that is named `{name}`; say --name")
    return sorted(files)


def read(spark: SparkSession, files: list[str]) -> DataFrame:
    """Each line as bytes, with the file and the split that it is of, in their order.

    Only a newline ends a line: a carriage return before it is the audit's matter.
    """
    # The files are found already: their names are no patterns, nor values of columns.
    reader = spark.read.option("lineSep", "\n").option("recursiveFileLookup", "true")
    return reader.option("__globPaths__", "false").text(files).select(
        f.col("_metadata.file_path").alias("path"),
        f.col("_metadata.file_block_start").alias("block"),
        f.col("_metadata.file_size").alias("size"),
        # With its newline again, so that the lines of a batch lie in memory as one text.
        f.concat(f.col("value").cast("binary"), f.lit(b"\n")).alias("line"),
    )


Starts = dict[tuple[str, int], int]
Look = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def places(lines: DataFrame) -> tuple[Starts, dict[str, int]]:
    """The number of each split's first line, and the files whose last line no newline
    ends, with the number of that line."""
    counted = lines.groupBy("path", "block", "size").agg(
        f.count("*").alias("lines"), f.sum(f.length("line")).alias("bytes")
    )
    starts: Starts = {}
    torn: dict[str, int] = {}
    seen: dict[str, tuple[int, int]] = {}
    rows = sorted(counted.collect(), key=lambda row: (row.path, row.block))
    for row in rows:
        before, read_so_far = seen.get(row.path, (0, 0))
        starts[row.path, row.block] = before + 1
        seen[row.path] = (before + row.lines, read_so_far + row.bytes)
        if seen[row.path][1] == row.size + 1:
            torn[row.path] = seen[row.path][0]
    for row in rows:
        came = seen[row.path][1]
        if came not in (row.size, row.size + 1):
            raise Unusable(
                f"Spark read {came} bytes of `{row.path}`, which has {row.size}: it is compressed, "
                "begins with a byte order mark, or was written meanwhile; audit it by itself"
            )
    return starts, torn


def look(starts: Starts, torn: dict[str, int], most: int) -> Look:
    """The work on one partition."""

    def partition(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from murmur_fence import Fence

        fence = Fence(SparkFiles.get(COMPONENT))
        next_line = dict(starts)
        # The first findings of a split are enough: no more of them can be listed.
        room = dict.fromkeys(starts, most)
        for batch in batches:
            paths, firsts, answers = [], [], []
            for path, block, count, text in stretches(batch):
                first = next_line[path, block]
                next_line[path, block] += count
                if torn.get(path) == first + count - 1:
                    text = text[:-1]
                audited = fence.audit_lines(text, first_line=first, max_findings=room[path, block])
                room[path, block] -= len(audited.findings)
                paths.append(path)
                firsts.append(first)
                answers.append(json.dumps(asdict(audited)))
            yield pa.RecordBatch.from_pydict({"path": paths, "first": firsts, "answer": answers}, SCHEMA)

    return partition


def stretches(batch: pa.RecordBatch) -> Iterator[tuple[str, int, int, bytes]]:
    """Runs of lines of one split: file, split, number of lines, text. None is larger than
    a call should be unless it is one line."""
    paths, blocks, lines = (batch.column(name) for name in ("path", "block", "line"))
    if not len(lines):
        return
    codes = paths.dictionary_encode().indices.to_numpy()
    splits = blocks.to_numpy()
    elsewhere = (codes[1:] != codes[:-1]) | (splits[1:] != splits[:-1])
    edges = [0, *(numpy.flatnonzero(elsewhere) + 1).tolist(), len(lines)]
    # Arrow keeps the bytes of all lines in one piece, with the offset of each.
    wide = lines.cast(pa.large_binary())
    _, offsets, data = wide.buffers()
    places = numpy.frombuffer(offsets, numpy.int64)[wide.offset : wide.offset + len(wide) + 1]
    for start, end in zip(edges, edges[1:]):
        while start < end:
            most = int(numpy.searchsorted(places, places[start] + CALL, "right")) - 1
            stop = min(max(most, start + 1), end)
            text = data[places[start] : places[stop]].to_pybytes()
            yield paths[start].as_py(), int(splits[start]), stop - start, text
            start = stop


def shown(sums: Any) -> dict[str, Any]:
    """The sums as the program's JSON has them."""
    members = asdict(sums)
    counts = {name: members.pop(name) for name in ("errors", "warnings", "notes", "by_code")}
    return {**members, "counts": counts}


if __name__ == "__main__":
    sys.exit(main())
