/// A place in an array, as a coding key.
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
