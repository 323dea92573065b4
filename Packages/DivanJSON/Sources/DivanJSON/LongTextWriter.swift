/// Writes the canonical form of a long text in pieces.
///
/// A long array is written item by item, a long object in the order of its keys; whatever is short is parsed.
/// So the work is linear in the text, and n log n in the keys of an object that are not in ascending order.
struct LongTextWriter: ~Copyable {
    /// Bytes that are collected before they are passed on.
    private static let pieceByteCount = 1 << 16
    private static let nothing: [UInt8] = []
    private static let unlimited = JSONLimits(depth: .max, byteCount: .max)

    private let text: LongText
    private let replacing: JSONMembers.Replacement?
    private let sink: (Span<UInt8>) throws -> Void
    private var parser: TreeParser
    private var writer = JSONWriter(reservingByteCount: 2 * pieceByteCount)
    /// The key of the member that is being written.
    private var key = ""

    /// Writes a text with changes of its members, which are in canonical order.
    static func write(
        _ text: LongText,
        _ changes: [JSONMembers.Change],
        replacing: JSONMembers.Replacement?,
        to sink: (Span<UInt8>) throws -> Void
    ) throws {
        try withoutActuallyEscaping(sink) { sink in
            try text.bytes.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return }
                let lexer = Lexer(base: base, end: bytes.count, position: 0)
                var writer = LongTextWriter(text, lexer, replacing, sink)
                try writer.writeMembers(changes)
            }
        }
    }

    private init(
        _ text: LongText,
        _ lexer: consuming Lexer,
        _ replacing: JSONMembers.Replacement?,
        _ sink: @escaping (Span<UInt8>) throws -> Void
    ) {
        self.text = text
        self.replacing = replacing
        self.sink = sink
        parser = TreeParser(lexer: lexer, depthLimit: .max)
    }

    // MARK: The outermost object

    private mutating func writeMembers(_ changes: [JSONMembers.Change]) throws {
        writer.beginObject()
        var rest = changes[...]
        for index in text.keys.indices {
            let offset = Int(text.keys[index])
            let token = try parser.lexer.string(at: offset)
            var isChanged = false
            while let change = rest.first {
                let order = parser.lexer.compare(token, with: change.key)
                if order < 0 { break }
                try write(change)
                rest.removeFirst()
                if order == 0 { isChanged = true }
            }
            if isChanged { continue }
            if text.isCanonical, replacing == nil {
                try copy(offset, to: endOfCanonicalMember(index))
            } else {
                key = parser.lexer.text(of: token)
                writer.key(key)
                try parser.lexer.expect(UInt8(ascii: ":"))
                try writeValue()
            }
        }
        for change in rest { try write(change) }
        writer.endObject()
        try passOn()
    }

    /// In a canonical text the next byte is the comma or the last brace.
    private func endOfCanonicalMember(_ index: Int) -> Int {
        index + 1 < text.keys.count ? Int(text.keys[index + 1]) - 1 : parser.lexer.end - 1
    }

    private mutating func write(_ change: JSONMembers.Change) throws {
        guard let value = change.value else { return }
        writer.key(change.key)
        try writer.value(replacing?(change.key, value) ?? value)
        try passOnIfLong()
    }

    // MARK: Values

    private mutating func writeValue() throws {
        let first = try parser.lexer.peek()
        if let end = text.ends[parser.lexer.position] {
            if first == UInt8(ascii: "[") { try writeArray() } else { try writeObject(to: end) }
        } else if first == UInt8(ascii: "\"") {
            let token = try parser.lexer.scanString()
            if token.byteCount < Self.pieceByteCount {
                writer.string(parser.lexer.text(of: token))
            } else {
                try writeString(token)
            }
        } else {
            try writeTree()
        }
        try passOnIfLong()
    }

    private mutating func writeTree() throws {
        let value = try parser.parseValue(depth: 1)
        switch value {
        case .array, .object:
            try writer.value(replacing?(key, value) ?? value, limits: Self.unlimited)
        default: try writer.value(value)
        }
    }

    private mutating func writeArray() throws {
        writer.beginArray()
        parser.lexer.position += 1
        repeat {
            try writeValue()
        } while try parser.lexer.scanSeparator(closing: UInt8(ascii: "]"))
        writer.endArray()
    }

    private mutating func writeObject(to end: Int) throws {
        let start = parser.lexer.position
        var keys: [UInt32] = []
        var mayBeBlob = false
        parser.lexer.position += 1
        repeat {
            _ = try parser.lexer.peek()
            keys.append(UInt32(truncatingIfNeeded: parser.lexer.position))
            let token = try parser.lexer.scanString()
            if parser.lexer.compare(token, with: "@type") == 0 { mayBeBlob = true }
            try parser.lexer.expect(UInt8(ascii: ":"))
            try parser.lexer.skipValue(text.ends)
        } while try parser.lexer.scanSeparator(closing: UInt8(ascii: "}"))
        if replacing != nil, mayBeBlob {
            parser.lexer.position = start
            return try writeTree()
        }
        if !text.isCanonical { parser.lexer.sortKeys(&keys) }
        writer.beginObject()
        for offset in keys {
            writer.key(parser.lexer.text(of: try parser.lexer.string(at: Int(offset))))
            try parser.lexer.expect(UInt8(ascii: ":"))
            try writeValue()
        }
        writer.endObject()
        parser.lexer.position = end
    }

    /// Writes a long string in pieces, of which none ends within a character or an escape.
    private mutating func writeString(_ token: StringToken) throws {
        writer.raw([UInt8(ascii: "\"")].span)
        var start = token.start
        while start < token.end {
            let end = parser.lexer.endOfPiece(
                from: start,
                upTo: min(start + Self.pieceByteCount, token.end),
                in: token
            )
            let piece = StringToken(
                start: start,
                end: end,
                hasEscapes: token.hasEscapes,
                isASCII: false
            )
            writer.continueString(parser.lexer.text(of: piece))
            try passOnIfLong()
            start = end
        }
        writer.closeString()
    }

    // MARK: Output

    /// Copies bytes of the text as a member or value.
    private mutating func copy(_ start: Int, to end: Int) throws {
        let bytes = UnsafeBufferPointer(start: parser.lexer.base + start, count: end - start)
        guard bytes.count >= Self.pieceByteCount else {
            writer.raw(bytes.span)
            return try passOnIfLong()
        }
        // Only the comma before it.
        writer.raw(Self.nothing.span)
        try passOn()
        try sink(bytes.span)
    }

    private mutating func passOnIfLong() throws {
        if writer.byteCount >= Self.pieceByteCount { try passOn() }
    }

    private mutating func passOn() throws {
        try writer.drain(to: sink)
    }
}

extension Lexer {
    /// Where a piece of a valid string ends that has about the bytes from `start` to `wanted`.
    fileprivate func endOfPiece(from start: Int, upTo wanted: Int, in token: StringToken) -> Int {
        var offset = start
        while offset < wanted {
            guard token.hasEscapes, base[offset] == UInt8(ascii: "\\") else {
                offset += 1
                continue
            }
            guard base[offset + 1] == UInt8(ascii: "u") else {
                offset += 2
                continue
            }
            // A high surrogate is followed by the low one.
            let unit = (try? codeUnit(at: offset)) ?? 0
            offset += (0xD800..<0xDC00).contains(unit) ? 12 : 6
        }
        while offset < token.end, base[offset] & 0xC0 == 0x80 { offset += 1 }
        return min(offset, token.end)
    }
}
