public import DivanJSON

/// An expression with all names resolved and all short forms expanded.
///
/// It contains no `SOME`, `<>`, `NOT LIKE`, `IS NOT NULL`, unary plus and short forms of metadata. Each comparison
/// has its collation. An `n`-ary node has at least two operands.
public indirect enum CheckedExpression: Hashable, Sendable {
    /// A value.
    case literal(QueryLiteral)
    /// `$name`; MISSING if it is not bound.
    case parameter(ExactText)
    /// A property of a source's body or item; without steps, the whole body or item.
    case property(source: Int, QueryPath)
    /// A metadata value of a source's document.
    case metadata(source: Int, QueryMetadataKey)
    /// An object with all metadata of a source's document.
    case allMetadata(source: Int)
    /// A variable of an enclosing `quantified`, by its number in the whole statement.
    case variable(Int, QueryPath)
    /// A column of the same statement, referred to by its alias.
    case column(Int, QueryPath)
    /// A part of the value of an expression.
    case member(of: CheckedExpression, QueryPath)
    /// An array; MISSING items are omitted.
    case array([CheckedExpression])
    /// An object; MISSING members are omitted, and of equal keys the last counts.
    case object([Member])
    /// Negation; MISSING stays MISSING.
    case not(CheckedExpression)
    /// The negative of a number.
    case negative(CheckedExpression)
    /// Whether all are true.
    case and([CheckedExpression])
    /// Whether at least one is true.
    case or([CheckedExpression])
    /// Concatenated text.
    case concatenation([CheckedExpression])
    /// One number, then others from left to right.
    case arithmetic(CheckedExpression, [Link])
    /// A comparison of two values.
    case comparison(QueryComparison, CheckedExpression, CheckedExpression, QueryCollation)
    /// Whether the value is null; MISSING stays MISSING.
    case isNull(CheckedExpression)
    /// Whether the value is MISSING.
    case isMissing(CheckedExpression)
    /// Whether the value is neither null nor MISSING.
    case isValued(CheckedExpression)
    /// Whether a value lies between two others, both included.
    case between(
        CheckedExpression,
        CheckedExpression,
        CheckedExpression,
        QueryCollation
    )
    /// Whether a value equals an item of a list, which may be empty.
    case isOneOf(CheckedExpression, [CheckedExpression], QueryCollation)
    /// Whether the array, the second operand, contains the first.
    case isItem(CheckedExpression, of: CheckedExpression, QueryCollation)
    /// Whether text matches a pattern of `%`, `_` and `\`.
    case like(CheckedExpression, CheckedExpression, QueryCollation)
    /// Whether items satisfy a condition.
    case quantified(
        QueryQuantifier,
        variable: Int,
        in: CheckedExpression,
        satisfies: CheckedExpression
    )
    /// The first branch whose `when` is true, or equal to the tested value.
    case choice(CheckedExpression?, [Branch], otherwise: CheckedExpression?, QueryCollation)
    /// Whether a query with its own namespace has a row.
    case exists(CheckedStatement)
    /// A function with a valid number of arguments.
    ///
    /// The collation is used by `CONTAINS`.
    case call(QueryFunction, [CheckedExpression], QueryCollation)
    /// An aggregate; without an argument it is `COUNT(*)`.
    ///
    /// The collation is used by `MIN`, `MAX` and `DISTINCT`.
    case aggregate(QueryAggregate, CheckedExpression?, QueryCollation, isDistinct: Bool = false)
    /// A full-text condition, by its position in `CheckedStatement.matches`.
    case match(Int)
    /// The rank of a row for that condition.
    case rank(Int)
    /// The distance of a row for a search, by its position in `CheckedStatement.vectorSearches`.
    case vectorDistance(Int)
    /// The output of a model for an input: an object, or MISSING.
    case prediction(model: ExactText, CheckedExpression)
    /// The content of a blob.
    case blob(source: Int, QueryPath)

    /// A member of an object constructor.
    public struct Member: Hashable, Sendable {
        /// Its key.
        public var key: ExactText
        /// Its value.
        public var value: CheckedExpression

        /// Creates a member.
        public init(_ key: ExactText, _ value: CheckedExpression) {
            self.key = key
            self.value = value
        }
    }

    /// One step of a calculation.
    public struct Link: Hashable, Sendable {
        /// The operation on the result so far and the operand.
        public var arithmetic: QueryArithmetic
        /// The right side.
        public var operand: CheckedExpression

        /// Creates a step.
        public init(_ arithmetic: QueryArithmetic, _ operand: CheckedExpression) {
            self.arithmetic = arithmetic
            self.operand = operand
        }
    }

    /// A `WHEN` and its `THEN`.
    public struct Branch: Hashable, Sendable {
        /// The condition, or the value that is compared with the tested one.
        public var when: CheckedExpression
        /// The result.
        public var then: CheckedExpression

        /// Creates a branch.
        public init(when: CheckedExpression, then: CheckedExpression) {
            self.when = when
            self.then = then
        }
    }
}
