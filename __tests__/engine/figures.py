"""Every figure of a testreport.xml that a gate can name, as the gate that asks for it and the text of the figure."""
import json
import sys
import xml.etree.ElementTree as ET

KINDS = [
    ("transactions", "transaction", "transactions", "transaction"),
    ("actions", "action", "actions", "action"),
    ("requests", "request", "requests", "request"),
    ("pageLoadTimings", "pageLoadTiming", "page-loads", "page-load"),
    ("customTimers", "customTimer", "custom-timers", "custom-timer"),
]
TIMES = ["min", "max", "mean", "median", "deviation"]
RATES = [("countPerSecond", "/s"), ("countPerMinute", "/min"), ("countPerHour", "/h")]


def ask(gates, subject, metric, unit, element):
    if element is not None and element.text and element.text.strip() != "NS":
        gates.append([f"{subject} {metric} >= 0{unit}", element.text.strip()])


def timer(gates, subject, node, is_action):
    ask(gates, subject, "count", "", node.find("count"))
    if node.findtext("count") == "0":
        return
    ask(gates, subject, "errors", "", node.find("errors"))
    ask(gates, subject, "error-rate", " %", node.find("errorPercentage"))
    for name in TIMES:
        ask(gates, subject, name, " ms", node.find(name))
    for name, unit in RATES:
        ask(gates, subject, "throughput", " " + unit, node.find(name))
    for percentile in node.find("percentiles"):
        ask(gates, subject, percentile.tag, " ms", percentile)
    if is_action:
        ask(gates, subject, "apdex", "", node.find("apdex/value"))


def figures(root):
    gates = []
    for group, item, plural, single in KINDS:
        summary = root.find(f"summary/{group}")
        if summary is not None:
            timer(gates, plural, summary, single == "action")
        for node in root.findall(f"{group}/{item}"):
            timer(gates, f'{single} "{node.findtext("name")}"', node, single == "action")
    for page in root.findall("webVitalsList/webVitals"):
        for vital in ["cls", "fcp", "fid", "inp", "lcp", "ttfb"]:
            unit = "" if vital == "cls" else " ms"
            ask(gates, f'web-vitals "{page.findtext("name")}"', vital, unit, page.find(f"{vital}/score"))
    busiest = sorted(root.findall("agents/agent/totalCpuUsage/mean"), key=lambda mean: float(mean.text))
    if busiest:
        ask(gates, "agents", "cpu", " %", busiest[-1])
    return gates


print(json.dumps(figures(ET.parse(sys.argv[1]).getroot())))
