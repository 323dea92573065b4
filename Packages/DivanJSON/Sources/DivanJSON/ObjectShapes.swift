/// The keys that occur repeatedly in the objects of documents, by their place in the document.
///
/// Documents of a collection are similar, and so are the objects of a list. An object with the same keys as an
/// earlier object in the same place becomes a dictionary without decoding or hashing a key: the table of the
/// earlier dictionary is copied. Objects that differ from earlier objects are parsed normally, and a place where
/// this happens often is no longer tracked. Keeping the shapes for the next document only saves time; the result
/// does not depend on them.
public struct ObjectShapes: Sendable {
    /// The keys of an object, in canonical order.
    final class Shape: Sendable {
        let keys: [String]
        /// The keys as in a canonical text, with quotes and colons, one after the other.
        let spelling: [UInt8]
        /// Where each key begins there, and where the last one ends.
        let starts: [Int]
        /// The number of each member.
        let numbers: [String: Int]
        /// The slot of the objects under the first member; those of the others follow.
        let firstSlot: Int

        /// `nil` if two of the keys are equal in a dictionary, or they are too many or too long.
        init?(_ keys: [String], firstSlot: Int) {
            let byteCount = keys.reduce(0) { $0 + $1.utf8.count }
            guard 1...JSONLimits.shapeMemberCount ~= keys.count,
                byteCount <= JSONLimits.shapeKeyByteCount
            else { return nil }
            let numbers = Dictionary(zip(keys, 0...)) { first, _ in first }
            guard numbers.count == keys.count else { return nil }
            var (spelling, starts): ([UInt8], [Int]) = ([], [0])
            for key in keys {
                spelling += Array("\"\(key)\":".utf8)
                starts.append(spelling.count)
            }
            (self.keys, self.spelling, self.starts) = (keys, spelling, starts)
            (self.numbers, self.firstSlot) = (numbers, firstSlot)
        }

        fileprivate func hasKeys(_ others: [String]) -> Bool {
            keys.elementsEqual(others) { $0.hasSameBytes(as: $1) }
        }
    }

    /// The expected shape of the objects in a place.
    private struct Slot {
        var shape: Shape?
        var missCount: UInt8 = 0
    }

    /// The slot of whole documents.
    static let outermost = 0
    /// The slot of objects without an expected shape.
    static let nowhere = -1

    private var shapes: [Shape] = []
    private var slots = [Slot()]

    /// Creates an empty collection.
    public init() {}

    /// The shape that an object in a place is expected to have.
    @inline(__always)
    func expected(at slot: Int) -> Shape? {
        slot == Self.nowhere ? nil : slots[slot].shape
    }

    /// Records that an object was as expected.
    @inline(__always)
    mutating func confirm(at slot: Int) {
        if slots[slot].missCount > 0 { slots[slot].missCount -= 1 }
    }

    /// Whether the keys of an object that was not as expected should be passed to `expect`.
    func wantsKeys(at slot: Int) -> Bool {
        slot != Self.nowhere && slots[slot].missCount < JSONLimits.shapeMissCount
    }

    /// Expects these keys in a place from now on; they ascend and are spelled without escapes.
    mutating func expect(_ keys: [String], at slot: Int) {
        let wasEmpty = slots[slot].shape == nil
        if !wasEmpty { slots[slot].missCount += 1 }
        guard slots[slot].missCount < JSONLimits.shapeMissCount else {
            slots[slot].shape = nil
            return
        }
        slots[slot].shape = shape(of: keys)
        // A place with large objects is nearly given up.
        if slots[slot].shape == nil { slots[slot].missCount += 1 }
    }

    private mutating func shape(of keys: [String]) -> Shape? {
        if let known = shapes.first(where: { $0.hasKeys(keys) }) { return known }
        guard shapes.count < JSONLimits.shapeCount, let shape = Shape(keys, firstSlot: slots.count)
        else { return nil }
        shapes.append(shape)
        slots += keys.map { _ in Slot() }
        return shape
    }
}
