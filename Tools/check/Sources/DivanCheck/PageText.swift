/// The prose of a page of Markdown: paragraphs, items, headings and cells, without code.
struct PageText {
    private var passages: [Passage] = []
    private var block: [Substring] = []
    private var start = 0
    private let hidden: [(pattern: Pattern, replacement: String)]

    /// Returns the passages of a page, in order.
    static func read(_ page: String) throws -> [Passage] {
        // Blocks of code, and comments.
        let blocks = try Pattern("^[> ]*(`{3,}|~{3,})[\\s\\S]*?^[> ]*\\1.*$|<!--[\\s\\S]*?-->")
        var text = try PageText()
        text.read(blocks.replacing(in: page).lines)
        return text.passages
    }

    private init() throws {
        // Code spans, tags and the targets of links.
        hidden = try [
            ("(`+)[\\s\\S]*?\\1", Passage.code), ("<[^>]*>", ""), ("\\]\\([^)]*\\)", ""),
            ("[\\[\\]]", ""),
        ].map { (try Pattern($0), $1) }
    }

    private mutating func read(_ lines: [Substring]) {
        var (isList, isAfterBlank) = (false, true)
        for (index, line) in lines.enumerated() {
            let text = line.drop { $0 == " " || $0 == ">" }
            defer { isAfterBlank = text.isEmpty }
            // Indented code is no prose, and neither are directives of DocC.
            if isAfterBlank, !isList, line.hasPrefix("    ") { continue }
            let item = text.prefixMatch(of: /(?:[-*+] |\d+[.)] )/)
            let isWhole = text.hasPrefix("|") || text.hasPrefix("#")
            if text.isEmpty || isWhole || item != nil || text.hasPrefix("@") || text == "}" {
                end()
            }
            if text.isEmpty || text.hasPrefix("@") || text == "}" { continue }
            if block.isEmpty { start = index + 1 }
            if isWhole {
                for cell in text.split(separator: "|") {
                    block = [cell]
                    end(isProse: false)
                }
                continue
            }
            if item != nil {
                isList = true
            } else if isAfterBlank, !line.hasPrefix(" ") {
                isList = false
            }
            block.append(text[(item?.range.upperBound ?? text.startIndex)...])
        }
        end()
    }

    private mutating func end(isProse: Bool = true) {
        guard !block.isEmpty else { return }
        let text = hidden.reduce(block.joined(separator: "\n")) {
            $1.pattern.replacing(in: $0, with: $1.replacement)
        }
        block = []
        passages.append(Passage(of: [(start, text)], isProse: isProse))
    }
}
