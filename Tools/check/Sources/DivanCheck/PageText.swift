/// The prose of a page of Markdown: paragraphs, items, headings and cells, without code.
struct PageText {
    private var passages: [Passage] = []
    private var passage: Passage?
    /// The fence that ends a block of code.
    private var fence: Substring?
    private var isComment = false
    /// The backticks of a code span that continues on the next line.
    private var span: Substring?
    /// Whether indented text belongs to an item of a list.
    private var isList = false
    private var isAfterBlank = true
    /// Whether a suite of tests was named, after which quoted texts are names of tests.
    private var isAfterSuite = false
    /// The columns of a table that name tests; `nil` outside tables.
    private var proofs: Set<Int>?
    /// The headers of such columns, in lower case.
    private static let testColumns: Set<String> = ["test", "proof"]

    /// Returns the passages of a page, in order.
    static func read(_ page: String) -> [Passage] {
        var text = PageText()
        for (index, line) in page.lines.enumerated() { text.read(line, index + 1) }
        text.endPassage()
        return text.passages
    }

    private mutating func read(_ line: Substring, _ number: Int) {
        let text = line.drop { $0 == " " || $0 == ">" }
        if skipsBlock(text) { return }
        if text.isEmpty { return endBlock() }
        defer { isAfterBlank = false }
        // Indented code, and directives of DocC.
        if isAfterBlank, !isList, line.hasPrefix("    ") { return }
        if text.hasPrefix("@") || text == "}" { return endPassage() }
        if text.hasPrefix("|") { return readRow(text, number) }
        proofs = nil
        if text.hasPrefix("#") {
            endPassage()
            add(bare(text), number, isProse: false)
            return endPassage()
        }
        if let item = Self.item(text) {
            endPassage()
            isList = true
            return add(bare(item), number, isProse: true)
        }
        if isAfterBlank, !line.hasPrefix(" ") { isList = false }
        add(bare(text), number, isProse: true)
    }

    /// Whether a line is part of a block of code or of a comment.
    private mutating func skipsBlock(_ text: Substring) -> Bool {
        if let fence {
            if text.hasPrefix(fence) { self.fence = nil }
            return true
        }
        if isComment || text.hasPrefix("<!--") {
            isComment = !text.contains("-->")
            return true
        }
        for mark in ["```", "~~~"] where text.hasPrefix(mark) {
            endPassage()
            fence = text.prefix { $0 == "`" || $0 == "~" }
            return true
        }
        return false
    }

    private mutating func endBlock() {
        endPassage()
        isAfterBlank = true
        proofs = nil
    }

    /// Makes a passage of each cell, except those that name tests.
    private mutating func readRow(_ row: Substring, _ number: Int) {
        endPassage()
        let cells = row.trimmed.cells
        if proofs == nil {
            proofs = Set(
                cells.indices.filter { Self.testColumns.contains(cells[$0].lowercased()) }
            )
        }
        for (column, cell) in cells.enumerated() where proofs?.contains(column) != true {
            add(bare(cell), number, isProse: false)
            endPassage()
        }
    }

    private mutating func add(_ text: String, _ number: Int, isProse: Bool) {
        if passage == nil { passage = Passage(isProse: isProse) }
        passage?.append(text + "\n", line: number)
    }

    private mutating func endPassage() {
        span = nil
        isAfterSuite = false
        passage?.endSentence()
        if let passage, !passage.words.isEmpty { passages.append(passage) }
        passage = nil
    }

    /// The text of a list item.
    private static func item(_ text: Substring) -> Substring? {
        if let mark = text.first, "-*+".contains(mark), text.dropFirst().hasPrefix(" ") {
            return text.dropFirst(2)
        }
        let rest = text.drop(while: \.isNumber)
        guard rest.startIndex > text.startIndex, rest.hasPrefix(". ") || rest.hasPrefix(") ") else {
            return nil
        }
        return rest.dropFirst(2)
    }

    /// A line without code spans, tags and the targets of links.
    private mutating func bare(_ line: Substring) -> String {
        var text = ""
        var rest = line
        while let character = rest.first {
            if let ticks = span {
                guard let end = rest.firstRange(of: ticks) else { break }
                if rest[..<end.lowerBound].hasSuffix("Tests") { isAfterSuite = true }
                rest = rest[end.upperBound...]
                span = nil
            } else if character == "`" {
                let ticks = rest.prefix { $0 == "`" }
                text += Passage.code
                span = ticks
                rest = rest.dropFirst(ticks.count)
            } else if isAfterSuite, character == "\"",
                let end = rest.dropFirst().firstIndex(of: "\"")
            {
                text += Passage.code
                rest = rest[end...].dropFirst()
            } else if character == "<", let end = rest.firstIndex(of: ">") {
                rest = rest[end...].dropFirst()
            } else if rest.hasPrefix("]("), let end = rest.firstIndex(of: ")") {
                rest = rest[end...].dropFirst()
            } else {
                if character != "[", character != "]" { text.append(character) }
                rest = rest.dropFirst()
            }
        }
        return text
    }
}
