/// Why a query cannot be used: the official code, what is wrong, and where.
public struct QueryError: Error, Equatable, Sendable {
    /// What sort of error it is, by its number in the domain CouchbaseLite, or in that of SQLite.
    public enum Code: Int, Sendable {
        /// A function refused its arguments while the query ran; the number is SQLite's.
        case failed = 1
        /// The text, a name, a type or a number of arguments is wrong.
        case invalidQuery = 23
        /// `MATCH` or a vector function needs an index that is not there.
        case missingIndex = 24
        /// A parameter was bound that the query does not have.
        case invalidQueryParameter = 25
    }

    /// The sort.
    public let code: Code
    /// One sentence: the problem and, where one is known, the remedy.
    public let problem: String
    /// Bytes before the place; `nil` where the query has no text.
    public let offset: Int?
    /// Line of the place, counted from 1; `nil` where the query has no text.
    public let line: Int?
    /// Bytes from the start of that line to the place, counted from 1.
    public let column: Int?
    /// For errors of syntax, the bytes before the farthest point that reading reached, which the
    /// official message counts from 1; `nil` for others.
    public let syntaxOffset: Int?

    /// Describes a problem.
    ///
    /// - Parameters:
    ///   - problem: One sentence.
    ///   - code: The sort.
    ///   - place: Where it stands, or `nil`.
    ///   - text: The text that `place` is in.
    ///   - syntaxOffset: For errors of syntax, how far reading came.
    public init(
        _ problem: String,
        code: Code = .invalidQuery,
        at place: QueryPlace? = nil,
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
    /// The error with its line and column in `text`, if it has a place and lacks them.
    func located(in text: String?) -> QueryError {
        guard line == nil, let offset, let text else { return self }
        return QueryError(
            problem,
            code: code,
            at: QueryPlace(offset: offset),
            in: text,
            syntaxOffset: syntaxOffset
        )
    }
}

extension QueryError: CustomStringConvertible {
    /// Place and problem in one line: `line 1, column 8: unknown function LENTGH; …`.
    public var description: String {
        guard let line, let column else { return problem }
        return "line \(line), column \(column): \(problem)"
    }
}
