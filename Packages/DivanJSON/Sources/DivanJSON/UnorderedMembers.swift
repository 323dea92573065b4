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
        // Stable (as Swift's sort is), so that the last of equal keys stays last.
        entries.sort { $0.key.precedesByBytes($1.key) }
        let hasEqualKeys = zip(entries, entries.dropFirst()).contains { first, second in
            first.key.hasSameBytes(as: second.key)
        }
        guard hasEqualKeys else { return entries }
        var distinct: [JSONObject.Entry] = []
        for entry in entries {
            if let last = distinct.last, last.key.hasSameBytes(as: entry.key) {
                distinct.removeLast()
            }
            distinct.append(entry)
        }
        return distinct
    }
}
