import DivanJSON
import DivanQuery
import Foundation

extension PredicateExpressions.Variable: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard let part = scope.variables[key] else { throw scope.refusal(self) }
        return part
    }
}

/// A key path in a predicate.
protocol PredicateProperty {
    /// The key path as it is written, such as `\Site.address`.
    var name: String { get }
}

extension PredicateExpressions.KeyPath: PredicateProperty {
    var name: String {
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
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        let around = try scope.part(root)
        // A property of a value of the program, such as `search.isEmpty`.
        if case .value(let whole as Root.Output) = around,
            let constant = PredicatePart(constant: whole[keyPath: keyPath])
        {
            return constant
        }
        guard around.member([]) != nil else { throw scope.refusal(self) }
        if let kind { return try lowered(kind, of: around, scope) }
        if let cases = Root.Output.self as? any CaseIterable.Type, showsStoredValue(of: cases) {
            return around
        }
        switch try DocumentProperty(keyPath).place {
        case .body(let path):
            guard case .property(.body(let outer)) = around else {
                return around.member(path.steps) ?? around
            }
            let place = ModelProbe.Place.body(QueryPath(outer.steps + path.steps))
            return .property(place.identified(by: scope.idKey))
        case .documentID:
            guard case .property(.body(let outer)) = around, outer.isEmpty else {
                throw scope.refusal(self)
            }
            return .property(.documentID)
        }
    }

    /// Whether the key path shows each case of an enum as it is stored, like `rawValue`.
    private func showsStoredValue<Kind: CaseIterable>(of kind: Kind.Type) -> Bool {
        Kind.allCases.allSatisfy { value in
            guard let whole = value as? Root.Output, let written = QueryExpression.stored(value)
            else { return false }
            return written == QueryExpression.stored(whole[keyPath: keyPath])
        }
    }

    /// The length of an array, whether an array or a string is empty, or the first item of an array.
    private func lowered(
        _ kind: CommonKeyPathKind,
        of collection: PredicatePart,
        _ scope: PredicateScope
    ) throws -> PredicatePart {
        guard let operand = collection.operand else { throw scope.refusal(self) }
        let isArray = Root.Output.self is any PredicateArray.Type
        let length = QueryExpression(.call(.arrayLength, [operand]))
        switch kind {
        case .collectionCount where isArray: return .computed(length)
        case .collectionIsEmpty where isArray:
            return .condition(try .equality(length, 0, isNegated: false))
        case .collectionIsEmpty where Root.Output.self == String.self:
            return .condition(try .equality(operand, "", isNegated: false))
        case .collectionFirst where isArray && !(Root.Output.self is any PredicateSet.Type):
            return collection.member([.item(0)]) ?? collection
        default: throw scope.refusal(self)
        }
    }
}

/// A type that is stored as an array.
protocol PredicateArray {}

extension Array: PredicateArray {}
extension Set: PredicateArray {}

/// A type whose order is not that of the stored array.
private protocol PredicateSet {}

extension Set: PredicateSet {}

extension PredicateExpressions.CollectionIndexSubscript: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard case .value(let index as Int) = try scope.part(index), index >= 0,
            let item = try scope.part(wrapped).member([.item(index)])
        else { throw scope.refusal(self) }
        return item
    }
}

extension PredicateExpressions.DictionaryKeySubscript: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        guard case .value(let key as String) = try scope.part(key),
            let value = try scope.part(wrapped).member([.key(ExactText(key))])
        else { throw scope.refusal(self) }
        return value
    }
}

extension PredicateExpressions.Value: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        if let range = value as? any PredicateRange { return range.part }
        guard let part = PredicatePart(constant: value) else { throw scope.refusal(self) }
        return part
    }
}

extension PredicatePart {
    /// A value of the program; `nil` for one that documents cannot have.
    fileprivate init?(constant value: Any) {
        if let value = value as? any Encodable {
            self = .value(value)
        } else if Mirror(reflecting: value).displayStyle == .optional {
            // A cast finds no type in an optional without a value.
            self = .nothing
        } else {
            return nil
        }
    }
}

extension PredicateExpressions.NilLiteral: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart { .nothing }
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

// MARK: - Optionals

extension PredicateExpressions.OptionalFlatMap: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        let subject = try scope.part(wrapped)
        guard let operand = subject.operand else { throw scope.refusal(self) }
        var inner = scope
        inner.variables[variable.key] = subject
        switch try inner.part(transform) {
        case .condition(let condition): return .optionalCondition(condition, about: operand)
        case .computed(let value): return .computed(.when(.init(.isValued(operand)), value))
        case .value(let value):
            let constant = try QueryExpression(comparing: value)
            return .computed(.when(.init(.isValued(operand)), constant))
        case let part: return part
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        try scope.part(inner)
    }
}

extension PredicateExpressions.NilCoalesce: PredicateLowering {
    func lowered(in scope: PredicateScope) throws -> PredicatePart {
        let part = try scope.part(lhs)
        if case .optionalCondition(let condition, let subject) = part,
            case .value(let usual as Bool) = try scope.part(rhs)
        {
            let isTrue = QueryExpression.has(subject, condition, true)
            let isAbsent = QueryExpression(.not(QueryExpression(.isValued(subject))))
            return .condition(usual ? .either(isAbsent, isTrue) : isTrue)
        }
        guard let operand = part.operand else { throw scope.refusal(self) }
        return .computed(
            QueryExpression(.call(.ifMissingOrNull, [operand, try scope.operand(rhs)]))
        )
    }
}
