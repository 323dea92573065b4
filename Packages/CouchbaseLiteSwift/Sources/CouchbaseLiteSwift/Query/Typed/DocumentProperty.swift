import DivanJSON
import DivanQuery
import Foundation
import Synchronization

/// A model that specifies the document paths of its properties, for key paths that cannot be resolved automatically.
///
/// Declare the conformance in the file of the model: a linker may omit a file of a static library that contains only an
/// extension.
///
/// ```swift
/// extension Chair: DocumentKeyNaming {
///     static func documentKey(for keyPath: AnyKeyPath) -> String? {
///         keyPath == \Chair.price ? "offer.price" : nil
///     }
/// }
/// ```
public protocol DocumentKeyNaming {
    /// Returns the path of a property in the document, such as `address.city`; `nil` to resolve it automatically.
    ///
    /// A dot in a key is written `\.`.
    static func documentKey(for keyPath: AnyKeyPath) -> String?
}

/// The place of a model's property in its documents.
///
/// Theory of operation. Swift offers no way to get the coding key of a property, so it is found by experiment. The
/// model is decoded from a document that does not exist (`ModelProbe`), then again for each value that it read, with
/// that value changed. The values whose change a key path shows tell where it leads: to one value, or to an object or
/// array with exactly those values. The property must have the type that was read there, and show the same value;
/// otherwise it is computed, and no query can use it. The result is kept for the life of the process.
struct DocumentProperty {
    /// The source's alias, so that no property is mistaken for the source.
    static let source = ExactText("d")

    let place: ModelProbe.Place

    private struct Name: Hashable, Sendable {
        let keyPath: any AnyKeyPath & Sendable

        static func == (left: Name, right: Name) -> Bool {
            (left.keyPath as AnyKeyPath) == (right.keyPath as AnyKeyPath)
        }

        func hash(into hasher: inout Hasher) { (keyPath as AnyKeyPath).hash(into: &hasher) }
    }

    private static let found = Mutex<[Name: ModelProbe.Place]>([:])

    /// Finds the property.
    ///
    /// - Throws: `CBLError.invalidParameter` for one that is computed or cannot be found.
    init<Model: Decodable, Value>(
        _ keyPath: any KeyPath<Model, Value> & Sendable
    ) throws {
        let name = Name(keyPath: keyPath)
        if let place = Self.found.withLock({ $0[name] }) {
            self.place = place
            return
        }
        let place = try Self.place(of: keyPath)
        Self.found.withLock { $0[name] = place }
        self.place = place
    }

    /// The property as a part of a query.
    var expression: QueryExpression { place.expression }

    /// The document's ID.
    static var documentID: QueryExpression { metadata("id") }

    /// Metadata of the document.
    static func metadata(_ key: ExactText) -> QueryExpression {
        QueryExpression(.metadata(of: QueryPath([.key(source)]), key: key))
    }

    private static func place<Model: Decodable, Value>(
        of keyPath: KeyPath<Model, Value>
    ) throws -> ModelProbe.Place {
        let naming = Model.self as? any DocumentKeyNaming.Type
        if let text = naming?.documentKey(for: keyPath) {
            return .body(try translatingErrors { try QueryPath(text: text) })
        }
        do {
            let (model, record) = try ModelProbe.model(Model.self, trying: nil)
            let usual = model[keyPath: keyPath]
            var seen: [ModelProbe.Place: Bool] = [:]
            var records = [(model, record)]
            for place in record.leaves.keys {
                let (other, attempt) = try ModelProbe.model(Model.self, trying: place)
                records.append((other, attempt))
                let value = other[keyPath: keyPath]
                guard !areEqual(value, usual) else { continue }
                let leaf = attempt.leaves[place].flatMap { $0 as? Value }
                seen[place] = leaf.map { areEqual($0, value) } ?? false
            }
            // A property with an offset is stored.
            let isStored = MemoryLayout<Model>.offset(of: keyPath) != nil
            if let place = common(seen, Value.self, record) {
                if isStored { return place }
                let isSingle = record.types[place]?.count == 1 && record.leaves[place] != nil
                let isUnchanged =
                    isSingle
                    ? seesOdd(at: place, keyPath, record)
                    : Model.self is AnyObject.Type && shows(at: place, keyPath, records)
                if isUnchanged { return place }
            }
        } catch {
            throw refusal(
                Model.self,
                "it cannot be decoded from sample values: \(error)"
            )
        }
        throw refusal(
            Model.self,
            "it is computed, an array item, or of a type whose values cannot be compared"
        )
    }

    /// Whether a key path of a class, which may be computed, shows what was decoded at a place in each attempt.
    private static func shows<Model: Decodable, Value>(
        at place: ModelProbe.Place,
        _ keyPath: KeyPath<Model, Value>,
        _ attempts: [(Model, ModelProbe.Record)]
    ) -> Bool {
        attempts.allSatisfy { model, record in
            (record.values[place] as? Value).map { areEqual($0, model[keyPath: keyPath]) } ?? false
        }
    }

    /// Whether a key path that may be computed, as any of a class or wrapper may, also shows negative, large and
    /// fractional numbers and dates unchanged.
    private static func seesOdd<Model: Decodable, Value>(
        at place: ModelProbe.Place,
        _ keyPath: KeyPath<Model, Value>,
        _ record: ModelProbe.Record
    ) -> Bool {
        guard record.types[place]?.count == 1 else { return true }
        return [-2.53125, 1_000_003.65625].allSatisfy { value in
            // A model may refuse them.
            guard let (odd, attempt) = try? ModelProbe.model(Model.self, trying: place, as: value),
                let leaf = attempt.leaves[place]
            else { return true }
            return (leaf as? Value).map { areEqual($0, odd[keyPath: keyPath]) } ?? false
        }
    }

    /// Whether two values are equal; by their members, as they print, if their type is not `Equatable`.
    private static func areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
        func compare<Known: Equatable>(_ known: Known) -> Bool { known == right as? Known }
        if let known = left as? any Equatable { return compare(known) }
        return String(reflecting: left) == String(reflecting: right)
    }

    /// The place, of a type, that contains exactly the values that were seen to change.
    private static func common<Value>(
        _ seen: [ModelProbe.Place: Bool],
        _ type: Value.Type,
        _ record: ModelProbe.Record
    ) -> ModelProbe.Place? {
        if let place = seen.first?.key, seen.count == 1, fits(type, at: place, record) {
            let isLeaf = record.types[place]?.count == 1
            guard place.isNamed, !isLeaf || seen[place] == true else { return nil }
            return place
        }
        return record.types.keys.first { place in
            guard place.isNamed, !record.leaves.keys.contains(place), fits(type, at: place, record)
            else { return false }
            return Set(record.leaves.keys.filter { place.holds($0) }) == Set(seen.keys)
        }
    }

    /// Whether a type, or the type that it wraps as an optional, was read at a place.
    private static func fits(
        _ type: Any.Type,
        at place: ModelProbe.Place,
        _ record: ModelProbe.Record
    ) -> Bool {
        record.types[place]?.contains { $0 == type || optional($0) == type } ?? false
    }

    private static func optional<Wrapped>(_: Wrapped.Type) -> Any.Type { Wrapped?.self }

    private static func refusal(_ model: Any.Type, _ reason: String) -> NSError {
        NSError(
            CBLError.invalidParameter,
            "unsupported key path of \(model): \(reason); use a stored property, or write the query in SQL++"
        )
    }
}

extension ModelProbe.Place {
    /// The value there, as a part of a query.
    var expression: QueryExpression {
        switch self {
        case .documentID: DocumentProperty.documentID
        case .body(let path):
            QueryExpression(.property(QueryPath([.key(DocumentProperty.source)] + path.steps)))
        }
    }

    /// The document's ID if this is the place of `key`, and otherwise this place.
    func identified(by key: String?) -> ModelProbe.Place {
        guard let key, self == .body(QueryPath([.key(ExactText(key))])) else { return self }
        return .documentID
    }

    /// Whether it is neither an item of an array nor inside one.
    fileprivate var isNamed: Bool {
        guard case .body(let path) = self else { return true }
        return path.steps.allSatisfy { if case .key = $0 { true } else { false } }
    }

    /// Whether another place is inside this one.
    fileprivate func holds(_ other: ModelProbe.Place) -> Bool {
        guard case .body(let path) = self, case .body(let inner) = other else { return false }
        return inner.steps.starts(with: path.steps)
    }
}
