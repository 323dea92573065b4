/// An array index as a coding key.
struct IndexKey: CodingKey {
    let index: Int

    init(_ index: Int) {
        self.index = index
    }

    init(intValue: Int) {
        index = intValue
    }

    init?(stringValue: String) {
        guard let index = Int(stringValue) else { return nil }
        self.index = index
    }

    var intValue: Int? { index }
    var stringValue: String { "\(index)" }
}

/// The key under which a `Codable` class writes its superclass's part when it calls `superEncoder()`: the same as in
/// Swift's own encoders.
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
    /// Whether this is the place of the model itself, or of a superclass's part of it.
    var leadsToSuperclass: Bool { allSatisfy { $0 is SuperKey } }
}
