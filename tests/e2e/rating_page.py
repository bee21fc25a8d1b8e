#!/usr/bin/env python3
"""The rating page in a real browser: two raters label twenty citations by keyboard, one reloads in the middle, the
server is killed and started again, and nothing is lost.

    python3 -m venv V && V/bin/pip install playwright
    V/bin/python tests/e2e/rating_page.py PROGRAM [FOLDER_FOR_SCREENSHOTS]

Needs Debian's chromium. Exits with 0 when everything holds."""

import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

PROGRAM = sys.argv[1]
SHOTS = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
ITEMS = 20


def instance(number):
    return {
        "instance_id": f"i{number}",
        "citing_title": f"Sorting small inputs with merging networks, part {number}",
        "cited_title": "A comparison network for everybody",
        "cited_year": 2014,
        "cited_as": "Fox 2014",
        "mentions": 2,
        "contexts": [
            {"section": "2 Related Work", "text": "Comparison networks have a long history (Hen, 2001; Fox, 2014; Ox, 2016)."},
            {"section": "5 Experiments", "text": "On all eight inputs we are faster than Fox et al. (2014), which needs more comparators."},
        ],
    }


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, study, port):
        self.command = [PROGRAM, "validate", "serve", study, "--port", str(port)]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        self.links = {}
        for line in self.process.stdout:
            name, link = re.match(r"(\S+): (\S+)", line).groups()
            self.links[name] = link
            if name == "adjudication":
                return

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def answer(page, number, first, second):
    page.wait_for_function("n => document.getElementById('count').textContent.includes('citation ' + n)", arg=number)
    page.keyboard.press("y" if first else "n")
    page.keyboard.press(str(second))
    page.keyboard.press("Enter")


def shot(page, name):
    if SHOTS:
        page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        instances = pathlib.Path(folder) / "instances.jsonl"
        instances.write_text("".join(json.dumps(instance(n)) + "\n" for n in range(ITEMS)))
        study = folder + "/study"
        subprocess.run([PROGRAM, "validate", "sample", study, "--instances", instances, "--raters", "ann,bob"], check=True)
        server = Server(study, free_port())
        expected = {}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            pages = {}
            for name, width in (("ann", 1000), ("bob", 360)):
                pages[name] = browser.new_page(viewport={"width": width, "height": 760})
                pages[name].goto(server.links[name])
                pages[name].wait_for_selector("#item:not([hidden])")
                shot(pages[name], f"{name}-first")
            assert pages["bob"].evaluate("document.documentElement.scrollWidth") <= 360, "the page is wider than 360 px"
            assert pages["ann"].locator("mark").all_inner_texts() == ["Fox, 2014", "Fox et al. (2014)"]
            for number in range(1, ITEMS + 1):
                for name in ("ann", "bob"):
                    values = (number % 2 == 0, 1 + (number + (name == "bob")) % 5)
                    answer(pages[name], number, *values)
                    expected[name, number] = values
                    pages[name].wait_for_function("() => document.getElementById('status').textContent === 'Saved.'")
                if number == 7:
                    pages["ann"].reload()
                if number == 12:
                    server.kill()
                    pages["bob"].keyboard.press("n")
                    pages["bob"].keyboard.press("3")
                    pages["bob"].keyboard.press("Enter")
                    pages["bob"].wait_for_function("() => document.getElementById('status').className === 'bad'")
                    shot(pages["bob"], "bob-server-gone")
                    server.start()
            pages["ann"].wait_for_selector("#done:not([hidden])")
            shot(pages["ann"], "ann-done")
            pages["ann"].keyboard.press("u")
            pages["ann"].wait_for_function("() => document.getElementById('status').textContent.includes('taken back')")
            answer(pages["ann"], ITEMS, *expected["ann", ITEMS])
            pages["ann"].wait_for_selector("#done:not([hidden])")
            judge = browser.new_page(viewport={"width": 1000, "height": 760})
            judge.goto(server.links["adjudication"])
            judge.wait_for_selector("#others:not([hidden])")
            shot(judge, "adjudication")
            browser.close()
        server.kill()
        lines = subprocess.run([PROGRAM, "validate", "export", study], check=True, capture_output=True, text=True).stdout
        study_json = json.loads((pathlib.Path(study) / "study.json").read_text())
        orders = {rater["name"]: rater["items"] for rater in study_json["raters"]}
        stored = [json.loads(line) for line in lines.splitlines()]
        for (name, number), (first, second) in expected.items():
            labels = {label["annotator"]: label for label in stored[orders[name][number - 1]]["labels"]}
            assert (labels[name]["type1"], labels[name]["type2"]) == (int(first), second), (name, number, labels)
        print(f"{len(expected)} answers of two raters, none lost")


main()
