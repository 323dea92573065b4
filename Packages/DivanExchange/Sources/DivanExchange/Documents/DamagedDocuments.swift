/// Documents that could not be read, and are not part of an export or a dump.
public struct DamagedDocuments: Sendable {
    /// How many there are.
    public private(set) var count = 0
    /// The first of them, each as `collection/ID`; at most ``ExchangeLimits/namedDamageCount``.
    public private(set) var names: [String] = []

    /// Creates an empty list.
    public init() {}

    /// Adds a document, with its collection under the name that peers use.
    public mutating func add(_ id: String, in collection: String) {
        count += 1
        if count <= ExchangeLimits.namedDamageCount { names.append("\(collection)/\(id)") }
    }
}
