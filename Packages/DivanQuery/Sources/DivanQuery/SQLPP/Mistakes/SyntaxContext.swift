/// The tokens around the position where a text turned out to be wrong.
///
/// They are read once more, so that a valid text does not pay for what only messages need.
struct SyntaxContext {
    /// How many tokens before the position are kept; no rule looks farther back.
    private static let keptCount = 5

    /// The latest tokens before the position, in order.
    private(set) var before: [SQLToken] = []
    /// The token that is not allowed at its position.
    private(set) var current: SQLToken
    /// The two after it.
    let after: [SQLToken]
    /// The clause that contains the position.
    private(set) var clause: SQLKeyword?
    /// Whether a parenthesis, bracket or brace is open.
    let isInside: Bool
    private let lexer: SQLLexer

    /// Reads `source` up to the token at `offset`.
    init(_ source: String, at offset: Int) {
        var lexer = SQLLexer(source)
        current = lexer.next()
        var outer: [SQLKeyword?] = []
        while current.range.lowerBound < offset, current.form != .end {
            switch current.form {
            case .keyword(let keyword) where keyword.beginsClause: clause = keyword
            case .mark(.openParenthesis), .mark(.openBracket), .mark(.openBrace):
                outer.append(clause)
            case .mark(.closeParenthesis), .mark(.closeBracket), .mark(.closeBrace):
                clause = outer.popLast() ?? clause
            default: break
            }
            if before.count == Self.keptCount { before.removeFirst() }
            before.append(current)
            current = lexer.next()
        }
        isInside = !outer.isEmpty
        after = [lexer.next(), lexer.next()]
        self.lexer = lexer
    }

    /// The token `count` places before the current one.
    func previous(_ count: Int = 1) -> SQLToken? {
        before.count >= count ? before[before.count - count] : nil
    }

    func text(_ token: SQLToken?) -> String { token.map { lexer.text($0.range) } ?? "" }

    /// The text of a token, shortened if it is long.
    func shortened(_ token: SQLToken) -> String {
        let text = text(token)
        return text.utf8.count <= 40 ? text : "\(text.prefix(32))…"
    }

    /// The character at which the current token begins; it need not be part of the language.
    var character: Character? { lexer.rest(from: current.range.lowerBound).first }

    /// Whether the current token is a letter beyond ASCII.
    var isAtLetter: Bool { character?.isLetter == true }

    /// Letters, digits, dashes and underscores at an offset.
    func name(at offset: Int) -> String {
        String(
            lexer.rest(from: offset)
                .prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        )
    }

    /// Whether a token begins where the previous one ends.
    func isAdjacent(_ left: SQLToken?, _ right: SQLToken?) -> Bool {
        guard let left, let right else { return false }
        return left.range.upperBound == right.range.lowerBound
    }

    /// Whether the current token must be the name of a source, a column or a member.
    var isAtName: Bool {
        switch previous()?.form {
        case .keyword(.from), .keyword(.join), .keyword(.as): true
        case .mark(.dot): endsOperand(previous(2))
        default: false
        }
    }

    /// Words, from the earliest, that may have been meant as keywords: a word after an operand was
    /// taken for an alias, one after `SELECT` for a property.
    var candidates: [SQLToken] {
        var found: [SQLToken] = []
        for count in [3, 2, 1] {
            guard let token = previous(count), token.form == .word else { continue }
            let front = previous(count + 1)
            if front == nil || front?.form == .keyword(.select) || endsOperand(front) {
                found.append(token)
            }
        }
        switch current.form {
        case .word, .keyword(.right), .keyword(.natural), .keyword(.using): found.append(current)
        default: break
        }
        return found
    }

    /// Whether a token can end an operand or a name, so that no operand can follow.
    func endsOperand(_ token: SQLToken?) -> Bool {
        switch token?.form {
        case .word, .quotedName, .string, .integer, .double: true
        case .mark(let mark):
            [.closeParenthesis, .closeBracket, .closeBrace, .times].contains(mark)
        case .keyword(let word):
            [.end, .true, .false, .null, .missing, .valued, .ascending, .descending].contains(word)
        default: false
        }
    }

    /// Whether a token can begin an operand.
    func beginsOperand(_ token: SQLToken) -> Bool {
        switch token.form {
        case .word, .quotedName, .string, .integer, .double: true
        case .mark(let mark): [.openParenthesis, .openBracket, .openBrace, .dollar].contains(mark)
        case .keyword(let word):
            [.not, .case, .any, .every, .true, .false, .null, .missing].contains(word)
        default: false
        }
    }
}

extension SQLKeyword {
    /// Whether a clause of a `SELECT` begins with it.
    var beginsClause: Bool { clauseNumber != nil }

    /// The position of its clause in the order of clauses; `nil` if it begins none.
    var clauseNumber: Int? {
        switch self {
        case .select: 0
        case .from: 1
        case .join, .left, .inner, .cross, .unnest, .on: 2
        case .where: 3
        case .group: 4
        case .having: 5
        case .order: 6
        case .limit, .offset: 7
        default: nil
        }
    }
}
