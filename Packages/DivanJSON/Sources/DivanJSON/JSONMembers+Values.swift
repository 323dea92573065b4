extension JSONMembers {
    /// A value as far as it needs no tree.
    public enum Value: Sendable {
        /// A parsed value whose text is short.
        case short(JSON)
        /// The original text of a value, 64 KiB or longer.
        case long(ArraySlice<UInt8>)
    }

    /// Whether the members are kept as a text that is not canonical.
    public var isUnordered: Bool {
        guard case .text(let text, let changes, _) = storage else { return false }
        return !text.isCanonical || !changes.isEmpty
    }

    /// Calls `body` with each member in canonical order, one value at a time.
    ///
    /// - Throws: The errors of `body`, and `JSONError` for a member that was set after the text was read.
    public func forEachMember(_ body: (_ key: String, _ value: Value) throws -> Void) throws {
        switch storage {
        case .tree(let object):
            for (key, value) in object { try body(key, .short(value)) }
        case .text(let text, let changes, _):
            guard changes.isEmpty else {
                return try JSONMembers(parsing: canonicalBytes())?.forEachMember(body) ?? ()
            }
            for offset in text.keys {
                guard let (key, value) = text.member(at: offset) else { continue }
                try body(key, Self.value(of: value))
            }
        }
    }

    /// The value of `key`, as `forEachMember` passes it; `nil` if there is none.
    public func value(of key: String) -> Value? {
        if let text = text(of: key) { return Self.value(of: text) }
        return self[key].map { .short($0) }
    }

    private static func value(of text: ArraySlice<UInt8>) -> Value {
        guard text.count < LongText.byteCount else { return .long(text) }
        // The text was checked, so reading it again cannot fail.
        let limits = JSONLimits(depth: .max, byteCount: .max)
        return .short((try? JSON(parsing: text, limits: limits)) ?? .null)
    }
}

extension LongText {
    /// The key that begins at an offset, and the text of its value.
    fileprivate func member(at offset: UInt32) -> (key: String, value: ArraySlice<UInt8>)? {
        let found: (key: String, value: Range<Int>)? = bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var lexer = Lexer(base: base, end: bytes.count, position: 0)
            // The text was checked, so reading it again cannot fail.
            guard let token = try? lexer.string(at: Int(offset)) else { return nil }
            let key = lexer.text(of: token)
            guard (try? lexer.expect(UInt8(ascii: ":"))) != nil, (try? lexer.peek()) != nil
            else { return nil }
            let start = lexer.position
            guard (try? lexer.skipValue(ends)) != nil else { return nil }
            return (key, start..<lexer.position)
        }
        guard let (key, range) = found else { return nil }
        let start = bytes.startIndex
        return (key, bytes[start + range.lowerBound..<start + range.upperBound])
    }
}
