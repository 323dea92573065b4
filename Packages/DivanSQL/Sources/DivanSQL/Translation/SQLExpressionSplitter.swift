/// Deep expressions in pieces that SQLite's parser accepts.
///
/// **Theory.** That parser has a stack of 100 entries, of which a call takes three to five, so it
/// refuses anything nested deeper than some 20 to 31 calls. When divided, the inner parts are written next
/// to the outer ones instead of inside: each piece is a common table expression with one value, and the
/// pieces that contain it refer to it by name.
///
///     lower(upper(trim(body)))
///     (WITH p0(x) AS (SELECT trim(body)), p1(x) AS (SELECT upper(+(SELECT x FROM p0)))
///         SELECT lower(+(SELECT x FROM p1)))
///
/// Pieces see the columns of the row like any correlated sub-query; the plus removes the column's
/// affinity. The condition of `ANY` and `EVERY`, a sub-query and the operand of an aggregate are
/// divided on their own, since their names or rows are known nowhere else. SQLite recomputes the pieces
/// for each row and uses no index for them, so an expression is divided only if SQLite refuses it
/// whole.
struct SQLExpressionSplitter {
    /// Parentheses that may be nested in a piece.
    private static let limit = 5

    /// Where an expression began.
    struct Start {
        fileprivate let position: Int
        fileprivate let peak: Int
        fileprivate let isOutermost: Bool
    }

    /// What is being written.
    enum State {
        /// No expression.
        case outside
        /// One that stays whole.
        case whole
        /// One with the pieces that were taken out of it, ordered so that each refers only to earlier
        /// ones.
        case divided([String])
    }

    private var state = State.outside
    private var pieceCount = 0
    /// Open parentheses, and the most that were open since the current expression began.
    private var (depth, peak) = (0, 0)

    mutating func count(_ text: String) {
        for byte in text.utf8 {
            if byte == UInt8(ascii: "(") { open() }
            if byte == UInt8(ascii: ")") { close() }
        }
    }

    /// Counts something that costs the parser as much as a parenthesis.
    mutating func open() {
        depth += 1
        peak = max(peak, depth)
    }

    mutating func close() {
        depth -= 1
    }

    /// Begins an expression at a position of the text; an outermost one may be divided if `isDivisible` allows it.
    mutating func begin(at position: Int, isDivisible: () -> Bool) -> Start {
        var isOutermost = false
        if case .outside = state {
            isOutermost = true
            state = isDivisible() ? .divided([]) : .whole
        }
        defer { peak = depth }
        return Start(position: position, peak: peak, isOutermost: isOutermost)
    }

    /// Ends an expression, which is at the end of the text.
    mutating func end(_ start: Start, in text: inout String) {
        if case .divided(var pieces) = state {
            if peak - depth > Self.limit {
                let name = "p\(pieceCount)"
                pieceCount += 1
                pieces.append("\(name)(x) AS (SELECT \(Self.cut(from: start.position, of: &text)))")
                text += "+(SELECT x FROM \(name))"
                peak = depth + 1
                state = .divided(pieces)
            }
            if start.isOutermost, !pieces.isEmpty {
                let rest = Self.cut(from: start.position, of: &text)
                text += "(WITH \(pieces.joined(separator: ", ")) SELECT \(rest))"
                peak = depth + Self.limit
            }
        }
        if start.isOutermost { state = .outside }
        peak = max(peak, start.peak)
    }

    /// Leaves the expression for an inner one that is divided on its own; `resume` returns to it.
    mutating func suspend() -> State {
        defer { state = .outside }
        return state
    }

    mutating func resume(_ state: State) {
        self.state = state
    }

    private static func cut(from position: Int, of text: inout String) -> String {
        let start = text.utf8.index(text.startIndex, offsetBy: position)
        defer { text.removeSubrange(start...) }
        return String(text[start...])
    }
}
