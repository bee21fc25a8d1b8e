#!/usr/bin/env python3
"""Writes agreement.txt: 200 random tables of ratings with missing values and what krippendorff, scikit-learn and
irrCAC say about them.

    python3 -m venv V && V/bin/pip install krippendorff scikit-learn irrCAC
    V/bin/python make_agreement.py > agreement.txt

One table: a line `table ITEMS RATERS CATEGORIES`, a line of values (row-major, `.` for missing), then a line
`name value` for each statistic. A statistic that the oracle does not define is left out.
"""

import math
import warnings

import krippendorff
import numpy
import pandas
from irrCAC.raw import CAC
from sklearn.metrics import cohen_kappa_score

warnings.filterwarnings("ignore")
random = numpy.random.default_rng(20240611)


def table():
    items = int(random.integers(4, 31))
    raters = int(random.integers(2, 7))
    categories = int(random.choice([2, 3, 5, 7]))
    truth = random.integers(1, categories + 1, items)
    noise = random.random()
    values = numpy.where(
        random.random((items, raters)) < noise,
        random.integers(1, categories + 1, (items, raters)),
        truth[:, None],
    ).astype(float)
    values[random.random((items, raters)) < random.choice([0, 0.1, 0.3, 0.6])] = math.nan
    return values, categories


def statistics(values, categories):
    found = {}
    domain = [float(c) for c in range(1, categories + 1)]
    for level in ("nominal", "ordinal", "interval", "ratio"):
        try:
            found["alpha_" + level] = krippendorff.alpha(values.T, level_of_measurement=level)
        except ValueError:
            pass
    both = ~numpy.isnan(values[:, 0]) & ~numpy.isnan(values[:, 1])
    a, b = values[both, 0].astype(int), values[both, 1].astype(int)
    for name, weights in (("identity", None), ("linear", "linear"), ("quadratic", "quadratic")):
        if len(a) > 0:
            found["kappa_" + name] = cohen_kappa_score(a, b, weights=weights, labels=[int(c) for c in domain])
            found["kappa_seen_" + name] = cohen_kappa_score(a, b, weights=weights)
    rows = values[~numpy.isnan(values).all(axis=1)]
    if (~numpy.isnan(rows)).sum(axis=1).max(initial=0) >= 2:
        for name in ("identity", "linear", "quadratic"):
            cac = CAC(pandas.DataFrame(rows), weights=name, categories=domain, digits=15)
            found["gwet_" + name] = cac.gwet()["est"]["coefficient_value"]
    return {k: v for k, v in found.items() if v is not None and math.isfinite(v)}


for _ in range(200):
    values, categories = table()
    print("table", values.shape[0], values.shape[1], categories)
    print(" ".join("." if math.isnan(v) else str(int(v)) for v in values.ravel()))
    for name, value in statistics(values, categories).items():
        print(name, repr(float(value)))
