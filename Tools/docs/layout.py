"""The frame of a page: header with search, navigation, contents, and links to the previous and next page."""

from __future__ import annotations

import html
import posixpath
from dataclasses import dataclass, field

from checkout import Page

# The navigation: two parts with sections, and the sources of their pages. A page belongs to the first section that
# matches its path or a prefix of it, in this order.
USE, WORK = "Use it", "Work on it"
SECTIONS: list[tuple[str, str, list[str]]] = [
    (USE, "Start", ["README.md", "Docs/guides/an-app-from-zero.md", "Docs/tour.md", "Docs/guides/models.md",
                    "Docs/guides/queries.md", "Docs/guides/peer-to-peer.md", "Docs/guides/sync-gateway.md",
                    "Docs/guides/troubleshooting.md", "Docs/errors.md"]),
    (USE, "Guides", ["Docs/guides/README.md", "Docs/guides/", "Docs/examples/README.md"]),
    (USE, "Queries", ["Docs/query/language.md", "Docs/query/differences.md"]),
    (USE, "Extension points", ["Docs/plug-ins/README.md", "Docs/plug-ins/"]),
    (USE, "File formats", ["Docs/formats/"]),
    (USE, "About Divan", ["Docs/answers.md", "Docs/compatibility.md",
                          "Docs/performance.md", "Docs/security.md", "Docs/glossary.md", "CHANGELOG.md"]),
    (WORK, "Contribute", ["CONTRIBUTING.md", "Docs/contributing/", "Docs/architecture.md",
                          "SECURITY.md", "Tools/"]),
    (WORK, "Protocol", ["Docs/protocol/README.md", "Docs/protocol/", "Docs/query/"]),
    (WORK, "Decisions", ["Docs/decisions/README.md", "Docs/decisions/"]),
    (WORK, "State machines", ["Docs/states/"]),
    (WORK, "Tests and measurements", ["Tests/", "Docs/autobahn.md"]),
    (WORK, "Packages", ["Packages/Divan/README.md", "Packages/CouchbaseLiteSwift/README.md"]),
    # Pages without a section.
    (WORK, "More", ["Docs/"]),
]


@dataclass
class Section:
    """A section of the navigation."""

    part: str
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
    for part, name, wanted in SECTIONS:
        section = Section(part, name)
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
    """The title of a page in the navigation."""
    return "Overview" if page.source == "README.md" else page.title


def navigation(current: Page | None, at: str, parts: list[Section]) -> str:
    """The list of all pages; the section of the current one is open."""
    blocks = []
    part = None
    for section in parts:
        if section.part != part:
            part = section.part
            blocks.append(f'<h2 class="part">{html.escape(part)}</h2>')
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
    """The headings of a page with at least three."""
    entries = [(anchor, text) for level, anchor, text in page.headings if level == 2]
    if len(entries) < 3:
        return ""
    items = "".join(f'<li><a href="#{anchor}">{html.escape(text)}</a></li>' for anchor, text in entries)
    return f'<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>{items}</ul></nav>'


def neighbours(page: Page, parts: list[Section]) -> str:
    """Links to the previous and the next page of the same section."""
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
    """A complete HTML page at the path `at` of the site.

    `reference` is the path of the API reference in the site; `None` if it was not built.
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
