import DivanJSON
import DivanQuery
public import Foundation

extension DocumentCondition {
    /// Creates a condition from a predicate.
    ///
    /// ```swift
    /// let plain = #Predicate<Chair> { $0.seats == 1 && $0.name.starts(with: "O") }
    /// let chairs = collection.documents(of: Chair.self, where: DocumentCondition(plain))
    /// ```
    ///
    /// Supported are:
    ///
    /// - comparisons of stored properties with values and with each other (`==`, `!=`, `<`, `<=`, `>`, `>=`),
    ///   calculations with `+`, `-`, `*`, `/` and `%`, and `rawValue` of a `CaseIterable` enum
    /// - conditions with `&&`, `||`, `!` and `?:`, and optionals with `?.`, `!` and `??`
    /// - of text: `starts(with:)`, `contains(_:)` and `isEmpty`
    /// - of arrays: `contains(_:)`, `contains(where:)`, `allSatisfy(_:)`, `isEmpty`, `count`, `min()` and
    ///   `max()` of numbers, `first`, and a constant index
    /// - of dictionaries: a constant key
    /// - of values: `contains(_:)` of an array or a range with a stored property
    ///
    /// For anything else, the query throws an error when it runs. `!` on an absent value, an index past the end of an
    /// array, and division by zero evaluate to `nil`.
    public init(_ predicate: Predicate<Model>) {
        self.init(predicate, idKey: nil)
    }

    /// Creates a condition from a predicate; a property stored under `idKey` stands for the document's ID.
    @_spi(Modern) public init(_ predicate: Predicate<Model>, idKey: String?) {
        self.init {
            let whole = PredicatePart.property(.body(QueryPath()))
            let scope = PredicateScope(variables: [predicate.variable.key: whole], idKey: idKey)
            return try scope.condition(predicate.expression)
        }
    }
}

/// A part of a predicate, translated for a query.
enum PredicatePart {
    /// A stored property, or the model itself.
    case property(ModelProbe.Place)
    /// An item of an array that a condition is tried with, or a part of it; the name of its variable first.
    case item(QueryPath)
    /// A value computed from one.
    case computed(QueryExpression)
    /// A value of the program.
    case value(any Encodable)
    /// A literal `nil`.
    case nothing
    /// A range of values, with or without its upper bound.
    case range(any Encodable, any Encodable, isClosed: Bool)
    /// A condition.
    case condition(QueryExpression)
    /// A condition about an optional value, which is `nil` without that value.
    case optionalCondition(QueryExpression, about: QueryExpression)

    /// Whether it is a value of the program.
    var isConstant: Bool {
        switch self {
        case .value, .nothing: true
        default: false
        }
    }

    /// The part as an operand of comparisons, if it is stored or computed from what is stored.
    var operand: QueryExpression? {
        switch self {
        case .property(let place): place.expression
        case .item(let path): QueryExpression(.variable(path))
        case .computed(let expression): expression
        default: nil
        }
    }

    /// A part of a stored value; `nil` if this is none.
    func member(_ steps: [QueryPath.Step]) -> PredicatePart? {
        switch self {
        case .property(.body(let path)): .property(.body(QueryPath(path.steps + steps)))
        case .item(let path): .item(QueryPath(path.steps + steps))
        default: nil
        }
    }
}

/// A part of a predicate that a query supports; one conformance for each of Foundation's types.
protocol PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart
}

/// The meaning of the variables around a part of a predicate.
struct PredicateScope {
    var variables: [PredicateExpressions.VariableID: PredicatePart]
    /// The key under which a model has the document's ID; `nil` if it has none.
    var idKey: String?
    /// The number of enclosing conditions on items of arrays.
    private var depth = 0

    init(variables: [PredicateExpressions.VariableID: PredicatePart], idKey: String?) {
        self.variables = variables
        self.idKey = idKey
    }

    /// The scope of a condition on the items of an array, and the name of the item in queries.
    func binding(_ variable: PredicateExpressions.VariableID) -> (PredicateScope, ExactText) {
        var inner = self
        inner.depth += 1
        let name = ExactText("item\(inner.depth)")
        inner.variables[variable] = .item(QueryPath([.key(name)]))
        return (inner, name)
    }

    func part(_ expression: any PredicateExpression) throws -> PredicatePart {
        guard let known = expression as? any PredicateLowering else { throw refusal(expression) }
        return try known.lowered(in: self)
    }

    func condition(_ expression: any PredicateExpression) throws -> QueryExpression {
        let part = try part(expression)
        if case .condition(let condition) = part { return condition }
        if case .value(let value as Bool) = part {
            return QueryExpression(.literal(.boolean(value)))
        }
        guard let operand = part.operand else { throw refusal(expression) }
        return try .equality(operand, true, isNegated: false)
    }

    /// A part as an operand of a calculation: a stored value, or one of the program.
    func operand(_ expression: any PredicateExpression) throws -> QueryExpression {
        try operand(part(expression), of: expression)
    }

    /// The same for a part that is already translated: translating both sides again at each level would take time that
    /// doubles with each level.
    func operand(
        _ part: PredicatePart,
        of expression: any PredicateExpression
    ) throws -> QueryExpression {
        if case .value(let value) = part { return try QueryExpression(comparing: value) }
        if case .nothing = part { return QueryExpression(.literal(.null)) }
        guard let operand = part.operand else { throw refusal(expression) }
        return operand
    }

    func refusal(
        _ expression: any PredicateExpression,
        _ reason: String = "cannot be converted to a query"
    ) -> NSError {
        NSError(
            CBLError.invalidParameter,
            "\(name(of: expression)) in a predicate \(reason); compare stored properties with "
                + "values, or write the query in SQL++"
        )
    }

    /// What the program has written for a part of a predicate, as far as it is known.
    private func name(of expression: any PredicateExpression) -> String {
        if let property = expression as? any PredicateProperty { return property.name }
        let type = String("\(type(of: expression))".prefix { $0 != "<" })
        return Self.names[type] ?? type
    }

    private static let names = [
        "Arithmetic": "arithmetic", "CollectionIndexSubscript": "[index]",
        "Conditional": "if and ?:", "ConditionalCast": "as?", "DictionaryKeySubscript": "[key]",
        "Filter": "filter", "FloatDivision": "/", "IntDivision": "/", "IntRemainder": "%",
        "NilCoalesce": "??", "SequenceAllSatisfy": "allSatisfy",
        "SequenceContainsWhere": "contains(where:)", "SequenceMaximum": "max()",
        "SequenceMinimum": "min()", "StringContainsRegex": "contains(Regex)", "TypeCheck": "is",
        "UnaryMinus": "-", "Value": "the value", "Variable": "the document",
    ]
}
