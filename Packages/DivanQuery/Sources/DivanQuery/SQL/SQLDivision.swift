/// Deep expressions in pieces that SQLite's parser takes.
///
/// **Theory.** That parser has a stack of 100 entries, of which a call takes three to five, so what is
/// nested deeper than some 20 to 31 calls is refused. Written in pieces, what is inside stands beside
/// what is around it: each piece is a common table expression with one value, and the pieces that hold
/// it speak of it by name.
///
///     lower(upper(trim(body)))
///     (WITH p0(x) AS (SELECT trim(body)), p1(x) AS (SELECT upper(+(SELECT x FROM p0)))
///         SELECT lower(+(SELECT x FROM p1)))
///
/// Pieces see the columns of the row as every correlated sub-query does; the plus takes the column's
/// affinity away. The condition of `ANY` and `EVERY`, a sub-query and the operand of an aggregate are
/// divided on their own, since their names or rows are known nowhere else. SQLite computes the pieces
/// anew for each row and uses no index for them, so an expression is divided only where it is refused
/// whole.
struct SQLDivision {
    /// Parentheses that may stand within each other in a piece.
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
        /// One with the pieces that were taken out of it, in an order in which each speaks of earlier
        /// ones only.
        case divided([String])
    }

    private var state = State.outside
    private var pieceCount = 0
    /// Parentheses that are open, and the most that were since the present expression began.
    private var (depth, peak) = (0, 0)

    mutating func count(_ text: String) {
        for byte in text.utf8 {
            if byte == UInt8(ascii: "(") { open() }
            if byte == UInt8(ascii: ")") { close() }
        }
    }

    /// Notes what the parser must remember as it does a parenthesis.
    mutating func open() {
        depth += 1
        peak = max(peak, depth)
    }

    mutating func close() {
        depth -= 1
    }

    /// Begins an expression at a position of the text; an outermost one may be divided if it says so.
    mutating func begin(at position: Int, isDivisible: () -> Bool) -> Start {
        var isOutermost = false
        if case .outside = state {
            isOutermost = true
            state = isDivisible() ? .divided([]) : .whole
        }
        defer { peak = depth }
        return Start(position: position, peak: peak, isOutermost: isOutermost)
    }

    /// Ends an expression, which stands at the end of the text.
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

    /// Leaves the expression for one inside that is divided on its own; `resume` goes back to it.
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
