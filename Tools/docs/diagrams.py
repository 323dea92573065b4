"""The state diagrams of `Docs/states`, drawn by Graphviz, with a table of their effects.

`make generate` writes them in Mermaid's syntax, which GitHub renders with a script; the site uses no script.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from dataclasses import dataclass

TRANSITION = re.compile(r"^\s*(\S+) --> (\S+?)(?::\s*(.*))?$")
LABEL = re.compile(r"^(\w+)?\s*(?:\[(.*?)\])?\s*(?:/\s*(.*))?$")
BORDER = "[*]"


@dataclass(frozen=True)
class Transition:
    """An arrow of a diagram."""

    state: str
    following: str
    event: str = ""
    condition: str = ""
    effects: str = ""


class UnreadableDiagram(Exception):
    """A line that is not a transition."""


def parse(text: str) -> list[Transition]:
    """The transitions of a diagram, in order."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or lines[0].strip() != "stateDiagram-v2":
        raise UnreadableDiagram("only diagrams of states can be drawn")
    transitions = []
    for line in lines[1:]:
        arrow = TRANSITION.match(line)
        label = LABEL.match((arrow.group(3) or "").strip()) if arrow else None
        if not arrow or not label:
            raise UnreadableDiagram(line.strip())
        transitions.append(
            Transition(arrow.group(1), arrow.group(2), *(part or "" for part in label.groups()))
        )
    return transitions


def state_diagram(text: str) -> str:
    """A diagram as a figure, and its transitions as a table."""
    transitions = parse(text)
    caption = f"{len({t.state for t in transitions} - {BORDER})} states; the table has the effects"
    return (
        f'<figure class="diagram" tabindex="0">{draw(transitions)}'
        f"<figcaption>{caption}</figcaption></figure>\n" + table(transitions)
    )


def table(transitions: list[Transition]) -> str:
    """The transitions as a table."""
    rows = []
    for transition in transitions:
        if BORDER in (transition.state, transition.following):
            continue
        parts = (
            transition.state,
            transition.event,
            transition.condition,
            transition.following,
            transition.effects,
        )
        cells = "".join(f"<td>{_code(part)}</td>" for part in parts)
        rows.append(f"<tr>{cells}</tr>")
    head = "".join(f"<th>{name}</th>" for name in ("state", "event", "if", "next", "effects"))
    body = "\n".join(rows)
    return (
        f'<div class="table"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>\n{body}\n</tbody></table></div>\n"
    )


def _code(text: str) -> str:
    return f"<code>{html.escape(text)}</code>" if text else ""


def draw(transitions: list[Transition]) -> str:
    """An SVG whose colours the style sheet gives."""
    program = shutil.which("dot")
    if program is None:
        raise FileNotFoundError("dot is not installed; run Tools/scripts/setup docs")
    drawn = subprocess.run(
        [program, "-Tsvg"],
        input=_dot(transitions),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    svg = drawn[drawn.index("<svg") :]
    # Its size is set by the page; its colours and font by the style sheet.
    svg = re.sub(r'(<svg) width="(\d+)pt" height="\d+pt"', r'\1 style="max-width:\2pt"', svg, count=1)
    svg = re.sub(r'<polygon fill="white"[^>]*/>\n?', "", svg, count=1)
    svg = re.sub(r"<!--.*?-->\n?|<title>.*?</title>\n?", "", svg, flags=re.S)
    return re.sub(r' (fill|stroke)="black"| font-family="[^"]*"', "", svg).strip()


def _dot(transitions: list[Transition]) -> str:
    edges: dict[tuple[str, str], list[str]] = {}
    for transition in transitions:
        events = edges.setdefault((transition.state, transition.following), [])
        if transition.event and transition.event not in events:
            events.append(transition.event)
    lines = [
        "digraph {",
        "rankdir=TB; nodesep=0.4; ranksep=0.5; bgcolor=white;",
        'node [shape=box, style=rounded, fontname="Helvetica", fontsize=12, height=0.35];',
        'edge [fontname="Helvetica", fontsize=10, arrowsize=0.7];',
    ]
    for (state, following), events in edges.items():
        names = []
        for name, point in ((state, "begin"), (following, "end")):
            if name == BORDER:
                shape = "point" if point == "begin" else "doublecircle"
                lines.append(f'{point} [shape={shape}, label="", width=0.12, height=0.12];')
                name = point
            names.append(f'"{name}"')
        label = "\\n".join(events)
        lines.append(f'{names[0]} -> {names[1]} [label="{label}"];')
    return "\n".join(lines + ["}"])
