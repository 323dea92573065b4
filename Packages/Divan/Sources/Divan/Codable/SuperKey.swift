/// The key under which a class that is `Codable` writes what its superclass holds, when it asks
/// for `superEncoder()`: the one that Swift's own encoders use.
struct SuperKey: CodingKey {
    init() {}

    init?(stringValue: String) {
        guard stringValue == "super" else { return nil }
    }

    init?(intValue: Int) { nil }

    var stringValue: String { "super" }
    var intValue: Int? { nil }
}

extension [any CodingKey] {
    /// Whether this is the place of the model itself, or of a superclass's share of it.
    var leadsToSuperclass: Bool { allSatisfy { $0 is SuperKey } }
}
