/// Reads JSON text value by value without building a tree.
///
/// For protocol messages such as `[[12,"doc","3-abc",0,28],…]`. Inside an array call `nextElement()` before each
/// value until it returns `false`; inside an object `nextKey()` until it returns `nil`. Each value is then read by
/// one `read…` or `skip` call, or entered by `beginArray` or `beginObject`. At the end call `finish()`. Skipped or
/// raw values are checked as strictly as the rest; an object that the caller enters can return a key twice. After
/// an error the reader stays at its position.
public struct JSONReader: Sendable {
    private let text: ArraySlice<UInt8>
    private let limits: JSONLimits
    private var position = 0
    private var isAtStart = false  // right behind an opening bracket or brace

    /// Creates a reader at the start of the text.
    public init(_ text: ArraySlice<UInt8>, limits: JSONLimits = .default) {
        self.text = text
        self.limits = limits
    }

    /// Creates a reader at the start of the text.
    public init(_ text: [UInt8], limits: JSONLimits = .default) {
        self.init(text[...], limits: limits)
    }

    /// The kind of the next value.
    ///
    /// - Throws: `unexpectedEnd` or `unexpectedByte` if there is none.
    public mutating func peekKind() throws(JSONError) -> JSON.Kind {
        try read { lexer throws(JSONError.Reason) in
            switch try lexer.peek() {
            case UInt8(ascii: "{"): .object
            case UInt8(ascii: "["): .array
            case UInt8(ascii: "\""): .string
            case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
            case UInt8(ascii: "n"): .null
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): .number
            case let other: throw .unexpectedByte(other)
            }
        }
    }

    /// Enters an array.
    ///
    /// - Throws: `wrongKind` if the next value is not an array.
    public mutating func beginArray() throws(JSONError) {
        try enter(UInt8(ascii: "["), .array)
    }

    /// Moves to the next element of the innermost array; `false` leaves the array at its end.
    public mutating func nextElement() throws(JSONError) -> Bool {
        let isFirst = isAtStart
        isAtStart = false
        return try read { lexer throws(JSONError.Reason) in
            guard isFirst else { return try lexer.scanSeparator(closing: UInt8(ascii: "]")) }
            guard try lexer.peek() == UInt8(ascii: "]") else { return true }
            lexer.position += 1
            return false
        }
    }

    /// Enters an object.
    ///
    /// - Throws: `wrongKind` if the next value is not an object.
    public mutating func beginObject() throws(JSONError) {
        try enter(UInt8(ascii: "{"), .object)
    }

    /// Moves to the next member of the innermost object and returns its key; `nil` leaves the
    /// object at its end.
    public mutating func nextKey() throws(JSONError) -> String? {
        let isFirst = isAtStart
        isAtStart = false
        return try read { lexer throws(JSONError.Reason) in
            if isFirst {
                guard try lexer.peek() != UInt8(ascii: "}") else {
                    lexer.position += 1
                    return nil
                }
            } else {
                guard try lexer.scanSeparator(closing: UInt8(ascii: "}")) else { return nil }
            }
            let quote = try lexer.peek()
            guard quote == UInt8(ascii: "\"") else { throw .unexpectedByte(quote) }
            let key = lexer.text(of: try lexer.scanString())
            try lexer.expect(UInt8(ascii: ":"))
            return key
        }
    }

    /// Reads a string.
    ///
    /// - Throws: `wrongKind` if the next value is not a string.
    public mutating func readString() throws(JSONError) -> String {
        try read { lexer throws(JSONError.Reason) in
            try lexer.require(.string, startingWith: UInt8(ascii: "\""))
            return lexer.text(of: try lexer.scanString())
        }
    }

    /// Reads a string as UTF-8 bytes; a string without escapes is not copied.
    ///
    /// - Throws: `wrongKind` if the next value is not a string.
    public mutating func readStringBytes() throws(JSONError) -> ArraySlice<UInt8> {
        let (range, decoded) = try read {
            (lexer) throws(JSONError.Reason) -> (Range<Int>, [UInt8]?) in
            try lexer.require(.string, startingWith: UInt8(ascii: "\""))
            let token = try lexer.scanString()
            guard token.hasEscapes else { return (token.start..<token.end, nil) }
            var decoded: [UInt8] = []
            lexer.decode(token, appendingTo: &decoded)
            return (token.start..<token.end, decoded)
        }
        return decoded?[...] ?? slice(range)
    }

    /// Reads an integer.
    ///
    /// - Throws: `wrongKind` if the next value is not a number, `integerOutOfRange` if it has a fraction or
    ///   exponent or does not fit.
    public mutating func readInteger() throws(JSONError) -> Int {
        try readWhole(as: Int.self)
    }

    /// Reads an integer of the requested type; for `Int`, `readInteger()` is faster.
    ///
    /// - Throws: `wrongKind` if the next value is not a number, `integerOutOfRange` if it has a fraction or
    ///   exponent or does not fit.
    public mutating func readInteger<Integer: FixedWidthInteger>(
        as type: Integer.Type
    ) throws(JSONError) -> Integer {
        try readWhole(as: type)
    }

    private mutating func readWhole<Integer: FixedWidthInteger>(
        as type: Integer.Type
    ) throws(JSONError) -> Integer {
        try read { lexer throws(JSONError.Reason) in
            let start = lexer.position
            let value: Integer? =
                switch try lexer.readNumber() {
                case .int(let value): Integer(exactly: value)
                case .uint(let value): Integer(exactly: value)
                default: nil
                }
            guard let value else {
                lexer.position = start
                throw .integerOutOfRange
            }
            return value
        }
    }

    /// Reads a number of any form as a double.
    ///
    /// - Throws: `wrongKind` if the next value is not a number.
    public mutating func readDouble() throws(JSONError) -> Double {
        try read { lexer throws(JSONError.Reason) in try lexer.readNumber().double ?? 0 }
    }

    /// Reads `true` or `false`.
    ///
    /// - Throws: `wrongKind` if the next value is neither.
    public mutating func readBool() throws(JSONError) -> Bool {
        try read { lexer throws(JSONError.Reason) in
            let first = try lexer.peek()
            guard first == UInt8(ascii: "t") || first == UInt8(ascii: "f") else {
                throw .wrongKind(expected: .bool)
            }
            return try lexer.scanLiteral().bool ?? false
        }
    }

    /// Reads a value of any kind as its exact text.
    public mutating func readRaw() throws(JSONError) -> ArraySlice<UInt8> {
        let limits = limits
        let range = try read { (lexer) throws(JSONError.Reason) -> Range<Int> in
            let first = try lexer.peek()
            let start = lexer.position
            guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
                try lexer.skipScalar()
                return start..<lexer.position
            }
            var scan = ValidatingScan(
                lexer: lexer,
                depthLimit: limits.depth,
                checksSpelling: false,
                checksKeys: false
            )
            defer { lexer.position = scan.lexer.position }
            try scan.scanValue(depth: 1)
            return start..<scan.lexer.position
        }
        return slice(range)
    }

    /// Reads a value of any kind as a tree.
    public mutating func readValue() throws(JSONError) -> JSON {
        let limits = limits
        return try read { lexer throws(JSONError.Reason) in
            var parser = TreeParser(lexer: lexer, depthLimit: limits.depth)
            defer { lexer.position = parser.lexer.position }
            return try parser.parseValue(depth: 1)
        }
    }

    /// Skips a value of any kind.
    public mutating func skip() throws(JSONError) {
        _ = try readRaw()
    }

    /// Checks that only white space follows.
    ///
    /// - Throws: `trailingByte`.
    public mutating func finish() throws(JSONError) {
        try read { lexer throws(JSONError.Reason) in try lexer.expectEnd() }
    }

    private mutating func enter(_ byte: UInt8, _ kind: JSON.Kind) throws(JSONError) {
        try read { lexer throws(JSONError.Reason) in
            try lexer.require(kind, startingWith: byte)
            lexer.position += 1
        }
        isAtStart = true
    }

    private func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
        text[text.startIndex + range.lowerBound..<text.startIndex + range.upperBound]
    }

    /// Runs `body` on a lexer at the current position.
    @inline(__always)
    private mutating func read<Value>(
        _ body: (inout Lexer) throws(JSONError.Reason) -> Value
    ) throws(JSONError) -> Value {
        let start = position
        let limit = limits.byteCount
        var end = start
        defer { position = end }
        return try text.withUnsafeBufferPointer { text throws(JSONError) in
            guard let base = text.baseAddress else {
                throw JSONError(.unexpectedEnd, at: 0, in: text)
            }
            guard text.count <= limit else {
                let reason = JSONError.Reason.tooLong(byteCount: text.count, limit: limit)
                throw JSONError(reason, at: 0, in: text)
            }
            var lexer = Lexer(base: base, end: text.count, position: start)
            do throws(JSONError.Reason) {
                let value = try body(&lexer)
                end = lexer.position
                return value
            } catch {
                throw JSONError(error, at: lexer.position, in: text)
            }
        }
    }
}

extension Lexer {
    /// Throws unless the next value is of a kind that starts with `byte`.
    @inline(__always)
    fileprivate mutating func require(
        _ kind: JSON.Kind,
        startingWith byte: UInt8
    ) throws(JSONError.Reason) {
        guard try peek() == byte else { throw .wrongKind(expected: kind) }
    }

    /// Skips a value that is no container.
    @inline(__always)
    fileprivate mutating func skipScalar() throws(JSONError.Reason) {
        switch try peek() {
        case UInt8(ascii: "\""): _ = try scanString()
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            if !skipShortInteger() { _ = try scanNumber() }
        default: _ = try scanLiteral()
        }
    }

    /// Reads a number.
    @inline(__always)
    fileprivate mutating func readNumber() throws(JSONError.Reason) -> JSON {
        switch try peek() {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            return try value(of: scanNumber())
        default: throw .wrongKind(expected: .number)
        }
    }
}
