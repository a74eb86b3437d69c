# SPDX-License-Identifier: MIT
"""A page in a real Firefox, as a user has it: driven over Marionette, which Playwright cannot do with Debian's Firefox."""
import sys
import time

from page_project import ROOT

sys.path.insert(0, str(ROOT / "tests" / "oracle"))
import firefox  # noqa: E402

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the name that WebDriver gives references to elements
KEYS = {"ArrowDown": "\ue015", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowLeft": "\ue012", "Home": "\ue011", "End": "\ue010",
        "Enter": "\ue007"}
POLL_SECONDS = 0.05

# Cells of the rows that are on the page, from the top: digits without their spaces.
ROWS = """
const all = [...document.querySelectorAll(".tree-row:not(.pending)")].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex);
const text = cell => (cell.querySelector(".figure-value") ?? cell).textContent.trim().replace(/(?<=\\d) (?=\\d)/g, "");
return all.map(row => [...row.querySelectorAll("[role=gridcell]")].map(text));
"""


class Page:
    """The only tab of a browser, which must be open. Nothing here waits for less than it takes: the test's limit is ctest's."""

    def __init__(self, browser):
        self.marionette = browser.marionette
        self.marionette.command("Marionette:SetContext", {"value": "content"})

    def open(self, url):
        self.marionette.command("WebDriver:Navigate", {"url": url})

    def go(self, address):
        """To the part of the address behind the #."""
        self.run("location.hash = arguments[0]", address)

    def run(self, script, *arguments):
        return self.marionette.command("WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})["value"]

    def until(self, look, is_right=bool):
        """The first answer of `look` that is right."""
        while True:
            answer = look()
            if is_right(answer):
                return answer
            time.sleep(POLL_SECONDS)

    def find(self, selector):
        """The first element, once there is one."""
        command = {"using": "css selector", "value": selector}
        found = self.until(lambda: self.marionette.command("WebDriver:FindElements", command))
        return found[0][ELEMENT]

    def press(self, element):
        """Clicks where an element is, once it does not move any more: what arrives above it would be hit instead."""
        place = "const { left, top } = arguments[0].getBoundingClientRect(); return [left, top]"
        places = [None, self.run(place, {ELEMENT: element})]
        while places[0] != places[1]:
            time.sleep(2 * POLL_SECONDS)
            places = [places[1], self.run(place, {ELEMENT: element})]
        self.marionette.command("WebDriver:ElementClick", {"id": element})

    def click(self, selector):
        self.press(self.find(selector))

    def click_named(self, selector, name):
        """The first element with this text."""
        script = "return [...document.querySelectorAll(arguments[0])].find(one => one.textContent.trim() === arguments[1])"
        found = self.until(lambda: self.run(script, selector, name))
        self.press(found[ELEMENT])

    def type(self, selector, text):
        """Keys, by their names in KEYS or as text, to an element; paths to a list of files."""
        self.marionette.command("WebDriver:ElementSendKeys", {"id": self.find(selector), "text": KEYS.get(text, text)})

    def clear(self, selector):
        self.marionette.command("WebDriver:ElementClear", {"id": self.find(selector)})

    def choose(self, selector, value):
        """An option of a list."""
        self.click(f'{selector} option[value="{value}"]')

    def text(self, selector):
        """Of the first element; "" there is none."""
        return self.run('return document.querySelector(arguments[0])?.textContent ?? ""', selector)

    def shown(self, state):
        """Until the main panel is in a state."""
        self.until(lambda: self.run("return document.querySelector('main')?.dataset.state"), lambda seen: seen == state)

    def rows(self):
        return self.run(ROWS)
