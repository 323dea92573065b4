import DivanJSON

/// Changes of a value within a document, without copying what stays the same.
extension JSON {
    /// Calls `change` with the value at a path; `nil` if there is none, or if `change` returns `nil`.
    ///
    /// Recursion ends with the document's own depth, however long the path is.
    mutating func change<Result>(
        at steps: ArraySlice<String>,
        _ change: (inout JSON) -> Result?
    ) -> Result? {
        guard let step = steps.first else { return change(&self) }
        let rest = steps.dropFirst()
        switch self {
        case .object(var members):
            // Otherwise two references would exist, and the first change would copy all members.
            self = .null
            defer { self = .object(members) }
            return members.withValue(of: step) { $0.change(at: rest, change) } ?? nil
        case .array(var items):
            self = .null
            defer { self = .array(items) }
            guard let index = JSONPointer.index(step), items.indices.contains(index) else {
                return nil
            }
            return items[index].change(at: rest, change)
        default: return nil
        }
    }

    /// Sets a member, or inserts an item before an index or at the end (`-`); `nil` if this is neither an object nor
    /// an array with this place, otherwise how many members and items it has.
    mutating func insert(_ value: JSON, at step: String) -> Int? {
        switch self {
        case .object(var members):
            self = .null
            defer { self = .object(members) }
            members[step] = value
            return members.count
        case .array(var items):
            self = .null
            defer { self = .array(items) }
            guard let index = step == "-" ? items.count : JSONPointer.index(step),
                (0...items.count).contains(index)
            else { return nil }
            items.insert(value, at: index)
            return items.count
        default: return nil
        }
    }

    /// Removes a member or an item; `nil` if it does not exist, otherwise how many remain, and the value.
    mutating func remove(at step: String) -> (count: Int, value: JSON)? {
        switch self {
        case .object(var members):
            self = .null
            defer { self = .object(members) }
            guard let value = members[step] else { return nil }
            members[step] = nil
            return (members.count, value)
        case .array(var items):
            self = .null
            defer { self = .array(items) }
            guard let index = JSONPointer.index(step), items.indices.contains(index) else {
                return nil
            }
            let value = items.remove(at: index)
            return (items.count, value)
        default: return nil
        }
    }

    /// The approximate bytes of the value's text and its depth; `nil` if it has more bytes than `limit`.
    ///
    /// A value is never deeper than `JSONLimits.depth`, which bounds the recursion.
    func extent(upTo limit: Int) -> (byteCount: Int, depth: Int)? {
        var byteCount = 0
        guard let depth = depth(counting: &byteCount, upTo: limit) else { return nil }
        return (byteCount, depth)
    }

    private func depth(counting byteCount: inout Int, upTo limit: Int) -> Int? {
        guard byteCount <= limit else { return nil }
        var depth = 0
        switch self {
        case .null, .bool, .int, .uint, .double: byteCount += 8
        case .long(let number): byteCount += number.text.utf8.count
        case .string(let text): byteCount += text.utf8.count + 2
        case .array(let items):
            byteCount += 2
            for item in items {
                guard let own = item.depth(counting: &byteCount, upTo: limit) else { return nil }
                depth = max(depth, own)
            }
            depth += 1
        case .object(let members):
            byteCount += 2
            for member in members {
                byteCount += member.key.utf8.count + 3
                guard let own = member.value.depth(counting: &byteCount, upTo: limit) else {
                    return nil
                }
                depth = max(depth, own)
            }
            depth += 1
        }
        return byteCount <= limit ? depth : nil
    }

    /// Whether two values are equal as RFC 6902 §4.6 defines it: numbers by their value, whatever their form.
    func hasSameValue(as other: JSON) -> Bool {
        switch (self, other) {
        case (.array(let items), .array(let others)):
            return items.count == others.count
                && zip(items, others).allSatisfy { $0.hasSameValue(as: $1) }
        case (.object(let members), .object(let others)):
            return members.count == others.count
                && zip(members, others).allSatisfy { own, other in
                    own.key.utf8.elementsEqual(other.key.utf8)
                        && own.value.hasSameValue(as: other.value)
                }
        case (.double(let own), .double(let other)): return own == other
        case (.double(let double), .int(let integer)), (.int(let integer), .double(let double)):
            return Int64(exactly: double) == integer
        case (.double(let double), .uint(let integer)), (.uint(let integer), .double(let double)):
            return UInt64(exactly: double) == integer
        default: return self == other
        }
    }
}
