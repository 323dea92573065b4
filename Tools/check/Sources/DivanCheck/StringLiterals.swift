/// The string literals of a source in Swift or JavaScript.
///
/// Literals that `+` joins are one. An interpolation is `Passage.code`; literals in it are separate.
struct StringLiterals {
    /// A literal: its lines without the indentation, each with its number.
    typealias Literal = [(line: Int, text: String)]

    private let tokens: Pattern
    private let interpolations: Pattern

    init(isScript: Bool) throws {
        // What may contain quotes without being a literal: comments, and regular expressions.
        let other =
            #"//[^\n]*|/\*[\s\S]*?\*/|(?<=[(,=:\[{&|?!]\s{0,20})/(?![\s/*])(?:\\.|[^/\\\n])+/"#
        let quoted = #""(?:\\.|[^"\\\n])*+""#
        if isScript {
            let single = #"'(?:\\.|[^'\\\n])*+'"#
            let inner = "[^{}'\"]|\(quoted)|\(single)"
            interpolations = try Pattern("\\$\\{((?:\(inner)|\\{(?:\(inner))*+\\})*+)\\}")
            tokens = try Pattern(
                other + #"|"((?:\\.|[^"\\\n])*+)"|'((?:\\.|[^'\\\n])*+)'|`((?:\\.|[^`\\])*+)`"#
            )
        } else {
            // Parentheses in an interpolation may be nested three deep.
            let nested = (0..<3).reduce("") { inner, _ in
                "(?:[^()\"\\n]|\(quoted)\(inner.isEmpty ? "" : "|\\(\(inner)\\)"))*+"
            }
            interpolations = try Pattern("\\\\\\((\(nested))\\)")
            tokens = try Pattern(
                other + #"|`[^`\n]*`|#/[\s\S]*?/#|(#+)"""([\s\S]*?)"""\1|(#+)"([^\n]*?)"\3"#
                    + #"|"""((?:\\[\s\S]|[^\\])*?)"""|"((?:\\\("# + nested
                    + #"\)|\\.|[^"\\\n])*+)""#
            )
        }
    }

    /// Returns the literals of a source, in order; its first line has the given number.
    func read(_ source: String, from first: Int = 1) -> [Literal] {
        var literals: [Literal] = []
        var inner: [Literal] = []
        var end = source.startIndex
        for token in tokens.matches(in: source) {
            let content = token.groups.dropFirst().last { $0.contains { $0 != "#" } }
            guard let content else { continue }
            let line = first + token.line - 1
            var text = String(content)
            if !token.groups[0].hasPrefix("#") {
                for code in interpolations.matches(in: text)
                where code.groups[1].contains("\"")
                    || code.groups[1].contains("'")
                {
                    inner += read(String(code.groups[1]), from: line + code.line - 1)
                }
                text = plain(interpolations.replacing(in: text, with: Passage.code))
            }
            let lines = text.lines.enumerated().map { (line + $0, String($1)) }
            let isLong = token.groups[0].drop { $0 == "#" }.hasPrefix("\"\"\"")
            // What is before the closing quotes is the indentation.
            let indentation = lines.last?.1.count ?? 0
            let literal =
                isLong
                ? lines.dropFirst().dropLast().map { ($0, String($1.dropFirst(indentation))) }
                : lines
            let between = source[end..<token.range.lowerBound].filter { !$0.isWhitespace }
            if between == "+", !literals.isEmpty {
                literals[literals.count - 1] += literal
            } else {
                literals.append(literal)
            }
            end = token.range.upperBound
        }
        return literals + inner
    }

    /// A text with what its escapes stand for.
    private func plain(_ text: String) -> String {
        guard text.contains("\\") else { return text }
        return text.replacing(/\\(u\{[^}]*\}|[\s\S])/) { match in
            switch match.1.first {
            case "u": "…"
            case "n": Passage.end
            case "r", "t", "0": " "
            default: String(match.1)
            }
        }
    }
}
