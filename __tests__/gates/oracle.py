"""Gates with fixed limits over each figure of a testreport.xml, and what each must come to: an answer of its own."""
import json
import operator
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction

KINDS = [
    ("transactions", "transaction", "transactions", "transaction"),
    ("actions", "action", "actions", "action"),
    ("requests", "request", "requests", "request"),
    ("pageLoadTimings", "pageLoadTiming", "page-loads", "page-load"),
    ("customTimers", "customTimer", "custom-timers", "custom-timer"),
]
OPERATORS = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt, "=": operator.eq}
RATES = [("countPerSecond", " /s"), ("countPerMinute", " /min"), ("countPerHour", " /h")]
VITALS = {"cls": "", "fcp": " ms", "fid": " ms", "inp": " ms", "lcp": " ms", "ttfb": " ms"}


def number(node, path):
    """The exact figure, or None where there is none."""
    text = (node.findtext(path) or "").strip()
    try:
        value = Fraction(text)
    except ValueError:
        return None
    return value if value >= 0 else None


def figures_of(node, is_action):
    """metric, unit, figure; a timer that counted nothing has no figure but its count."""
    count = number(node, "count")
    found = [("count", "", count)]
    rest = [("errors", "", number(node, "errors"))]
    errors = number(node, "errors")
    if errors is not None and count:
        rest.append(("error-rate", " %", errors * 100 / count))
    rest += [(name, " ms", number(node, name)) for name in ["min", "max", "mean", "median", "deviation"]]
    rest += [("throughput", unit, number(node, name)) for name, unit in RATES]
    rest += [(share.tag, " ms", number(node, f"percentiles/{share.tag}")) for share in node.iterfind("percentiles/*")]
    rest.append(("p12.5", " ms", None))
    if is_action:
        rest.append(("apdex", "", number(node, "apdex/value")))
    return found + [(metric, unit, None if count == 0 else value) for metric, unit, value in rest]


def subjects(root):
    for group, item, plural, single in KINDS:
        summary = root.find(f"summary/{group}")
        if summary is not None:
            yield plural, figures_of(summary, single == "action")
        for node in root.iterfind(f"{group}/{item}"):
            name = node.findtext("name")
            for sign in '\\"*?':
                name = name.replace(sign, "\\" + sign)
            yield f'{single} "{name}"', figures_of(node, single == "action")
    for page in root.iterfind("webVitalsList/webVitals"):
        scores = [(vital, unit, number(page, f"{vital}/score")) for vital, unit in VITALS.items()]
        yield f'web-vitals "{page.findtext("name")}"', scores
    busiest = [number(mean, ".") for mean in root.iterfind("agents/agent/totalCpuUsage/mean")]
    yield "agents", [("cpu", " %", max(busiest, default=None))]


def limits(value):
    """Decimals below, at and above a figure, as near as six digits behind the point go."""
    below = value * 10**6 // 1
    whole = [below - 1, below, below + 1]
    return [f"{part // 10**6}.{part % 10**6:06}" for part in whole if part >= 0]


def gates(root):
    for subject, figures in subjects(root):
        for metric, unit, value in figures:
            for sign, holds in OPERATORS.items():
                for limit in ["1"] if value is None else limits(value):
                    expected = "not-measured" if value is None else "passed" if holds(value, Fraction(limit)) else "failed"
                    yield [f"{subject} {metric} {sign} {limit}{unit}", expected]
                if unit == " ms" and value is not None:
                    expected = "passed" if holds(value, Fraction("0.5") * 1000) else "failed"
                    yield [f"{subject} {metric} {sign} 0.5 s", expected]


print(json.dumps([list(gates(ET.parse(file).getroot())) for file in sys.argv[1:]]))
