#!/usr/bin/env python3
"""Ratios of late.sh: late_table.py LINES, a line of JSON for each engine and setting."""
import json
import sys

lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
for ours in (one for one in lines if one["engine"] == "ours"):
    rivals = [one for one in lines if one["engine"] == "pylate-plaid" and one["bits"] == ours["bits"]]
    level = [one for one in rivals if one["overlap_exact"] >= ours["overlap_exact"] - 0.01]
    if level:
        rival = min(level, key=lambda one: one["processor_ms"])
        say = "level in what is found"
    else:
        rival = max(rivals, key=lambda one: one["overlap_exact"])
        say = "none of its settings finds as much"
    print(f"{ours['bits']} bits: ours finds {ours['overlap_exact']:.3f} of the exact lists, PyLate (n_full_scores = {rival['full']}) "
          f"{rival['overlap_exact']:.3f}: {say}. PyLate takes {rival['processor_ms'] / ours['processor_ms']:.2f} times our processor "
          f"time a query, {rival['p50_ms'] / ours['p50_ms']:.2f} times our median; its index is built in "
          f"{rival['build_s'] / ours['build_s']:.2f} times our time and is {rival['mb'] / ours['mb']:.2f} times as large.")
