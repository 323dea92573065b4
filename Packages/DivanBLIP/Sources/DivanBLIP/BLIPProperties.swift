import DivanPlatform

/// The properties of a message: pairs of strings, in order.
///
/// They are kept in their wire format, so that receiving and sending copy them once; strings are created only on
/// access. The order has no meaning to peers. If a name occurs twice, the first value counts. NUL cannot be sent
/// and is removed from names and values.
///
/// Source: `blip.md` §2.
public struct BLIPProperties: Sendable {
    /// Name, NUL, value, NUL, and so on.
    private(set) var bytes: [UInt8]

    /// Creates an empty list.
    public init() {
        bytes = []
    }

    /// Takes bytes that were validated as pairs.
    init(checked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The size of the properties on the wire; Couchbase Lite rejects more than 102,400 bytes.
    public var byteCount: Int { bytes.count }

    /// Whether there are no properties.
    public var isEmpty: Bool { bytes.isEmpty }

    /// The first value of `name`, which is compared byte by byte.
    ///
    /// Setting replaces the first pair or adds one at the end; setting `nil` removes the first.
    public subscript(_ name: String) -> String? {
        get { utf8(name).map { String(decoding: $0, as: UTF8.self) } }
        set {
            guard let pair = pairs.first(where: { bytes[$0.name].elementsEqual(name.utf8) }) else {
                if let newValue { append(name, newValue) }
                return
            }
            if let newValue {
                bytes.replaceSubrange(pair.value, with: newValue.utf8.filter { $0 != 0 })
            } else {
                bytes.removeSubrange(pair.name.lowerBound...pair.value.upperBound)
            }
        }
    }

    /// The first value of `name` as UTF-8, without creating a string.
    public func utf8(_ name: String) -> ArraySlice<UInt8>? {
        let name = name.utf8.span
        var found: Range<Int>?
        visit { pairName, value in
            guard pairName.count == name.count, isEqual(pairName, name) else { return true }
            found = value
            return false
        }
        return found.map { bytes[$0] }
    }

    /// Passes each pair in order as UTF-8, without creating strings: for a message's usual properties this is one pass
    /// instead of a search for each name.
    public func forEachPair(_ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Void) {
        let all = bytes.span
        visit { name, value in
            body(name, all.extracting(value))
            return true
        }
    }

    /// Visits the pairs until `body` returns `false`; the range is the value's.
    private func visit(_ body: (_ name: Span<UInt8>, _ value: Range<Int>) -> Bool) {
        let all = bytes.span
        var start = 0
        while start < all.count {
            guard let nameEnd = all.firstZero(from: start),
                let valueEnd = all.firstZero(from: nameEnd + 1),
                body(all.extracting(start..<nameEnd), nameEnd + 1..<valueEnd)
            else { return }
            start = valueEnd + 1
        }
    }

    /// Adds a pair at the end without searching for an earlier pair.
    public mutating func append(_ name: String, _ value: String) {
        // Room for the properties of a typical request.
        if bytes.isEmpty { bytes.reserveCapacity(160) }
        append(name)
        append(value)
    }

    /// Adds a pair whose value is already UTF-8.
    public mutating func append(named name: StaticString, utf8 value: Span<UInt8>) {
        appendLiteral(name)
        value.withUnsafeBufferPointer { append($0) }
        bytes.append(0)
    }

    /// Adds a pair of literals, which contain no NUL.
    public mutating func append(named name: StaticString, _ value: StaticString) {
        appendLiteral(name)
        appendLiteral(value)
    }

    /// Adds a pair whose value is a decimal number.
    public mutating func append(named name: StaticString, _ value: UInt64) {
        appendLiteral(name)
        // At most twenty digits precede the NUL; only written bytes are copied.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 21) { text in
            var (first, rest) = (20, value)
            text.initializeElement(at: first, to: 0)
            repeat {
                first &-= 1
                let digit = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
                text.initializeElement(at: first, to: digit)
                rest /= 10
            } while rest > 0
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[first...]))
        }
    }

    private mutating func appendLiteral(_ text: StaticString) {
        if bytes.isEmpty { bytes.reserveCapacity(160) }
        // A literal's pointer is always valid, and a NUL follows its last byte.
        bytes.append(
            contentsOf: UnsafeBufferPointer(
                start: text.utf8Start,
                count: text.utf8CodeUnitCount + 1
            )
        )
    }

    /// Adds the pairs of `others` at the end.
    public mutating func append(contentsOf others: BLIPProperties) {
        bytes += others.bytes
    }

    /// The value of `name` as a decimal number; `nil` if it is missing or not a number.
    public func integer(_ name: String) -> Int? {
        guard let value = utf8(name) else { return nil }
        return Self.shortNumber(value) ?? Int(String(decoding: value, as: UTF8.self))
    }

    /// A number of few digits and nothing else; nearly all are.
    private static func shortNumber(_ text: ArraySlice<UInt8>) -> Int? {
        guard 1...18 ~= text.count else { return nil }
        var number = 0
        for byte in text {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            number = number &* 10 &+ Int(digit)
        }
        return number
    }

    /// The value of `name` as a boolean, as in Couchbase Lite.
    ///
    /// `true` and `YES` in any letter case, and numbers other than 0, are true; everything else is false, also a
    /// missing property. Write `"true"`, or omit the property.
    public func bool(_ name: String) -> Bool {
        utf8(name).map { Self.isTrue($0.span) } ?? false
    }

    /// Whether a value is true, as for `bool(_:)`.
    public static func isTrue(_ value: Span<UInt8>) -> Bool {
        if isEqualIgnoringCase(value, "true") || isEqualIgnoringCase(value, "yes") { return true }
        let text = value.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        return (Int(text) ?? 0) != 0
    }

    private mutating func append(_ text: String) {
        var text = text
        // The buffer is used only within the closure.
        text.withUTF8 { append($0) }
        bytes.append(0)
    }

    private mutating func append(_ utf8: UnsafeBufferPointer<UInt8>) {
        guard let start = utf8.baseAddress else { return }
        // Looks only at the bytes of the buffer.
        if Memory.position(of: 0, in: start, count: utf8.count) == nil {
            bytes.append(contentsOf: utf8)
        } else {
            bytes.append(contentsOf: utf8.filter { $0 != 0 })
        }
    }
}

extension BLIPProperties: ExpressibleByDictionaryLiteral {
    /// Creates properties in the order of the literal.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { append(name, value) }
    }
}

extension BLIPProperties: Sequence {
    /// Iterates over the pairs in order, including repeated names.
    public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
        pairs.lazy.map { pair in
            (
                name: String(decoding: bytes[pair.name], as: UTF8.self),
                value: String(decoding: bytes[pair.value], as: UTF8.self)
            )
        }.makeIterator()
    }
}

extension BLIPProperties: Equatable {
    /// Equal if both have the same pairs in the same order.
    public static func == (left: BLIPProperties, right: BLIPProperties) -> Bool {
        left.bytes == right.bytes
    }
}

extension BLIPProperties: CustomStringConvertible {
    /// Names only: values may be secret.
    public var description: String { "[\(map(\.name).joined(separator: ", "))]" }
}

extension BLIPProperties {
    /// The positions of the pairs.
    fileprivate var pairs: Pairs { Pairs(bytes: bytes) }

    fileprivate struct Pairs: Sequence, IteratorProtocol {
        let bytes: [UInt8]
        var start = 0

        mutating func next() -> (name: Range<Int>, value: Range<Int>)? {
            guard let nameEnd = bytes[start...].firstIndex(of: 0),
                let valueEnd = bytes[(nameEnd + 1)...].firstIndex(of: 0)
            else { return nil }
            defer { start = valueEnd + 1 }
            return (start..<nameEnd, nameEnd + 1..<valueEnd)
        }
    }
}

private func isEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    for index in left.indices where left[index] != right[index] { return false }
    return true
}

/// Whether a text equals a word of lower-case ASCII letters, in any case.
private func isEqualIgnoringCase(_ text: Span<UInt8>, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    // A literal's pointer is always valid, and its length was just compared.
    for index in text.indices where text[index] | 0x20 != word.utf8Start[index] { return false }
    return true
}

extension Span<UInt8> {
    /// The position of the next zero.
    fileprivate func firstZero(from start: Int) -> Int? {
        guard start < count else { return nil }
        return withUnsafeBufferPointer { bytes in
            // Within the buffer, and searched at most to its end.
            guard let first = bytes.baseAddress.map({ $0 + start }) else { return nil }
            let zero = Memory.position(of: 0, in: first, count: bytes.count - start)
            return zero.map { start + $0 }
        }
    }
}
