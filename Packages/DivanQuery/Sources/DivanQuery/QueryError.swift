/// An invalid query: the official code, the problem, and its position.
public struct QueryError: Error, Equatable, Sendable {
    /// The kind of error, with its code in the CouchbaseLite or SQLite domain.
    public enum Code: Int, Sendable {
        /// A function rejected its arguments while the query ran; the code is SQLite's.
        case failed = 1
        /// The text, a name, a type or a number of arguments is wrong.
        case invalidQuery = 23
        /// `MATCH` or a vector function requires an index that does not exist.
        case missingIndex = 24
        /// A bound parameter does not occur in the query.
        case invalidQueryParameter = 25
    }

    /// The kind.
    public let code: Code
    /// One sentence: the problem and, if known, the remedy.
    public let problem: String
    /// Bytes before the position; `nil` if the query has no text.
    public let offset: Int?
    /// Line of the position, counted from 1; `nil` if the query has no text.
    public let line: Int?
    /// Bytes from the start of that line to the position, counted from 1.
    public let column: Int?
    /// For syntax errors, the number of bytes before the farthest point that the parser reached, which
    /// the official message counts from 1; `nil` for others.
    public let syntaxOffset: Int?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - problem: One sentence.
    ///   - code: The kind.
    ///   - place: Its position, or `nil`.
    ///   - text: The text that `place` is in.
    ///   - syntaxOffset: For syntax errors, how far the parser got.
    public init(
        _ problem: String,
        code: Code = .invalidQuery,
        at place: QueryPosition? = nil,
        in text: String? = nil,
        syntaxOffset: Int? = nil
    ) {
        self.code = code
        self.problem = problem
        offset = place?.offset
        self.syntaxOffset = syntaxOffset
        let position = text.flatMap { text in place?.lineAndColumn(in: text) }
        line = position?.line
        column = position?.column
    }
}

extension QueryError {
    /// The error with its line and column in `text`, if it has a position and lacks them.
    func located(in text: String?) -> QueryError {
        guard line == nil, let offset, let text else { return self }
        return QueryError(
            problem,
            code: code,
            at: QueryPosition(offset: offset),
            in: text,
            syntaxOffset: syntaxOffset
        )
    }
}

extension QueryError: CustomStringConvertible {
    /// Position and problem in one line: `line 1, column 8: unknown function LENTGH; …`.
    public var description: String {
        guard let line, let column else { return problem }
        return "line \(line), column \(column): \(problem)"
    }
}
