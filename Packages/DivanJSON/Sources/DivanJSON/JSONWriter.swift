/// Writes JSON text piece by piece, without white space, in the canonical spelling.
///
/// Commas are added automatically; the caller must match each `begin` with its `end` and give each member
/// a key. Strings and numbers are spelled as in `revisions.md` §2; members keep the
/// order in which they are written.
public struct JSONWriter: ~Copyable {
    private var output: OutputBuffer
    private var needsComma = false
    /// Whether a key `@type` was written, as in every blob (`blobs.md` §1).
    public private(set) var hasTypeKey = false

    /// A copy of the text so far.
    public var bytes: [UInt8] { output.bytes }

    /// Creates a writer with empty output.
    ///
    /// - Parameter byteCount: The number of bytes to reserve memory for.
    public init(reservingByteCount byteCount: Int = 0) {
        output = OutputBuffer(capacity: byteCount)
    }

    /// Bytes that were written and not passed on.
    var byteCount: Int { output.count }

    /// Opens an array.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }

    /// Closes the innermost array.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Opens an object.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }

    /// Closes the innermost object.
    public mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Writes the key of the next value.
    public mutating func key(_ key: String) {
        if key.utf8.count == 5, key.utf8.first == UInt8(ascii: "@"), key == "@type" {
            hasTypeKey = true
        }
        appendQuoted(key)
        output.appendReserved(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    public mutating func string(_ text: String) {
        appendQuoted(text)
        needsComma = true
    }

    /// Writes a string from valid UTF-8.
    public mutating func string(utf8 text: Span<UInt8>) {
        text.withUnsafeBufferPointer { output.appendQuoted($0, afterComma: needsComma) }
        needsComma = true
    }

    /// Adds to a string whose opening quote was written as raw text.
    mutating func continueString(_ text: String) {
        var text = text
        text.withUTF8 { output.appendContent($0) }
    }

    /// Ends such a string.
    mutating func closeString() {
        output.append(UInt8(ascii: "\""))
    }

    /// Passes on what was written, and continues behind it.
    mutating func drain(to sink: (Span<UInt8>) throws -> Void) rethrows {
        try output.drain(to: sink)
    }

    /// Writes an integer.
    ///
    /// Inlined, because a generic function in another package would take six times as long.
    @inlinable
    public mutating func integer(_ value: some FixedWidthInteger) {
        write(isNegative: value < 0, UInt64(value.magnitude))
    }

    @usableFromInline
    mutating func write(isNegative: Bool, _ magnitude: UInt64) {
        startValue()
        if isNegative { output.append(UInt8(ascii: "-")) }
        guard magnitude > 9 else {
            return output.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: magnitude))
        }
        output.append(decimal: magnitude)
    }

    /// Writes a double with the fewest digits that represent the same value, always with a fraction or an exponent.
    ///
    /// - Throws: `notFinite` for NaN and infinity, which JSON cannot represent.
    public mutating func double(_ value: Double) throws(JSONError) {
        guard value.isFinite else { throw JSONError(.notFinite, atOutput: output.count) }
        startValue()
        var text = value.description
        text.withUTF8 { output.append($0) }
    }

    /// Writes a number with its original digits.
    public mutating func long(_ value: LongNumber) {
        startValue()
        var text = value.text
        text.withUTF8 { output.append($0) }
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        startValue()
        output.append(value ? "true" : "false")
    }

    /// Writes `null`.
    public mutating func null() {
        startValue()
        output.append("null")
    }

    /// Writes a value that already is JSON text, unchanged.
    public mutating func raw(_ text: Span<UInt8>) {
        startValue()
        text.withUnsafeBufferPointer { output.append($0) }
    }

    /// Writes a tree.
    ///
    /// - Throws: `notFinite`, or `tooDeep` if containers are nested deeper than `limits` allows; part of the
    ///   value has then been written.
    public mutating func value(
        _ value: JSON,
        limits: JSONLimits = .default
    ) throws(JSONError) {
        try write(value, depth: 1, limit: limits.depth)
    }

    private mutating func write(_ value: JSON, depth: Int, limit: Int) throws(JSONError) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .int(let value): integer(value)
        case .uint(let value): integer(value)
        case .double(let value): try double(value)
        case .long(let value): long(value)
        case .string(let text): string(text)
        case .array(let items):
            guard depth <= limit else {
                throw JSONError(.tooDeep(limit: limit), atOutput: output.count)
            }
            beginArray()
            let items = items.span
            for offset in items.indices {
                try write(items[offset], depth: depth + 1, limit: limit)
            }
            endArray()
        case .object(let object):
            guard depth <= limit else {
                throw JSONError(.tooDeep(limit: limit), atOutput: output.count)
            }
            beginObject()
            try write(object.entries.span, depth: depth + 1, limit: limit)
            endObject()
        }
    }

    /// Writes members; by position in a span, so that none is retained.
    private mutating func write(
        _ entries: Span<JSONObject.Entry>,
        depth: Int,
        limit: Int
    ) throws(JSONError) {
        for offset in entries.indices {
            key(entries[offset].key)
            try write(entries[offset].value, depth: depth, limit: limit)
        }
    }

    @inline(__always)
    private mutating func open(_ byte: UInt8) {
        startValue()
        output.append(byte)
        needsComma = false
    }

    @inline(__always)
    private mutating func close(_ byte: UInt8) {
        output.append(byte)
        needsComma = true
    }

    @inline(__always)
    private mutating func startValue() {
        if needsComma { output.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Leaves room for one more byte.
    @inline(__always)
    private mutating func appendQuoted(_ text: String) {
        // Native strings are UTF-8 in memory and need no copy.
        let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable {
            output.appendQuoted($0, afterComma: needsComma)
        }
        guard isWritten == nil else { return }
        var text = text
        text.withUTF8 { output.appendQuoted($0, afterComma: needsComma) }
    }
}

extension JSON {
    /// The canonical text, from which the digests of revision IDs are computed.
    ///
    /// No white space, keys sorted by bytes, one spelling for each string and number
    /// (`revisions.md` §2).
    ///
    /// - Throws: `notFinite` for NaN and infinity; `tooDeep`.
    public func canonicalBytes(limits: JSONLimits = .default) throws(JSONError) -> [UInt8] {
        var writer = JSONWriter(reservingByteCount: 1_024)
        try writer.value(self, limits: limits)
        return writer.bytes
    }

    /// Appends the canonical text; after an error `output` is unchanged.
    ///
    /// - Throws: As `canonicalBytes(limits:)`.
    public func appendCanonical(
        to output: inout [UInt8],
        limits: JSONLimits = .default
    ) throws(JSONError) {
        var writer = JSONWriter()
        try writer.value(self, limits: limits)
        writer.append(to: &output)
    }
}

extension JSONWriter {
    /// Appends the text to another byte array.
    fileprivate func append(to bytes: inout [UInt8]) {
        output.append(to: &bytes)
    }
}
