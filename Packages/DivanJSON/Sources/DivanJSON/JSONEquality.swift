extension JSON: Equatable {
    /// Compares kind and content; see the type for strings and numbers.
    ///
    /// Uses a list instead of recursion, so that deep nesting needs no stack.
    public static func == (left: JSON, right: JSON) -> Bool {
        switch compareShallow(left, right) {
        case .equal: return true
        case .different: return false
        case .containers: break
        }
        var pending = [(left, right)]
        while let (left, right) = pending.popLast() {
            guard pushChildren(left, right, onto: &pending) else { return false }
        }
        return true
    }

    enum ShallowOutcome {
        case equal
        case different
        case containers
    }

    static func compareShallow(_ left: JSON, _ right: JSON) -> ShallowOutcome {
        let isEqual: Bool
        switch (left, right) {
        case (.null, .null): isEqual = true
        case (.bool(let first), .bool(let second)): isEqual = first == second
        case (.int(let first), .int(let second)): isEqual = first == second
        case (.uint(let first), .uint(let second)): isEqual = first == second
        // By bits: 0.0 and -0.0 are different texts.
        case (.double(let first), .double(let second)):
            isEqual = first.bitPattern == second.bitPattern
        case (.long(let first), .long(let second)): isEqual = first == second
        case (.string(let first), .string(let second)): isEqual = first.hasSameBytes(as: second)
        case (.array(let first), .array(let second)):
            return first.count == second.count ? .containers : .different
        case (.object(let first), .object(let second)):
            return first.count == second.count ? .containers : .different
        default: isEqual = false
        }
        return isEqual ? .equal : .different
    }

    /// Compares the children of two containers of the same size; returns `false` at a difference.
    private static func pushChildren(
        _ left: JSON,
        _ right: JSON,
        onto pending: inout [(JSON, JSON)]
    ) -> Bool {
        switch (left, right) {
        case (.array(let first), .array(let second)):
            for pair in zip(first, second) {
                guard push(pair, onto: &pending) else { return false }
            }
        case (.object(let first), .object(let second)):
            for (one, other) in zip(first.entries, second.entries) {
                guard one.key.hasSameBytes(as: other.key),
                    push((one.value, other.value), onto: &pending)
                else { return false }
            }
        default: return false
        }
        return true
    }

    private static func push(_ pair: (JSON, JSON), onto pending: inout [(JSON, JSON)]) -> Bool {
        switch compareShallow(pair.0, pair.1) {
        case .equal: return true
        case .different: return false
        case .containers:
            pending.append(pair)
            return true
        }
    }
}

extension JSONObject: Equatable {
    /// Compares keys and values; order does not matter.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        JSON.object(left) == JSON.object(right)
    }
}

extension String {
    /// Whether both texts have the same bytes; `==` would also accept equivalent ones.
    func hasSameBytes(as other: String) -> Bool {
        let left = utf8.span
        let right = other.utf8.span
        guard left.count == right.count else { return false }
        return left.bytes.withUnsafeBytes { left in
            right.bytes.withUnsafeBytes { right in Self.areSame(left, right) }
        }
    }

    /// Compares two buffers of the same length.
    private static func areSame(
        _ left: UnsafeRawBufferPointer,
        _ right: UnsafeRawBufferPointer
    ) -> Bool {
        switch Swift.min(left.count, right.count) {
        case 8...: areSame(left, right, by: UInt64.self)
        case 4...: areSame(left, right, by: UInt32.self)
        case 2...: areSame(left, right, by: UInt16.self)
        default: areSame(left, right, by: UInt8.self)
        }
    }

    /// Compares word by word, the last one possibly overlapping the one before; the length, at least one word
    /// or 0, bounds every load.
    private static func areSame<Word: FixedWidthInteger>(
        _ left: UnsafeRawBufferPointer,
        _ right: UnsafeRawBufferPointer,
        by _: Word.Type
    ) -> Bool {
        let (count, step) = (Swift.min(left.count, right.count), MemoryLayout<Word>.size)
        var offset = 0
        while offset < count {
            let place = Swift.min(offset, count - step)
            guard
                left.loadUnaligned(fromByteOffset: place, as: Word.self)
                    == right.loadUnaligned(fromByteOffset: place, as: Word.self)
            else { return false }
            offset += step
        }
        return true
    }

    /// Whether this text precedes `other` in the order of UTF-8 bytes.
    func precedesByBytes(_ other: String) -> Bool {
        compareBytes(with: other) < 0
    }

    /// Negative, zero or positive if this text precedes, equals or follows `other` by bytes.
    func compareBytes(with other: String) -> Int {
        let left = utf8.span
        let right = other.utf8.span
        return left.bytes.withUnsafeBytes { left in
            right.bytes.withUnsafeBytes { right in
                for offset in 0..<min(left.count, right.count)
                where left[offset] != right[offset] {
                    return Int(left[offset]) - Int(right[offset])
                }
                return left.count - right.count
            }
        }
    }
}
