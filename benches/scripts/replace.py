"""Python's `re.sub` on a file: nanoseconds a call, the median of some rounds.

usage: replace.py FILE
"""

import re
import statistics
import sys
import time

with open(sys.argv[1], encoding="utf-8") as file:
    content = file.read()
marker = re.compile("<(/?untrusted-content)", re.IGNORECASE | re.ASCII)


def call():
    return marker.sub(r"<!MURMUR-NEUTRALISED!\1", content)


start = time.perf_counter_ns()
call()
taken = time.perf_counter_ns() - start
calls = max(1, 20_000_000 // max(taken, 1))
rounds = []
for _ in range(11):
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    rounds.append((time.perf_counter_ns() - start) / calls)
print(statistics.median(rounds))
