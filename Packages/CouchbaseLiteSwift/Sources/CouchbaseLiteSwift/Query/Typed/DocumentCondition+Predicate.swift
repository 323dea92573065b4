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
    /// Supported are comparisons of stored properties with values (`==`, `!=`, `<`, `<=`, `>`, `>=`), tests for a
    /// prefix or a part of a string, for an array item, for one of several values and for a range, `isEmpty`, the
    /// `count` of an array, optionals with `?.`, `!` and `??`, and combinations with `&&`, `||` and `!`. For anything
    /// else, the query throws an error when it runs. `!` on an optional without a value is not an error: the comparison
    /// is false.
    public init(_ predicate: Predicate<Model>) {
        self.init(predicate, idKey: nil)
    }

    /// Creates a condition from a predicate; a property stored under `idKey` stands for the document's ID.
    @_spi(Modern) public init(_ predicate: Predicate<Model>, idKey: String?) {
        self.init {
            let whole = ModelProbe.Place.body(QueryPath())
            let scope = PredicateScope(places: [predicate.variable.key: whole], idKey: idKey)
            return try scope.condition(predicate.expression)
        }
    }
}

/// A part of a predicate, translated for a query.
private enum PredicatePart {
    /// A stored property, or the model itself.
    case property(ModelProbe.Place)
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

    /// The part as an operand of comparisons.
    var operand: QueryExpression? {
        switch self {
        case .property(let place): place.expression
        case .computed(let expression): expression
        default: nil
        }
    }
}

/// A part of a predicate that a query supports; conformances follow, one for each of Foundation's types.
private protocol PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart
}

/// The meaning of the variables around a part of a predicate.
private struct PredicateScope {
    var places: [PredicateExpressions.VariableID: ModelProbe.Place]
    /// The key under which a model has the document's ID; `nil` if it has none.
    var idKey: String?

    func part(_ expression: any PredicateExpression) throws -> PredicatePart {
        guard let known = expression as? any PredicateLowering else { throw refusal(expression) }
        return try known.lowered(in: self)
    }

    func condition(_ expression: any PredicateExpression) throws -> QueryExpression {
        switch try part(expression) {
        case .condition(let condition): return condition
        case .property(let place): return try .equality(place.expression, true, isNegated: false)
        case .computed(let expression): return try .equality(expression, true, isNegated: false)
        case .value(let value as Bool): return QueryExpression(.literal(.boolean(value)))
        default: throw refusal(expression)
        }
    }

    func equality(
        _ left: any PredicateExpression,
        _ right: any PredicateExpression,
        isNegated: Bool
    ) throws -> PredicatePart {
        let (first, second) = (try part(left), try part(right))
        for (side, other) in [(first, second), (second, first)] {
            switch (side, other) {
            case (.optionalCondition(let condition, let subject), .value(let value as Bool)):
                let isEqual = QueryExpression.has(subject, condition, value)
                return .condition(isNegated ? .isNotTrue(isEqual) : isEqual)
            case (.optionalCondition(_, let subject), .nothing):
                return .condition(try .equality(subject, Bool?.none, isNegated: isNegated))
            case (.condition(let condition), .value(let value as Bool)):
                let literal = QueryExpression(.literal(.boolean(value)))
                return .condition(
                    QueryExpression(.comparison(isNegated ? .notSame : .same, condition, literal))
                )
            case (_, .value(let value)):
                guard let operand = side.operand else { continue }
                return .condition(try .equality(operand, value, isNegated: isNegated))
            case (_, .nothing):
                guard let operand = side.operand else { continue }
                return .condition(try .equality(operand, Bool?.none, isNegated: isNegated))
            default: continue
            }
        }
        throw refusal(left, "does not compare a stored property with a value")
    }

    func order(
        _ left: any PredicateExpression,
        _ comparison: QueryComparison,
        _ right: any PredicateExpression
    ) throws -> PredicatePart {
        let (first, second) = (try part(left), try part(right))
        if let operand = first.operand, case .value(let value) = second {
            return .condition(try .order(operand, comparison, value))
        }
        if let operand = second.operand, case .value(let value) = first {
            return .condition(try .order(operand, comparison.mirrored, value))
        }
        throw refusal(left, "does not compare a stored property with a value")
    }

    func range(
        _ whole: any PredicateExpression,
        _ lower: any PredicateExpression,
        _ upper: any PredicateExpression,
        isClosed: Bool
    ) throws -> PredicatePart {
        guard case .value(let low) = try part(lower), case .value(let high) = try part(upper)
        else { throw refusal(whole) }
        return .range(low, high, isClosed: isClosed)
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
        "Filter": "filter", "NilCoalesce": "??", "SequenceAllSatisfy": "allSatisfy",
        "SequenceContainsWhere": "contains(where:)", "SequenceMaximum": "max()",
        "SequenceMinimum": "min()", "StringCaseInsensitiveCompare": "caseInsensitiveCompare",
        "StringContainsRegex": "contains(Regex)",
        "StringLocalizedCompare": "localizedCompare",
        "StringLocalizedStandardContains": "localizedStandardContains", "TypeCheck": "is",
        "UnaryMinus": "-", "Value": "the value", "Variable": "the document",
    ]
}

extension QueryExpression {
    /// Whether a value is there, and a condition about it is true, or false.
    fileprivate static func has(
        _ subject: QueryExpression,
        _ condition: QueryExpression,
        _ value: Bool
    ) -> QueryExpression {
        let literal = QueryExpression(.literal(.boolean(value)))
        return .both(
            QueryExpression(.isValued(subject)),
            QueryExpression(.comparison(.same, condition, literal))
        )
    }
}

extension QueryComparison {
    /// The comparison with its sides swapped.
    fileprivate var mirrored: QueryComparison {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .equal, .notEqual, .same, .notSame: self
        }
    }
}

// MARK: - Variables and values

extension PredicateExpressions.Variable: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard let place = scope.places[key] else { throw scope.refusal(self) }
        return .property(place)
    }
}

/// A key path in a predicate.
private protocol PredicateProperty {
    /// The key path as it is written, such as `\Site.address`.
    var name: String { get }
}

extension PredicateExpressions.KeyPath: PredicateProperty {
    fileprivate var name: String {
        switch kind {
        case .collectionCount: "count"
        case .collectionIsEmpty: "isEmpty"
        case .collectionFirst: "first"
        case .bidirectionalCollectionLast: "last"
        default: "\(keyPath)".contains("<computed") ? "a computed property" : "\(keyPath)"
        }
    }
}

extension PredicateExpressions.KeyPath: PredicateLowering where Root.Output: Decodable {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard case .property(.body(let around)) = try scope.part(root) else {
            throw scope.refusal(self)
        }
        if let kind {
            return try lowered(kind, of: ModelProbe.Place.body(around).expression, scope)
        }
        switch try DocumentProperty(keyPath).place {
        case .body(let path):
            let place = ModelProbe.Place.body(QueryPath(around.steps + path.steps))
            return .property(place.identified(by: scope.idKey))
        case .documentID where around.isEmpty: return .property(.documentID)
        case .documentID: throw scope.refusal(self)
        }
    }

    /// The length of an array, or whether an array or a string is empty.
    private func lowered(
        _ kind: CommonKeyPathKind,
        of collection: QueryExpression,
        _ scope: PredicateScope
    ) throws -> PredicatePart {
        let length = QueryExpression(.call(.arrayLength, [collection]))
        let isArray = Root.Output.self is any PredicateArray.Type
        switch kind {
        case .collectionCount where isArray: return .computed(length)
        case .collectionIsEmpty where isArray:
            return .condition(try .equality(length, 0, isNegated: false))
        case .collectionIsEmpty where Root.Output.self == String.self:
            return .condition(try .equality(collection, "", isNegated: false))
        default: throw scope.refusal(self)
        }
    }
}

/// A type that is stored as an array.
private protocol PredicateArray {}

extension Array: PredicateArray {}
extension Set: PredicateArray {}

extension PredicateExpressions.Value: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        if let range = value as? any PredicateRange { return range.part }
        if let value = value as? any Encodable { return .value(value) }
        // A cast finds no type in an optional without a value.
        guard Mirror(reflecting: value).displayStyle == .optional else {
            throw scope.refusal(self)
        }
        return .nothing
    }
}

extension PredicateExpressions.NilLiteral: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart { .nothing }
}

// MARK: - Conditions

extension PredicateExpressions.Conjunction: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        .condition(.both(try scope.condition(lhs), try scope.condition(rhs)))
    }
}

extension PredicateExpressions.Disjunction: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        .condition(.either(try scope.condition(lhs), try scope.condition(rhs)))
    }
}

extension PredicateExpressions.Negation: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        .condition(.isNotTrue(try scope.condition(wrapped)))
    }
}

extension PredicateExpressions.Equal: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        try scope.equality(lhs, rhs, isNegated: false)
    }
}

extension PredicateExpressions.NotEqual: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        try scope.equality(lhs, rhs, isNegated: true)
    }
}

extension PredicateExpressions.Comparison: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        switch op {
        case .lessThan: try scope.order(lhs, .less, rhs)
        case .lessThanOrEqual: try scope.order(lhs, .lessOrEqual, rhs)
        case .greaterThan: try scope.order(lhs, .greater, rhs)
        case .greaterThanOrEqual: try scope.order(lhs, .greaterOrEqual, rhs)
        @unknown default: throw scope.refusal(self)
        }
    }
}

// MARK: - Optionals

extension PredicateExpressions.OptionalFlatMap: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard case .property(let place) = try scope.part(wrapped) else {
            throw scope.refusal(self)
        }
        var inner = scope
        inner.places[variable.key] = place
        let part = try inner.part(transform)
        guard case .condition(let condition) = part else { return part }
        return .optionalCondition(condition, about: place.expression)
    }
}

extension PredicateExpressions.ForcedUnwrap: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        try scope.part(inner)
    }
}

extension PredicateExpressions.NilCoalesce: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard case .value(let value) = try scope.part(rhs) else { throw scope.refusal(self) }
        let part = try scope.part(lhs)
        if case .optionalCondition(let condition, let subject) = part, let usual = value as? Bool {
            let isTrue = QueryExpression.has(subject, condition, true)
            let isAbsent = QueryExpression(.not(QueryExpression(.isValued(subject))))
            return .condition(usual ? .either(isAbsent, isTrue) : isTrue)
        }
        guard let operand = part.operand else { throw scope.refusal(self) }
        let usual = try QueryExpression(comparing: value)
        return .computed(QueryExpression(.call(.ifMissingOrNull, [operand, usual])))
    }
}

// MARK: - Texts, arrays and ranges

extension PredicateExpressions.SequenceStartsWith: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard let text = try scope.part(base).operand,
            case .value(let prefix as String) = try scope.part(self.prefix)
        else { throw scope.refusal(self) }
        return .condition(.like(text, QueryExpression.escaping(prefix) + "%"))
    }
}

extension PredicateExpressions.CollectionContainsCollection: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard let text = try scope.part(base).operand,
            case .value(let part as String) = try scope.part(other)
        else { throw scope.refusal(self) }
        return .condition(.like(text, "%" + QueryExpression.escaping(part) + "%"))
    }
}

extension PredicateExpressions.SequenceContains: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        switch (try scope.part(sequence), try scope.part(element)) {
        case (.property(let place), .value(let item)):
            let item = try QueryExpression(comparing: item)
            return .condition(
                QueryExpression(.isIn(item, place.expression, isNegated: false))
            )
        case (.value(let values), let side):
            let list = try QueryExpression(comparing: values)
            guard let operand = side.operand, case .array(let items) = list.form else {
                throw scope.refusal(self)
            }
            return .condition(.isOne(of: items, operand))
        default: throw scope.refusal(self)
        }
    }
}

extension PredicateExpressions.RangeExpressionContains: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard case .range(let low, let high, let isClosed) = try scope.part(range),
            let operand = try scope.part(element).operand
        else { throw scope.refusal(self) }
        let bounds = [
            try QueryExpression.order(operand, .greaterOrEqual, low),
            try QueryExpression.order(operand, isClosed ? .lessOrEqual : .less, high),
        ]
        return .condition(QueryExpression(.and(bounds)))
    }
}

extension PredicateExpressions.ClosedRange: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        try scope.range(self, lower, upper, isClosed: true)
    }
}

extension PredicateExpressions.Range: PredicateLowering {
    fileprivate func lowered(in scope: PredicateScope) throws -> PredicatePart {
        try scope.range(self, lower, upper, isClosed: false)
    }
}

private protocol PredicateRange {
    var part: PredicatePart { get }
}

extension Swift.ClosedRange: PredicateRange where Bound: Encodable {
    fileprivate var part: PredicatePart { .range(lowerBound, upperBound, isClosed: true) }
}

extension Swift.Range: PredicateRange where Bound: Encodable {
    fileprivate var part: PredicatePart { .range(lowerBound, upperBound, isClosed: false) }
}
