public import DivanJSON

/// An expression as written, with its position.
///
/// Names are unresolved; see `CheckedExpression`. Two expressions are equal if they have the same form, regardless
/// of their positions.
public struct QueryExpression: Sendable {
    /// The form.
    public var form: Form
    /// Where it begins; `nil` if there is no text.
    public var place: QueryPosition?

    /// Creates an expression.
    public init(_ form: Form, at place: QueryPosition? = nil) {
        self.form = form
        self.place = place
    }

    /// The forms of expressions.
    public indirect enum Form: Hashable, Sendable {
        /// A value.
        case literal(QueryLiteral)
        /// `$name`.
        case parameter(ExactText)
        /// A property; the first keys may be the name of a source or of a column.
        case property(QueryPath)
        /// `*` or `source.*`: a complete body.
        case everything(of: QueryPath)
        /// A variable of `ANY` or `EVERY`, its name first.
        case variable(QueryPath)
        /// `META()`, `META(source)`, or one of its keys.
        case metadata(of: QueryPath, key: ExactText?)
        /// A part of the value of an expression.
        case member(of: QueryExpression, QueryPath)
        /// `[a, b]`.
        case array([QueryExpression])
        /// `{'a': b}`.
        case object([Member])
        /// `NOT a`.
        case not(QueryExpression)
        /// `-a`.
        case negative(QueryExpression)
        /// `+a`.
        case positive(QueryExpression)
        /// `a AND b AND c`.
        case and([QueryExpression])
        /// `a OR b OR c`.
        case or([QueryExpression])
        /// `a || b || c`.
        case concatenation([QueryExpression])
        /// `a + b - c`: one number, then others from left to right.
        case arithmetic(QueryExpression, [Link])
        /// `a = b` and the like.
        case comparison(QueryComparison, QueryExpression, QueryExpression)
        /// `a IS VALUED`.
        case isValued(QueryExpression)
        /// `a BETWEEN b AND c`.
        case between(QueryExpression, QueryExpression, QueryExpression)
        /// `a IN (b, c)`, `a IN b`, or `NOT IN`; a list is an `array`.
        case isIn(QueryExpression, QueryExpression, isNegated: Bool)
        /// `a LIKE b`.
        case like(QueryExpression, QueryExpression)
        /// `ANY v IN a SATISFIES b END` and the like.
        case quantified(
            QueryQuantifier,
            variable: ExactText,
            in: QueryExpression,
            satisfies: QueryExpression
        )
        /// `CASE a WHEN b THEN c ELSE d END`.
        case choice(QueryExpression?, [Branch], otherwise: QueryExpression?)
        /// `EXISTS (SELECT …)`.
        case exists(QueryStatement)
        /// `EXISTS` of the JSON form with an operand other than a query: whether it has a value.
        case hasValue(QueryExpression)
        /// `a COLLATE b`.
        case collated(QueryExpression, QueryCollationChange)
        /// A function with its arguments.
        case call(QueryFunction, [QueryExpression])
        /// An aggregate; without an argument it is `COUNT(*)`.
        ///
        /// With `DISTINCT`, equal values count once.
        case aggregate(QueryAggregate, QueryExpression?, isDistinct: Bool = false)
        /// `MATCH(index, text)`; the index may follow the name of a source.
        case match(index: QueryPath, QueryExpression)
        /// `RANK(index)`.
        case rank(index: QueryPath)
        /// `APPROX_VECTOR_DISTANCE(a, b, …)`, two to five arguments.
        case vectorDistance([QueryExpression])
        /// `PREDICTION(model, input)`: the output of a model of the application.
        case prediction(model: ExactText, QueryExpression)
        /// The content of a blob; only in the JSON form.
        case blob(QueryPath)
        /// A value that a query cannot contain; a query with it is rejected for this reason.
        case refused(reason: String)
    }

    /// A member of an object constructor.
    public struct Member: Hashable, Sendable {
        /// Its key.
        public var key: ExactText
        /// Its value; if it is MISSING, the member is omitted.
        public var value: QueryExpression

        /// Creates a member.
        public init(_ key: ExactText, _ value: QueryExpression) {
            self.key = key
            self.value = value
        }
    }

    /// One step of a calculation.
    public struct Link: Hashable, Sendable {
        /// The operation on the result so far and the operand.
        public var arithmetic: QueryArithmetic
        /// The right side.
        public var operand: QueryExpression

        /// Creates a step.
        public init(_ arithmetic: QueryArithmetic, _ operand: QueryExpression) {
            self.arithmetic = arithmetic
            self.operand = operand
        }
    }

    /// A `WHEN` and its `THEN`.
    public struct Branch: Hashable, Sendable {
        /// The condition, or the value that is compared with the tested one.
        public var when: QueryExpression
        /// The result.
        public var then: QueryExpression

        /// Creates a branch.
        public init(when: QueryExpression, then: QueryExpression) {
            self.when = when
            self.then = then
        }
    }
}

extension QueryExpression {
    /// The name of the function that calls a model.
    static let predictionName = "PREDICTION"
}

extension QueryExpression: Hashable {
    /// Whether both have the same form.
    public static func == (left: QueryExpression, right: QueryExpression) -> Bool {
        left.form == right.form
    }

    /// Hashes the same content that equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(form)
    }
}
