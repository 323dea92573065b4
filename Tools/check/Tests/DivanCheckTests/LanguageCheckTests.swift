import Testing

@testable import DivanCheck

/// Every rule about phrases, with a text that breaks it and one that does not; and the length of sentences.
@Suite struct LanguageCheckTests {
    private static let page = "Docs/page.md"
    private static let source = "Packages/DivanJSON/Sources/DivanJSON/A.swift"

    /// The phrase of a rule, a text with it, the words that are reported, and the text to write instead.
    private static let examples: [(phrase: String, bad: String, found: String, good: String)] = [
        (
            "tells !them|it|you|a|an|each|every|both|apart|peers|clients|others",
            "It tells how many there are.", "tells", "SIGTERM tells peers to retry."
        ),
        (
            "^tell whether|why|how|which|what|when|where", "Tell whether it works.", "tell whether",
            "They cannot tell whether it works."
        ),
        (
            "and|or|that|also tell whether|why|how|which|what|when|where",
            "Stops, and tells. Look, and tell why.", "and tell why", "Nothing to tell why by."
        ),
        (
            "is|are|was|were|be|been told !to|that|apart",
            "The sender is told.", "is told", "The sender is told to retry."
        ),
        ("hears|hear of", "A peer hears of it.", "hears of", "A peer is notified of it."),
        (
            "say|says to each other", "What they say to each other.", "say to each other",
            "They say no."
        ),
        (
            "stand|stands|stood in|there|here|beside|under|below|above|behind|on|at|between !for",
            "Each stands in an object.", "stands in", "`a` stands in for the ID."
        ),
        ("may|can|must|should stand", "A proxy may stand.", "may stand", "Both may be used."),
        ("beside", "A file beside it.", "beside", "A file next to it, besides others."),
        (
            "that|what|which is|are|was|were there",
            "A file that is there is read.", "that is there", "An existing file is read."
        ),
        ("is|are|was|were not there", "It is not there.", "is not there", "It does not exist."),
        (
            "^there is|are|was|were none", "There is none.", "there is none",
            "Null if there is none."
        ),
        (
            "known here", "No key is known here.", "known here",
            "No known key."
        ),
        (
            "left|stayed at the peer",
            "Blobs were left at the peer.", "left at the peer", "Blobs stay on the server."
        ),
        (
            "on its|their way !to", "A change on its way.", "on its way",
            "It is on its way to a peer."
        ),
        (
            "is|are|be|stays|stay|was|were whole !names|numbers", "The file is whole.", "is whole",
            "These are whole numbers of the whole file."
        ),
        ("anew", "The index is made anew.", "anew", "The index is rebuilt."),
        ("is|are|was|were|be gone", "The file is gone.", "is gone", "The file was deleted."),
        ("gone since", "Those gone since.", "gone since", "Those deleted since."),
        ("level with", "They are level with each other.", "level with", "The levels of the log."),
        (
            "without end !marker", "It runs without end.", "without end",
            "A dump without end marker."
        ),
        (
            "again and again", "Again and again it fails.", "again and again",
            "It is read again, and again checked."
        ),
        ("until ctrl-c", "Runs until Ctrl-C.", "until ctrl-c", "Runs until interrupted (Ctrl-C)."),
        ("no way back", "There is no way back.", "no way back", "This cannot be undone."),
        ("its mode stays", "Its mode stays.", "its mode stays", "It keeps its permissions."),
        (
            "brings|brought !down|back|to|up", "A pull brings it.", "brings",
            "A pull brings up to date what exists."
        ),
        ("hands|hand|handed on", "It hands on the rest.", "hands on", "Both hands are free."),
        ("hands|hand it|them|one on", "Each hands it on.", "hands it on", "Each passes it."),
        (
            "goes|go|went|going on !to", "It goes on after that.", "goes on",
            "It goes on to the next."
        ),
        ("wants *", "The proxy wants a login.", "wants a", "All that the peer wants, it gets."),
        ("knows|know no", "BLIP knows no others.", "knows no", "A peer knows the key."),
        ("be|is|are let in", "Peers are let in.", "are let in", "Peers are authorized."),
        ("look|looks|looked|looking at", "Look at the log.", "look at", "Look up the name."),
        ("looks on", "A studio looks on.", "looks on", "How it looks, on and off."),
        ("made of what", "It is made of what was sent.", "made of what", "It is made of text."),
        ("mend|mends|mended", "The bug was mended.", "mended", "The bug was fixed."),
        ("nobody", "Nobody uses it.", "nobody", "It is not used."),
        ("somebody", "Somebody else did.", "somebody", "Another process did."),
        ("everybody", "It lets everybody read.", "everybody", "It lets anyone read."),
        (
            "somebody's|nobody's|everybody's", "Somebody’s key.", "somebody's", "A body's key."
        ),
        ("^who may|asks|comes", "Allowed. Who may come?", "who may", "It decides who may come."),
        ("who asks|brings|looks|holds", "The user who asks.", "who asks", "The user who waits."),
        (
            "by who|whoever|whomever", "Sent by who holds it.", "by who",
            "Sent by the user who waits."
        ),
        (
            "that which", "Remove that which fails.", "that which",
            "A key that, which is rare, fails."
        ),
        (
            "what is|are no !longer|more", "What is no path fails.", "what is no",
            "What is no longer used fails."
        ),
        (
            "that|which|what|it|this is no !longer|more",
            "A text that is no JSON.", "that is no", "A text that is no longer read."
        ),
        (
            "a|an|the * is no !longer|more",
            "A pipe is no terminal.", "a pipe is no", "A pipe is no longer open."
        ),
        (
            "do|does|doing no harm",
            "A second call does no harm.", "does no harm", "A second call does nothing."
        ),
        (
            "keep|keeps|kept others out",
            "A lock keeps others out.", "keeps others out", "A lock keeps others waiting."
        ),
        ("is no *'s", "The answer is no WebSocket's.", "is no websocket's", "There is no peer."),
        ("whatever it|they is|are", "Any, whatever it is.", "whatever it is", "Whatever works."),
        ("of one's own", "A way of one's own.", "of one's own", "A custom way, one of its own."),
        ("of ours|theirs|yours", "A peer of ours.", "of ours", "Our peer, a dump of hours."),
        ("that|this one's", "Use that one's key.", "that one's", "Use its key."),
        ("mistakes of", "The mistakes of callers.", "mistakes of", "Usage errors."),
        ("is all of it", "MISSING is all of it.", "is all of it", "This is all of the output."),
        (
            "door|doors|kitchen|shelf|shelves", "The door is open.", "door",
            "The indoor `door` is open."
        ),
        (
            "another key does not open it", "Another key does not open it.",
            "another key does not open it",
            "Wrong encryption key."
        ),
        (
            "sealed|seals|unsealed|unseals|sealing", "It is sealed already.", "sealed",
            "Run 'divan seal'."
        ),
        ("packed|packs|unpacked", "It is packed already.", "packed", "It is compressed."),
    ]

    @Test func `every rule has an example`() {
        #expect(Set(Self.examples.map(\.phrase)) == Set(LanguageCheck.rules.map(\.phrase)))
    }

    @Test(arguments: examples.indices)
    func `a phrase is reported with its replacement, and a text without it passes`(
        _ index: Int
    ) throws {
        let example = Self.examples[index]
        let rule = try #require(LanguageCheck.rules.first { $0.phrase == example.phrase })
        let checkout = try Checkout()
        let problem = "\"\(example.found)\" is not plain English"
        if rule.scope == .all {
            try checkout.write(Self.page, "# Page\n\n" + example.bad + "\n")
            let violations = try LanguageCheck(tree: checkout.tree).violations()
                .filter { $0.remedy == rule.remedy }
            #expect(violations.map(\.place) == ["\(Self.page):3"])
            #expect(violations.map(\.problem) == [problem])
            try checkout.write(Self.page, "# Page\n\n" + example.good + "\n")
        }
        try checkout.write(Self.source, "let n = 1\nlet text = \"\(example.bad)\"\n")
        let violations = try LanguageCheck(tree: checkout.tree).violations()
            .filter { $0.remedy == rule.remedy }
        #expect(violations.map(\.place) == ["\(Self.source):2"])
        #expect(violations.map(\.problem) == [problem])
        try checkout.write(Self.source, "let text = \"\(example.good)\"\n")
        #expect(try LanguageCheck(tree: checkout.tree).violations().isEmpty)
    }

    @Test(arguments: [
        "It is `made anew`.", "It is ``made\nanew`` here.", "```\nmade anew\n```",
        "~~~ text\nmade anew\n~~~", "<!-- made anew -->", "<!--\nmade anew\n-->",
        "    made anew", "[made](made-anew.md#made anew)", "<a title=\"made anew\">x</a>",
        "It is made. Anew-2 works.",
    ])
    func `code, comments and link targets in a page pass`(_ text: String) throws {
        let checkout = try Checkout()
        try checkout.write(Self.page, text + "\n")
        #expect(try LanguageCheck(tree: checkout.tree).violations().isEmpty)
    }

    @Test(arguments: [
        ("It is\nmade\nanew.", 3), ("- one\n- made **anew**", 2), ("1. made anew", 1),
        ("> It is made\n> anew", 2), ("| a | made anew |", 1), ("## Made anew", 1),
        ("Text\n\n    code\n\nmade anew", 5), ("- a list\n\n    made anew", 3),
        ("| test | what |\n|---|---|\n| `A` | made anew |", 3), ("[made anew](a.md)", 1),
        ("`a` is\n`b\nc` made anew", 3),
    ])
    func `a phrase is found wherever a page has prose`(_ text: String, _ line: Int) throws {
        let checkout = try Checkout()
        try checkout.write(Self.page, text + "\n")
        let violations = try LanguageCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.place) == ["\(Self.page):\(line)"])
    }

    @Test(arguments: [
        "/// It is made anew.", "/* It is\nmade anew */", "func `it is made anew`() {}",
        "let madeAnew = made(anew: is)", "let pattern = /is made anew/", "let word = \"anew\"",
        "let text = \"is `made anew`\"", "let text = \"run 'divan made anew'\"",
        "let text = \"is made \\(anew) now\"", "let text = \"without\\nend\\u{41}\"",
    ])
    func `identifiers, comments and quoted code in a source pass`(_ text: String) throws {
        let checkout = try Checkout()
        try checkout.write(Self.source, text + "\n")
        #expect(try LanguageCheck(tree: checkout.tree).violations().isEmpty)
    }

    @Test(arguments: [
        ("let text = \"it is \"\n    + \"made \"\n    + \"anew\"", 3),
        ("let text = \"\"\"\n    It is made\n    anew.\n    \"\"\"", 3),
        ("let text = \"\"\"\n    It is \\\n    made\n    anew.\n    \"\"\"", 4),
        ("let text = #\"it \"is\" \\made anew\"#", 1),
        ("let text = \"a \\(b == \"c\" ? \"\" : \"made anew\") d\"", 1),
        ("// \"\nlet half = a / b\nlet text = \"made anew\"", 3),
        ("let text = a.replacing(/\"/, with: \"made anew\")", 1),
        ("let text = a.replacing(#/\"/#, with: \"made anew\")", 1),
    ])
    func `a phrase is found in any string literal`(_ text: String, _ line: Int) throws {
        let checkout = try Checkout()
        try checkout.write(Self.source, text + "\n")
        let violations = try LanguageCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.place) == ["\(Self.source):\(line)"])
    }

    @Test func `scripts and pages of the studio are read, but not the texts of tests`() throws {
        let checkout = try Checkout()
        let assets = "Packages/DivanJSON/Sources/DivanJSON/Assets"
        try checkout.write(
            "\(assets)/a.js",
            "// is made anew\nlet a = 'is made anew'\nlet b = `is ${f('made anew {')} now`\n"
        )
        try checkout.write("\(assets)/a.html", "<p class=\"made anew\">made <b>anew</b></p>\n")
        for file in [
            "Packages/DivanJSON/Tests/DivanJSONTests/ATests.swift", "Tests/ATests/B.swift",
        ] {
            try checkout.write(file, "let text = \"made anew\"\n")
        }
        try checkout.write("Tests/Crash/main.swift", "print(\"made anew\")\n")
        #expect(
            try LanguageCheck(tree: checkout.tree).violations().map(\.place) == [
                "\(assets)/a.html:1", "Tests/Crash/main.swift:1", "\(assets)/a.js:2",
                "\(assets)/a.js:3",
            ]
        )
    }

    @Test func `the names of tests and suites are read`() throws {
        let checkout = try Checkout()
        try checkout.write(
            "Packages/DivanJSON/Tests/DivanJSONTests/ATests.swift",
            """
            @Suite("Made anew") struct ATests {
                @Test func `it is made anew`() {
                    let text = "made anew"
                }
                @Test(
                    "Made anew twice",
                    arguments: ["anew"]
                )
                func twice() {}
                @Test func `a file is recreated`() {}
            }

            """
        )
        #expect(
            try LanguageCheck(tree: checkout.tree).violations().map(\.place)
                == [1, 2, 6].map {
                    "Packages/DivanJSON/Tests/DivanJSONTests/ATests.swift:\($0)"
                }
        )
    }

    @Test func `an exception excuses one phrase of a file, and is reported once it is unused`()
        throws
    {
        let checkout = try Checkout()
        let exceptions = [
            LanguageCheck.Exception(file: Self.page, phrase: "anew", reason: "a quotation"),
            LanguageCheck.Exception(file: "Docs/other.md", phrase: "anew", reason: "no such page"),
        ]
        let check = LanguageCheck(tree: checkout.tree, exceptions: exceptions)
        try checkout.write(Self.page, "Made anew, beside it.\n")
        #expect(try check.violations().map(\.remedy).count == 1)
        try checkout.write(Self.page, "Rebuilt.\n")
        #expect(
            try check.violations().map(\.description) == [
                "Docs/page.md: the exception for \"anew\" is unused; remove it from LanguageRules.swift"
            ]
        )
    }

    @Test(arguments: ["README.md", "Docs/guides/page.md"])
    func `a sentence of more than 30 words in a guide is found`(_ page: String) throws {
        let checkout = try Checkout()
        let words = Array(repeating: "word", count: 28).joined(separator: " ")
        let check = LanguageCheck(tree: checkout.tree)
        let short =
            "Short, e.g. this: 1.5 is.\nW\(words.dropFirst())\n`a b` end. \"Next\" is short.\n"
        try checkout.write(
            page,
            short + "\n| \(words) \(words) |\n\n```sh\n\(words) \(words)\n```\n"
        )
        #expect(try check.violations().isEmpty)
        try checkout.write(page, "One.\nTwo\n\(words)\n`a b` end. \"Next\" is short.\n")
        #expect(
            try check.violations().map(\.description) == [
                "\(page):2: a sentence of 31 words (\"two word word word word …\"), the limit is 30; "
                    + "split it, or make it a list"
            ]
        )
        try checkout.write("Docs/page.md", try checkout.tree.text(page))
        #expect(try check.violations().count == 1, "other pages may have longer sentences")
    }

    @Test func `a sentence of more than 30 words in a message or a help text is found`() throws {
        let checkout = try Checkout()
        let words = Array(repeating: "word", count: 29).joined(separator: " ")
        let file = "Tools/command/Sources/DivanCommand/A.swift"
        let check = LanguageCheck(tree: checkout.tree)
        try checkout.write(file, "let text = \"\(words) \\(name)\"\n")
        #expect(try check.violations().isEmpty)
        let indented = words.replacing(" ", with: "\n")
        try checkout.write(
            file,
            "let a = \"\(words) \\(n) x\"\nlet b = \"\"\"\nX.\n\n\(words)\na b\n  c\n\n\(indented)\n\"\"\"\n"
        )
        #expect(try check.violations().map(\.place) == ["\(file):1", "\(file):5"])
        try checkout.write(file, "let text = \"\"\"\n\(words)\n\n  \(words)\n\nend\n\"\"\"\n")
        #expect(try check.violations().isEmpty)
    }
}
