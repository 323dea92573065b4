/// The worst input for one reader, in any size.
///
/// A run is prepared outside the measured time, and used once.
public struct Shape: Sendable {
    /// The reader: a decoder or the handler of a message.
    public let reader: String
    /// Its input.
    public let input: String
    /// The initial size; it is doubled until a run takes long enough to be timed.
    let size: Int
    /// The largest permitted eightfold size: what the reader's own bounds accept.
    let largest: Int
    let prepare: @Sendable (Int) throws -> () throws -> Void

    init(
        _ reader: String,
        _ input: String,
        from size: Int,
        to largest: Int = 4 << 20,
        _ prepare: @escaping @Sendable (Int) throws -> () throws -> Void
    ) {
        self.reader = reader
        self.input = input
        self.size = size
        self.largest = largest
        self.prepare = prepare
    }

    /// All shapes.
    public static let all: [Shape] =
        jsonShapes + deltaShapes + storeShapes + blipShapes + webSocketShapes + httpShapes
        + textShapes + conflictShapes
        + passiveShapes + bodyShapes + treeShapes + activeShapes
}

extension Shape {
    /// A reader that compares each item with every other one, for the test of the measurement.
    public static let quadratic = Shape("nobody", "items compared with each other", from: 200) {
        count in
        let items = (0..<min(count, 8_000)).map { $0 &* 31 % 1_009 }
        return {
            var equalCount = 0
            for item in items { for other in items where other == item { equalCount += 1 } }
            guard equalCount >= items.count else { throw Unexpected(what: "an item unlike itself") }
        }
    }
}
