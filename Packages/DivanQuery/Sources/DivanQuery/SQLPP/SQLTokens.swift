import DivanJSON

/// The tokens of a text with a look-ahead of two, and the errors found at them.
struct SQLTokens {
    let source: String
    private var lexer: SQLLexer
    /// The token that comes next.
    private(set) var current: SQLToken
    private var following: SQLToken?
    /// The end of the previous token.
    private(set) var consumedEnd = 0

    init(_ source: String) {
        self.source = source
        lexer = SQLLexer(source)
        current = lexer.next()
    }

    /// Where the next token begins.
    var place: QueryPosition { QueryPosition(offset: current.range.lowerBound) }

    /// The token after the next one.
    mutating func peek() -> SQLToken {
        if let following { return following }
        let token = lexer.next()
        following = token
        return token
    }

    mutating func advance() {
        consumedEnd = current.range.upperBound
        current = following ?? lexer.next()
        following = nil
    }

    func text(_ token: SQLToken) -> String { lexer.text(token.range) }

    /// The text from the next token on.
    var rest: String { lexer.text(current.range.lowerBound..<source.utf8.count) }

    /// Whether a digit directly follows the next token.
    var isBeforeNumber: Bool { lexer.hasNumber(at: current.range.upperBound) }

    func isAt(_ keyword: SQLKeyword) -> Bool { current.form == .keyword(keyword) }

    func isAt(_ mark: SQLPunctuation) -> Bool { current.form == .mark(mark) }

    /// Whether the next token is this word, which is a name elsewhere.
    func isAt(word: String) -> Bool {
        current.form == .word && text(current).uppercased() == word
    }

    /// Takes the keyword if it comes next.
    mutating func take(_ keyword: SQLKeyword) -> Bool {
        guard isAt(keyword) else { return false }
        advance()
        return true
    }

    /// Takes the mark if it comes next.
    mutating func take(_ mark: SQLPunctuation) -> Bool {
        guard isAt(mark) else { return false }
        advance()
        return true
    }

    mutating func expect(_ keyword: SQLKeyword) throws(QueryError) {
        guard take(keyword) else { throw unexpected(keyword.rawValue) }
    }

    mutating func expect(_ mark: SQLPunctuation) throws(QueryError) {
        guard take(mark) else { throw unexpected("'\(mark.rawValue)'") }
    }

    /// The name that comes next, or `nil` if none does.
    var nameAhead: ExactText? {
        switch current.form {
        case .word: ExactText(text(current))
        case .quotedName(let name): ExactText(name)
        default: nil
        }
    }

    mutating func expectName(_ role: String = "a name") throws(QueryError) -> ExactText {
        guard let name = nameAhead else { throw unexpected(role) }
        advance()
        return name
    }

    /// The error for a token that is not allowed at its position.
    func unexpected(_ expected: String) -> QueryError {
        let reached: Int
        switch current.form {
        case .flaw(.unclosed), .flaw(.numberRunsOn): reached = current.range.upperBound
        default: reached = current.range.lowerBound
        }
        if let mistake = MistakeRules.mistake(
            in: SyntaxContext(source, at: current.range.lowerBound)
        ) {
            return QueryError(
                mistake.sentence,
                at: QueryPosition(offset: mistake.offset),
                in: source,
                syntaxOffset: reached
            )
        }
        return syntaxError(problem(expected), reached: reached)
    }

    /// The problem if no rule knows what was meant.
    private func problem(_ expected: String) -> String {
        switch current.form {
        case .end: "unexpected end of the query, expected \(expected)"
        case .flaw(.unclosed(let quote)): "the closing \(quote) is missing"
        case .flaw(.emptyName): "the name in backticks is empty; write a name, such as `name`"
        case .flaw(.numberRunsOn):
            "a letter follows the number; add a space, or put the name in backticks"
        case .flaw(.strangeByte), .flaw(.comment):
            "unexpected character; put names in backticks"
        case .keyword(let keyword): "expected \(expected), found \(keyword.rawValue)"
        default: "expected \(expected), found \(Self.shortened(text(current)))"
        }
    }

    /// An error at the next token.
    func syntaxError(_ problem: String, reached offset: Int? = nil) -> QueryError {
        QueryError(
            problem,
            at: place,
            in: source,
            syntaxOffset: offset ?? current.range.lowerBound
        )
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= 40 ? text : "\(text.prefix(32))…"
    }
}
