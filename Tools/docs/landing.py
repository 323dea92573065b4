"""The first page: a summary, a picture, examples and links."""

from __future__ import annotations

import html
import re

from checkout import Checkout
from document import Document, code_block

# Features, each with the page that describes it.
CARDS = [
    ("Works without a network", "A database in your process, on disk or in memory: documents, blobs, queries and "
     "live results. It syncs when a connection exists.", "Docs/guides/an-app-from-zero.md"),
    ("Both sides of a sync", "Clients and servers with TLS, users, access rights and certificates. Peers can sync "
     "without a central server.", "Docs/guides/peer-to-peer.md"),
    ("Compatible with Couchbase Lite", "The same wire protocol as phones and Sync Gateway, and the same Swift API. "
     "Import existing databases.", "Docs/guides/from-couchbase-lite.md"),
    ("Swift 6", "Codable documents, queries by key paths, async streams, and an API that passes the compiler's "
     "concurrency checks.", "Docs/guides/threads.md"),
    ("Easy to diagnose", "A query shell, a user interface in the browser, a doctor for sync problems, and a "
     "remedy for every error code.", "Docs/guides/troubleshooting.md"),
    ("Tested and measured", "Tested with crashes, cut connections, attacks and fuzzing. Benchmarks compare each "
     "figure with plain C.", "Docs/performance.md"),
]


def landing(checkout: Checkout, link_to, reference: str | None) -> str:
    """The body of the first page; `link_to` gives the link to a page by its source."""
    readme = checkout.text("README.md")
    title, lead = _head(readme)
    code = re.search(r"```swift\n(import .*?)```", readme, re.S)
    sample = code_block(code.group(1), "swift") if code else ""
    shell = re.search(r"## From the shell\s+```sh\n(.*?)```", readme, re.S)
    commands = code_block(shell.group(1), "sh") if shell else ""
    cards = "".join(
        f'<a class="card" href="{link_to(source)}"><h3>{html.escape(name)}</h3><p>{html.escape(text)}</p></a>'
        for name, text, source in CARDS
    )
    reference_link = f'<a class="button quiet" href="{reference}">Reference</a>' if reference else ""
    return f"""<section class="hero">
<div>
<h1>{title}</h1>
{lead}
<p class="buttons"><a class="button" href="{link_to('Docs/guides/an-app-from-zero.md')}">Get started</a>
<a class="button quiet" href="{link_to('Docs/guides/README.md')}">Guides</a>{reference_link}</p>
</div>
<a href="{link_to('Docs/guides/studio.md')}"><img src="{link_to('Docs/pictures/studio-conflict.png')}"
alt="Two sides of a conflict and their merge, in the browser" width="1280" height="800"></a>
</section>
<section class="cards">{cards}</section>
<section><h2>In your program</h2>
<p>A shop accepts connections; a kiosk pulls and pushes until both are in sync.</p>
{sample}</section>
<section><h2>From the shell</h2>
{commands}</section>
<section class="index">{_guides(checkout, link_to)}</section>
"""


def _head(readme: str) -> tuple[str, str]:
    """The title and the first paragraph."""
    title, *paragraphs = readme.split("\n\n")
    # Badges come before the text.
    paragraph = next(text for text in paragraphs if not text.startswith("[!["))
    sentences = "".join(
        f"<p>{html.escape(sentence)}</p>" for sentence in paragraph.splitlines()[:3]
    )
    return html.escape(title.removeprefix("# ")), f'<div class="lead">{sentences}</div>'


def _guides(checkout: Checkout, link_to) -> str:
    """The index of the guides, without title and first paragraph."""
    text = checkout.text("Docs/guides/README.md")
    text = text[text.index("\n## ") :]

    def rewrite(link: str, line: int) -> str:
        source = checkout.resolve("Docs/guides/README.md", link.partition("#")[0])
        return link_to(source) if source else link

    return Document(text, rewrite, anchors=False).html()
