"""Tests of the site, each with a small checkout of its own."""

from __future__ import annotations

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from build import Builder  # noqa: E402
from diagrams import UnreadableDiagram, parse, state_diagram  # noqa: E402
from document import Document, code_block, slug  # noqa: E402
from links import Site  # noqa: E402

README = """# Divan

[![A badge](Docs/pictures/badge.svg)](LICENSE)

The first paragraph.

```swift
import CouchbaseLiteSwift
```

## From the shell

```sh
divan new shop
```

[all guides](Docs/guides)
"""
INDEX = """# Guides

One for each task.

## Start

[An app from zero](an-app-from-zero.md)
"""


class Checkouts(unittest.TestCase):
    """Creates a small repository and builds its site."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.site = Path(folder.name) / "checkout", Path(folder.name) / "site"
        self.site.mkdir()
        from landing import CARDS

        for source in {source for _, _, source in CARDS} | {"Docs/guides/studio.md", "Docs/performance.md"}:
            self.write(source, f"# {Path(source).stem}\n")
        self.write("README.md", README)
        self.write("LICENSE", "A licence.\n")
        self.write("Docs/pictures/badge.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>\n")
        self.write("Docs/guides/README.md", INDEX)
        self.write("Docs/examples/README.md", "# Examples\n")
        self.write("Docs/pictures/studio-conflict.png", "png")

    def write(self, path: str, text: str) -> None:
        """Writes a file of the checkout."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def build(self) -> list[str]:
        """Builds the site; returns the problems."""
        return Builder(self.root, self.site).build()

    def page(self, path: str) -> str:
        """A page of the site."""
        return (self.site / path).read_text(encoding="utf-8")


class Links(Checkouts):
    def test_the_front_page_shows_the_first_paragraph_and_no_markdown(self) -> None:
        self.build()
        shown = re.sub(r"<pre.*?</pre>|<[^>]*>", "", self.page("index.html"), flags=re.S)
        self.assertIn("The first paragraph.", shown)
        self.assertNotIn("](", shown)

    def test_a_site_without_broken_links_has_no_problems(self) -> None:
        self.assertEqual(self.build(), [])

    def test_a_link_to_a_missing_page_is_reported_with_its_line(self) -> None:
        self.write("Docs/guides/blobs.md", "# Blobs\n\nSee\n[there](missing.md).\n")
        problems = self.build()
        self.assertIn(
            "Docs/guides/blobs.md:3: missing.md: no such file in the repository", problems
        )
        self.assertTrue(any("guides/blobs.html: missing.md: no such page" in one for one in problems))

    def test_a_missing_anchor_is_reported(self) -> None:
        self.write("Docs/guides/blobs.md", "# Blobs\n\n## Here\n\n[a](#here) [b](#there)\n")
        self.write("Docs/guides/models.md", "# Models\n\n[a](blobs.md#here) [b](blobs.md#nowhere)\n")
        self.assertEqual(
            self.build(),
            [
                "guides/blobs.html: #there: no such anchor in guides/blobs.html",
                "guides/models.html: blobs.html#nowhere: no such anchor in guides/blobs.html",
            ],
        )

    def test_a_missing_picture_is_reported(self) -> None:
        self.write("Docs/guides/blobs.md", "# Blobs\n\n![a cat](../pictures/cat.png)\n")
        self.assertTrue(any("cat.png" in problem for problem in self.build()))

    def test_a_link_out_of_the_repository_is_reported(self) -> None:
        self.write("Docs/guides/blobs.md", "# Blobs\n\n[up](../../../secret.md)\n")
        self.assertTrue(any("secret.md" in problem for problem in self.build()))

    def test_a_picture_of_another_site_is_reported(self) -> None:
        self.write("Docs/guides/blobs.md", "# Blobs\n\n![a](https://example.org/a.png)\n")
        self.assertTrue(any("resource of another site" in problem for problem in self.build()))

    def test_a_missing_page_of_the_reference_is_reported(self) -> None:
        data = self.site / "reference/data/documentation"
        data.mkdir(parents=True)
        references = {"a": {"url": "/documentation/Divan"}, "b": {"url": "/documentation/gone"}}
        (data / "divan.json").write_text(json.dumps({"references": references}))
        broken = Site(self.site).broken_links()
        self.assertEqual([link.link for link in broken], ["/documentation/gone"])

    def test_sources_and_folders_become_pages(self) -> None:
        self.write("Packages/CouchbaseLiteSwift/Sources/CouchbaseLiteSwift/Blob.swift", "struct Blob {}\n")
        self.write(
            "Docs/guides/blobs.md",
            "# Blobs\n\n[source](../../Packages/CouchbaseLiteSwift/Sources/CouchbaseLiteSwift/Blob.swift)\n"
            "[folder](../../Packages/CouchbaseLiteSwift/Sources/CouchbaseLiteSwift)\n",
        )
        self.assertEqual(self.build(), [])
        self.assertIn("struct", self.page("source/Packages/CouchbaseLiteSwift/Sources/CouchbaseLiteSwift/Blob.swift.html"))
        listing = self.page("source/Packages/CouchbaseLiteSwift/Sources/CouchbaseLiteSwift/index.html")
        self.assertIn('href="Blob.swift.html"', listing)


class Pages(Checkouts):
    def test_the_navigation_has_every_guide_in_the_order_of_the_index(self) -> None:
        self.write("Docs/guides/README.md", INDEX + "[Zebras](zebras.md) [Ants](ants.md)\n")
        self.write("Docs/guides/zebras.md", "# Zebras\n")
        self.write("Docs/guides/ants.md", "# Ants\n")
        self.assertEqual(self.build(), [])
        page = self.page("guides/ants.html")
        self.assertLess(page.index(">Zebras<"), page.index(">Ants<"))
        self.assertIn('aria-current="page">Ants<', page)

    def test_a_page_without_a_section_is_in_the_navigation(self) -> None:
        self.write("Docs/brand-new.md", "# Brand new\n")
        self.assertEqual(self.build(), [])
        self.assertIn(">Brand new</a>", self.page("guides/index.html"))

    def test_the_navigation_has_two_parts_and_begins_with_an_app_from_zero(self) -> None:
        self.write("Docs/guides/models.md", "# Models\n")
        self.write("Docs/decisions/0001-a.md", "# 0001 A\n")
        self.assertEqual(self.build(), [])
        page = self.page("guides/models.html")
        places = [
            page.index(text)
            for text in (">Use it<", ">an-app-from-zero<", ">Models<", "<summary>Guides<", ">Work on it<", ">0001 A<")
        ]
        self.assertEqual(places, sorted(places))

    def test_the_search_finds_titles_and_headings(self) -> None:
        self.write("Docs/guides/blobs.md", "# Blobs\n\n## Big `ones`\n")
        self.build()
        self.assertIn('["Blobs","guides/blobs.html",[["Big ones","big-ones"]]]', self.page("assets/titles.js"))

    def test_the_reference_is_linked_if_it_exists(self) -> None:
        self.build()
        self.assertNotIn(">Reference<", self.page("index.html"))
        place = self.site / "reference/documentation"
        place.mkdir(parents=True)
        (place / "index.html").write_text("<p>")
        self.assertEqual(self.build(), [])
        self.assertIn(">Reference<", self.page("index.html"))


class Text(unittest.TestCase):
    def render(self, text: str) -> str:
        return Document(text, lambda link, line: link).html()

    def test_tables_and_code_are_html(self) -> None:
        page = self.render("| a | b |\n|---|---|\n| `x \\| y` | 2 |\n\n```swift\nlet a = 1\n```\n")
        self.assertIn("<td><code>x | y</code></td>", page)
        self.assertIn('<span class="kd">let</span>', page)
        self.assertIn('data-language="swift"', page)

    def test_a_table_without_a_head_shows_none(self) -> None:
        self.assertIn('class="bare"', self.render("| | |\n|---|---|\n| a | b |\n"))
        self.assertNotIn('class="bare"', self.render("| h | |\n|---|---|\n| a | b |\n"))

    def test_a_list_may_follow_a_paragraph(self) -> None:
        self.assertIn("<li>one</li>", self.render("Text\n- one\n- two\n"))

    def test_unknown_languages_are_plain(self) -> None:
        self.assertIn("a &lt; b", code_block("a < b\n", "klingon"))

    def test_anchors_are_those_of_github(self) -> None:
        self.assertEqual(slug("What is `promised`, and what isn't?"), "what-is-promised-and-what-isnt")
        document = Document("# T\n\n## A\n\n## A\n", lambda link, line: link)
        self.assertEqual([anchor for _, anchor, _ in document.headings], ["a", "a-1"])


class Diagrams(unittest.TestCase):
    TEXT = (
        "stateDiagram-v2\n    [*] --> open\n    open --> open: heard [count == 0] / answer, count\n"
        "    open --> closed: ended\n    closed --> [*]\n"
    )

    def test_a_transition_has_event_condition_and_effects(self) -> None:
        loop = parse(self.TEXT)[1]
        self.assertEqual((loop.event, loop.condition, loop.effects), ("heard", "count == 0", "answer, count"))

    def test_a_diagram_is_drawn_with_a_table(self) -> None:
        drawn = state_diagram(self.TEXT)
        self.assertIn("<svg", drawn)
        self.assertIn(">closed<", drawn)
        self.assertIn("<td><code>answer, count</code></td>", drawn)
        self.assertNotIn("<script", drawn)

    def test_other_diagrams_are_refused(self) -> None:
        for text in ("graph TD\n A --> B\n", "stateDiagram-v2\n    open -> closed\n"):
            with self.assertRaises(UnreadableDiagram):
                parse(text)


if __name__ == "__main__":
    unittest.main()
