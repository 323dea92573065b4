@_spi(Modern) internal import CouchbaseLiteSwift

/// A sort order for the documents of a query.
///
/// In ascending order, documents without the property come first, then numbers, strings and null.
public struct DocumentOrder<Model: Decodable>: Sendable {
    let official: OfficialOrder<Model>

    /// Sorts by a property in ascending order.
    public static func ascending<Value: Comparable>(
        _ property: any KeyPath<Model, Value> & Sendable
    ) -> Self {
        Self(official: .by(property, isDescending: false, idKey: Model.idKey))
    }

    /// Sorts by an optional property in ascending order, after documents without a value.
    public static func ascending<Value: Comparable>(
        _ property: any KeyPath<Model, Value?> & Sendable
    ) -> Self {
        Self(official: .by(property, isDescending: false, idKey: Model.idKey))
    }

    /// Sorts by a property in descending order.
    public static func descending<Value: Comparable>(
        _ property: any KeyPath<Model, Value> & Sendable
    ) -> Self {
        Self(official: .by(property, isDescending: true, idKey: Model.idKey))
    }

    /// Sorts by an optional property in descending order, before documents without a value.
    public static func descending<Value: Comparable>(
        _ property: any KeyPath<Model, Value?> & Sendable
    ) -> Self {
        Self(official: .by(property, isDescending: true, idKey: Model.idKey))
    }

    /// Sorts by a property with a name, such as `address.city`, in ascending order.
    ///
    /// For ``Document``, and for properties that the type does not have.
    public static func ascending(_ path: String) -> Self {
        Self(official: .by(path, isDescending: false, idKey: Model.namedIDKey))
    }

    /// Sorts by a property with a name, such as `address.city`, in descending order.
    ///
    /// For ``Document``, and for properties that the type does not have.
    public static func descending(_ path: String) -> Self {
        Self(official: .by(path, isDescending: true, idKey: Model.namedIDKey))
    }

    /// Sorts by the bytes of the document ID.
    public static var byID: Self { Self(official: .byID) }
}

extension Decodable {
    /// The key that stands for the document's ID in queries; `nil` if the type has none.
    static var idKey: String? { Self.self is any Identifiable.Type ? "id" : nil }

    /// The same where properties are given by their names: a ``Document`` may have a property `id`.
    static var namedIDKey: String? { Self.self == Document.self ? nil : idKey }
}
