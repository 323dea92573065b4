/// The members of a JSON object in canonical order: by the UTF-8 bytes of their keys.
///
/// So canonical writing needs no sorting, two objects are compared in one pass, and a lookup is a binary search. A
/// key occurs once. Setting a new key moves the members after it; build large objects with `init(_:)`, which sorts
/// once.
///
/// Source: `revisions.md` §2 (order).
public struct JSONObject: Sendable {
    /// A key and its value.
    public typealias Member = (key: String, value: JSON)

    /// A member as it is stored; unlike a tuple it is freed without looking up its type.
    struct Entry: Sendable {
        let key: String
        var value: JSON
    }

    private(set) var entries: [Entry]

    /// Creates an object without members.
    public init() {
        entries = []
    }

    /// Creates an object from members in any order; if a key occurs twice, the last value is used.
    public init(_ members: some Sequence<Member>) {
        var collected = UnorderedMembers(minimumCapacity: members.underestimatedCount)
        for member in members { collected.append(member.value, forKey: member.key) }
        self.init(collected)
    }

    /// Creates an object from collected members.
    public init(_ members: consuming UnorderedMembers) {
        entries = members.ordered()
    }

    /// Takes over members that are already in order, each key once.
    init(ordered entries: [Entry]) {
        self.entries = entries
    }

    /// The value of `key`; setting `nil` removes the member (JSON `null` is `.null`).
    public subscript(key: String) -> JSON? {
        get {
            let (offset, isPresent) = position(of: key)
            return isPresent ? entries[offset].value : nil
        }
        set {
            let (offset, isPresent) = position(of: key)
            switch (newValue, isPresent) {
            case (let value?, true): entries[offset].value = value
            case (let value?, false): entries.insert(Entry(key: key, value: value), at: offset)
            case (nil, true): entries.remove(at: offset)
            case (nil, false): break
            }
        }
    }

    /// Changes the value of `key` in place, without copying it.
    ///
    /// - Returns: The result of `change`; `nil` if the member does not exist.
    public mutating func withValue<Result>(
        of key: String,
        _ change: (inout JSON) -> Result
    ) -> Result? {
        let (offset, isPresent) = position(of: key)
        return isPresent ? change(&entries[offset].value) : nil
    }

    /// The keys in canonical order.
    public var keys: [String] { entries.map(\.key) }

    /// Whether there is a member `key`, even if it is `null`.
    public func contains(_ key: String) -> Bool { position(of: key).isPresent }

    /// Visits the members that may differ between this object and `old`, in the order of their keys.
    ///
    /// One pass over both. Members whose values are equal scalars are omitted; two containers of the same kind are
    /// always passed to the caller, so that they are not compared twice.
    ///
    /// - Parameters:
    ///   - old: The object to compare with.
    ///   - body: Receives the key, the value in `old` and the value in this object; `nil` if there is none.
    public func forEachDifference(
        from old: JSONObject,
        _ body: (String, JSON?, JSON?) -> Void
    ) {
        // By position: an entry that is only compared is not copied.
        var place = 0
        for offset in entries.indices {
            var isCommon = false
            while place < old.entries.count {
                isCommon = old.entries[place].key.hasSameBytes(as: entries[offset].key)
                guard !isCommon, old.entries[place].key.precedesByBytes(entries[offset].key)
                else { break }
                body(old.entries[place].key, old.entries[place].value, nil)
                place += 1
            }
            guard isCommon else {
                body(entries[offset].key, nil, entries[offset].value)
                continue
            }
            place += 1
            let outcome = JSON.compareShallow(old.entries[place - 1].value, entries[offset].value)
            if case .equal = outcome { continue }
            body(entries[offset].key, old.entries[place - 1].value, entries[offset].value)
        }
        for entry in old.entries[place...] { body(entry.key, entry.value, nil) }
    }

    /// Removes the members that satisfy a condition.
    public mutating func removeAll(where isUnwanted: (Member) throws -> Bool) rethrows {
        try entries.removeAll { try isUnwanted(($0.key, $0.value)) }
    }

    /// Where `key` is or belongs.
    private func position(of key: String) -> (offset: Int, isPresent: Bool) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = low + (high - low) / 2
            let order = entries[middle].key.compareBytes(with: key)
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }
}

extension JSONObject: RandomAccessCollection {
    /// Position of the first member.
    public var startIndex: Int { 0 }
    /// Position after the last member.
    public var endIndex: Int { entries.count }
    /// The member at a position below `count`.
    public subscript(position: Int) -> Member {
        let entry = entries[position]
        return (entry.key, entry.value)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object; if a key occurs twice, the last value is used.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self.init(members.map { (key: $0.0, value: $0.1) })
    }
}
