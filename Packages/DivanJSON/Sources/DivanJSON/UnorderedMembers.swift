/// The members of an object while they are collected, in any order.
///
/// `JSONObject` sorts them once, so adding a member takes constant time.
public struct UnorderedMembers: Sendable {
    private var entries: [JSONObject.Entry] = []

    /// Creates an empty list with memory for `capacity` members.
    public init(minimumCapacity capacity: Int = 0) {
        entries.reserveCapacity(capacity)
    }

    /// Adds a member; if a key occurs twice, the last value is used.
    public mutating func append(_ value: JSON, forKey key: String) {
        entries.append(JSONObject.Entry(key: key, value: value))
    }

    /// The members in canonical order, each key once.
    consuming func ordered() -> [JSONObject.Entry] {
        entries.sortByKey()
        entries.keepLastOfEqualKeys()
        return entries
    }
}

extension [JSONObject.Entry] {
    /// Sorts by the bytes of the keys; stable, so that the last of equal keys stays last.
    fileprivate mutating func sortByKey() {
        guard count <= 16 else {
            // Stable, as Swift's sort is.
            sort { $0.key.precedesByBytes($1.key) }
            return
        }
        // Few members are swapped in place: sorting with a buffer copies each of them twice.
        withUnsafeMutableBufferPointer { entries in
            for end in entries.indices.dropFirst() {
                var offset = end
                while offset > 0, entries[offset].key.precedesByBytes(entries[offset - 1].key) {
                    entries.swapAt(offset, offset - 1)
                    offset -= 1
                }
            }
        }
    }

    /// Drops all but the last of members with the same key; they are sorted, equal ones in their original order.
    mutating func keepLastOfEqualKeys() {
        guard count > 1 else { return }
        var kept = 0
        for offset in indices.dropFirst() {
            if !self[kept].key.hasSameBytes(as: self[offset].key) { kept += 1 }
            if kept != offset { self[kept] = self[offset] }
        }
        removeSubrange((kept + 1)...)
    }
}
