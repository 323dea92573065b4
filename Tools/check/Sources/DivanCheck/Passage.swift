/// A paragraph of a page, or a string literal, as words with their lines.
///
/// Code is one word, `Passage.code`. Punctuation separates words: no phrase extends across it.
struct Passage {
    /// Replaces code, an interpolation or a quoted command.
    static let code = "¤"
    /// Ends a sentence, as a written `\n` in a literal does.
    static let end = "\u{2029}"

    /// A word and what surrounds it.
    struct Word {
        /// In lower case, and with a straight apostrophe.
        var text: String
        var line: Int
        /// Whether punctuation separates it from the word before.
        var isSeparated: Bool
        /// Whether it ends a sentence.
        var isLast = false
    }

    private(set) var words: [Word] = []
    /// Whether its sentences are counted: headings and cells of tables are not.
    let isProse: Bool

    private var word = ""
    private var isSeparated = true
    /// Whether a full stop, and possibly closing quotes, came after the last word.
    private var isStopped = false

    /// The words of texts, each of which begins in a line.
    init(of texts: [(line: Int, text: String)], isProse: Bool = true) {
        self.isProse = isProse
        for (line, text) in texts {
            // An empty line separates paragraphs; an indented one is an example.
            if text.isEmpty || text.hasPrefix("  ") { endSentence() }
            append(text + "\n", line)
        }
        endSentence()
    }

    private mutating func append(_ text: String, _ start: Int) {
        let scalars = Array(text.unicodeScalars)
        var line = start
        for (index, scalar) in scalars.enumerated() {
            let next = index + 1 < scalars.count ? scalars[index + 1] : " "
            if Self.isPart(scalar) || (!word.isEmpty && Self.joins(scalar) && Self.isPart(next)) {
                word.unicodeScalars.append(scalar)
                continue
            }
            endWord(line)
            if scalar == "\n" { line += 1 }
            if scalar == "\u{2029}" { endSentence() }
            if " \t\n*_".unicodeScalars.contains(scalar) { continue }
            isSeparated = true
            if ".!?".unicodeScalars.contains(scalar) {
                isStopped = true
            } else if !")\"”".unicodeScalars.contains(scalar) {
                isStopped = false
            }
        }
    }

    private mutating func endSentence() {
        (isSeparated, isStopped) = (true, false)
        if !words.isEmpty { words[words.count - 1].isLast = true }
    }

    private mutating func endWord(_ line: Int) {
        defer { word = "" }
        let bare = word.drop { "'’_-".contains($0) }
        guard let end = bare.lastIndex(where: { !"'’_-".contains($0) }) else {
            // A dash separates.
            if word.contains("-") { isSeparated = true }
            return
        }
        let text = bare[...end]
        // A full stop before a lowercase letter is part of "e.g." or of a quoted text.
        if isStopped, text.first?.isLowercase == false, !words.isEmpty {
            words[words.count - 1].isLast = true
        }
        let plain = text.lowercased().replacing("’", with: "'")
        words.append(Word(text: plain, line: line, isSeparated: isSeparated))
        (isSeparated, isStopped) = (false, false)
    }

    /// The sentences, in order.
    var sentences: [ArraySlice<Word>] {
        var start = 0
        return words.indices.filter { words[$0].isLast || $0 == words.count - 1 }.map { index in
            defer { start = index + 1 }
            return words[start...index]
        }
    }

    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else {
            return scalar == "¤" || scalar == "’" || scalar.properties.isAlphabetic
        }
        let isLetter = (0x61...0x7a).contains(scalar.value | 0x20)
        let isDigit = (0x30...0x39).contains(scalar.value)
        return isLetter || isDigit || "_-'".unicodeScalars.contains(scalar)
    }

    /// Whether a sign between two letters belongs to the word, as in `a.json` and `wss://host`.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        "./:@=&%+,#".unicodeScalars.contains(scalar)
    }
}
