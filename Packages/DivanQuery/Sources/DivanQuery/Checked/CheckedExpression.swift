public import DivanJSON

/// An expression with every name looked up and every short form written out.
///
/// `SOME`, `<>`, `NOT LIKE`, `IS NOT NULL`, unary plus and the short forms of metadata are gone;
/// a collation stands at each comparison that it reaches. An `n`-ary node has two operands or
/// more.
public indirect enum CheckedExpression: Hashable, Sendable {
    /// A value.
    case literal(QueryLiteral)
    /// `$name`; MISSING when it is not bound.
    case parameter(ExactText)
    /// A part of a source's body or item; without steps, the whole.
    case property(source: Int, QueryPath)
    /// A fact about a source's document.
    case metadata(source: Int, QueryMetadataKey)
    /// An object of all those facts.
    case allMetadata(source: Int)
    /// A variable of a surrounding `quantified`, by its number in the whole statement.
    case variable(Int, QueryPath)
    /// A column of the same statement, spoken of by its alias.
    case column(Int, QueryPath)
    /// A part of the value of an expression.
    case member(of: CheckedExpression, QueryPath)
    /// An array; MISSING items are left out.
    case array([CheckedExpression])
    /// An object; MISSING members are left out, of equal keys the last one counts.
    case object([Member])
    /// Negation; MISSING stays MISSING.
    case not(CheckedExpression)
    /// The negative of a number.
    case negative(CheckedExpression)
    /// Whether all are true.
    case and([CheckedExpression])
    /// Whether one is true.
    case or([CheckedExpression])
    /// Joined text.
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
    /// Whether a value equals one of a list, which may be empty.
    case isOneOf(CheckedExpression, [CheckedExpression], QueryCollation)
    /// Whether the array that the second one is contains the first.
    case isItem(CheckedExpression, of: CheckedExpression, QueryCollation)
    /// Whether text has a pattern of `%`, `_` and `\`.
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
    /// Whether a query of its own name space has a row.
    case exists(CheckedStatement)
    /// A function; the number of arguments is right. The collation matters to `CONTAINS`.
    case call(QueryFunction, [CheckedExpression], QueryCollation)
    /// An aggregate; no argument is `COUNT(*)`. The collation matters to `MIN` and `MAX`.
    case aggregate(QueryAggregate, CheckedExpression?, QueryCollation)
    /// A full-text condition, by its position in `CheckedStatement.matches`.
    case match(Int)
    /// How well a row meets that condition.
    case rank(Int)
    /// The content of a blob.
    case blob(source: Int, QueryPath)

    /// A member of an object that is built.
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
        /// What is done with the result so far and the operand.
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
        /// The condition, or the value that the tested one is compared with.
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
