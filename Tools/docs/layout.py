"""The frame of a page: header with search, navigation, contents, and what comes before and behind it."""

from __future__ import annotations

import html
import posixpath
from dataclasses import dataclass, field

from checkout import Page

# The sections of the navigation, with prefixes of the sources of their pages; a page belongs to the
# first section that matches. Pages named in full come first, in this order.
SECTIONS: list[tuple[str, list[str]]] = [
    ("Start", ["README.md", "Docs/tour.md", "Docs/guides/getting-started.md", "Docs/answers.md",
               "Docs/compatibility.md", "Docs/interoperability.md", "Docs/performance.md", "CHANGELOG.md"]),
    ("Guides", ["Docs/guides/README.md", "Docs/guides/", "Docs/examples/README.md"]),
    ("Queries", ["Docs/query/language.md", "Docs/query/differences.md", "Docs/query/"]),
    ("How it works", ["Docs/architecture.md", "Docs/life-of-a-conflict.md", "Docs/errors.md",
                      "Docs/glossary.md", "Docs/formats/"]),
    ("States", ["Docs/states/"]),
    ("Write your own", ["Docs/plug-ins/README.md", "Docs/plug-ins/"]),
    ("Security", ["Docs/security.md", "SECURITY.md"]),
    ("The wire", ["Docs/protocol/README.md", "Docs/protocol/", "Docs/autobahn.md"]),
    ("Decisions", ["Docs/decisions/README.md", "Docs/decisions/"]),
    ("Packages", ["Packages/Divan/README.md", "Packages/CouchbaseLiteSwift/README.md"]),
    ("Contribute", ["CONTRIBUTING.md", "Tools/"]),
    # Pages without a section, so that they can be found.
    ("More", ["Docs/"]),
]


@dataclass
class Section:
    """A part of the navigation."""

    name: str
    pages: list[Page] = field(default_factory=list)


def relative(source: str, target: str) -> str:
    """The link from one page of the site to another, or to a file."""
    path, _, fragment = target.partition("#")
    link = posixpath.relpath(path, posixpath.dirname(source) or ".")
    return f"{link}#{fragment}" if fragment else link


def sections(pages: list[Page], guides: list[str]) -> list[Section]:
    """The navigation; `guides` are the sources of the guides in the order of their index."""
    rest = {page.source: page for page in pages if page.source.endswith(".md")}
    result = []
    for name, wanted in SECTIONS:
        section = Section(name)
        order = list(wanted)
        if name == "Guides":
            order[1:1] = guides
        if name == "Packages":
            order += sorted(
                source
                for source in rest
                if source.startswith("Packages/") and source.endswith("/README.md")
            )
        for source in order:
            matching = [source] if source in rest else []
            if source.endswith(("/", "-")):
                matching = sorted(other for other in rest if other.startswith(source))
            section.pages += [rest.pop(match) for match in matching]
        result.append(section)
    return [section for section in result if section.pages]


def short_title(page: Page) -> str:
    """A title that fits the navigation."""
    if page.source == "README.md":
        return "Overview"
    return page.title.removeprefix("Write your own ").removeprefix("Write your ").strip() or page.title


def navigation(current: Page | None, at: str, parts: list[Section]) -> str:
    """The list of all pages; the part that holds the current one is open."""
    blocks = []
    for section in parts:
        holds = current is not None and any(page is current for page in section.pages)
        is_open = holds or (current is None and section.name in ("Start", "Guides"))
        items = "".join(
            f'<li><a href="{relative(at, page.target)}"'
            + (' aria-current="page"' if page is current else "")
            + f">{html.escape(short_title(page))}</a></li>"
            for page in section.pages
        )
        blocks.append(
            f"<details{' open' if is_open else ''}><summary>{html.escape(section.name)}</summary>"
            f"<ul>{items}</ul></details>"
        )
    return "\n".join(blocks)


def contents(page: Page) -> str:
    """The headings of a page, where there are enough to get lost among."""
    entries = [(anchor, text) for level, anchor, text in page.headings if level == 2]
    if len(entries) < 3:
        return ""
    items = "".join(f'<li><a href="#{anchor}">{html.escape(text)}</a></li>' for anchor, text in entries)
    return f'<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>{items}</ul></nav>'


def neighbours(page: Page, parts: list[Section]) -> str:
    """Links to the page before, and the page behind, in the same part of the navigation."""
    for section in parts:
        for place, other in enumerate(section.pages):
            if other is not page:
                continue
            links = []
            if place > 0:
                links.append(_neighbour(page, section.pages[place - 1], "prev", "← "))
            if place + 1 < len(section.pages):
                links.append(_neighbour(page, section.pages[place + 1], "next", "→ "))
            return f'<nav class="neighbours" aria-label="Neighbours">{"".join(links)}</nav>'
    return ""


def _neighbour(page: Page, other: Page, relation: str, arrow: str) -> str:
    link, title = relative(page.target, other.target), html.escape(short_title(other))
    return f'<a rel="{relation}" href="{link}">{arrow}{title}</a>'


def frame(at: str, title: str, body: str, nav: str, reference: str | None, kind: str = "page") -> str:
    """A whole HTML page at the path `at` of the site.

    `reference` is the path of the reference in the site; without one no link leads there.
    """
    top = relative(at, "index.html")
    up = posixpath.relpath(".", posixpath.dirname(at) or ".")
    links = [("Guides", "guides/index.html"), ("Examples", "examples/index.html")]
    if reference:
        links.append(("Reference", reference))
    header = "".join(f'<a href="{relative(at, target)}">{name}</a>' for name, target in links)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
<link rel="stylesheet" href="{relative(at, 'assets/style.css')}">
<link rel="icon" href="{relative(at, 'assets/divan.svg')}">
<script defer src="{relative(at, 'assets/titles.js')}"></script>
<script defer src="{relative(at, 'assets/search.js')}"></script>
</head>
<body class="{kind}" data-up="{up}">
<a class="skip" href="#main">Skip to the text</a>
<header class="top">
<label class="menu" for="menu">Menu</label>
<a class="brand" href="{top}"><img src="{relative(at, 'assets/divan.svg')}" alt="" width="24" height="24">Divan</a>
<nav aria-label="Site">{header}</nav>
<div class="search" role="search" hidden>
<input type="search" placeholder="Search titles  /" aria-label="Search titles" autocomplete="off" aria-controls="found">
<ol id="found" hidden></ol>
</div>
</header>
<input type="checkbox" id="menu" aria-label="Show the menu">
<div class="columns">
<nav class="side" aria-label="Pages">
{nav}
</nav>
<main id="main">
{body}
</main>
</div>
</body>
</html>
"""
