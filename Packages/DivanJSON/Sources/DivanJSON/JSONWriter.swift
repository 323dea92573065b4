/// Writes JSON text piece by piece, without white space, in the canonical spelling.
///
/// Commas come by themselves; that each `begin` meets its `end` and each member has a key is the
/// caller's duty. Strings and numbers are spelled as `revisions.md` §2 says; members stand in the
/// order in which they are written.
public struct JSONWriter: Sendable {
    /// The text so far.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// Creates a writer of an empty text.
    ///
    /// - Parameter byteCount: How many bytes to make room for.
    public init(reservingByteCount byteCount: Int = 0) {
        bytes = []
        bytes.reserveCapacity(byteCount)
    }

    /// Goes on writing behind `bytes`, which must not await a comma.
    init(appendingTo bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

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
        startValue()
        appendQuoted(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    public mutating func string(_ text: String) {
        startValue()
        appendQuoted(text)
    }

    /// Writes an integer.
    public mutating func integer(_ value: some FixedWidthInteger) {
        startValue()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var digits = [20 of UInt8](repeating: 0)
        var rest = UInt64(value.magnitude)
        var first = 20
        repeat {
            first -= 1
            digits[first] = UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0")
            rest /= 10
        } while rest > 0
        for offset in first..<20 { bytes.append(digits[offset]) }
    }

    /// Writes a double with the fewest digits that read back to it, always with a fraction or an
    /// exponent.
    ///
    /// - Throws: `notFinite` for NaN and the infinities, which JSON cannot write.
    public mutating func double(_ value: Double) throws(JSONError) {
        guard value.isFinite else { throw JSONError(.notFinite, atOutput: bytes.count) }
        startValue()
        bytes.append(contentsOf: value.description.utf8)
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        startValue()
        bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
    }

    /// Writes `null`.
    public mutating func null() {
        startValue()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes a value that is JSON text already, as it is.
    public mutating func raw(_ text: Span<UInt8>) {
        startValue()
        text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// Writes a tree.
    ///
    /// - Throws: `notFinite`, or `tooDeep` for more containers inside each other than `limits`
    ///   allows; part of the value is then written.
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
        case .string(let text): string(text)
        case .array(let items):
            guard depth <= limit else {
                throw JSONError(.tooDeep(limit: limit), atOutput: bytes.count)
            }
            beginArray()
            for item in items { try write(item, depth: depth + 1, limit: limit) }
            endArray()
        case .object(let object):
            guard depth <= limit else {
                throw JSONError(.tooDeep(limit: limit), atOutput: bytes.count)
            }
            beginObject()
            for member in object.members {
                key(member.key)
                try write(member.value, depth: depth + 1, limit: limit)
            }
            endObject()
        }
    }

    @inline(__always)
    private mutating func open(_ byte: UInt8) {
        startValue()
        bytes.append(byte)
        needsComma = false
    }

    @inline(__always)
    private mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    @inline(__always)
    private mutating func startValue() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    @inline(__always)
    private mutating func appendQuoted(_ text: String) {
        var text = text
        text.withUTF8 { bytes.appendQuoted($0) }
    }
}

extension JSON {
    /// The canonical text, from which revision IDs are digested.
    ///
    /// No white space, keys sorted by bytes, one spelling for each string and number
    /// (`revisions.md` §2).
    ///
    /// - Throws: `notFinite` for NaN and the infinities; `tooDeep`.
    public func canonicalBytes(limits: JSONLimits = .default) throws(JSONError) -> [UInt8] {
        var writer = JSONWriter()
        try writer.value(self, limits: limits)
        return writer.bytes
    }

    /// Appends the canonical text; after an error `output` is as before.
    ///
    /// - Throws: As `canonicalBytes(limits:)`.
    public func appendCanonical(
        to output: inout [UInt8],
        limits: JSONLimits = .default
    ) throws(JSONError) {
        let byteCount = output.count
        var writer = JSONWriter(appendingTo: output)
        output = []
        defer { output = writer.bytes }
        do throws(JSONError) {
            try writer.value(self, limits: limits)
        } catch {
            writer.truncate(to: byteCount)
            throw error
        }
    }
}

extension JSONWriter {
    /// Drops what was written behind the first `byteCount` bytes.
    fileprivate mutating func truncate(to byteCount: Int) {
        bytes.removeLast(bytes.count - byteCount)
    }
}
