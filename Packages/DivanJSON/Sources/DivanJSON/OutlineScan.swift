/// One pass over a text that records where the members of its object are; recursive, once for each
/// open container.
///
/// As strict as `ValidatingScan`, but the keys of inner objects are not recorded.
struct OutlineScan: ~Copyable {
    private(set) var lexer: Lexer
    private let depthLimit: Int

    init(lexer: Lexer, depthLimit: Int) {
        self.lexer = lexer
        self.lexer.isCanonical = false
        self.depthLimit = depthLimit
    }

    /// Checks a text that is an object, and returns where its members are.
    mutating func scanPlaces() throws(JSONError.Reason) -> [JSONOutline.Place] {
        guard try lexer.peek() == UInt8(ascii: "{") else { throw .wrongKind(expected: .object) }
        lexer.position += 1
        var places: [JSONOutline.Place] = []
        if try lexer.peek() == UInt8(ascii: "}") {
            lexer.position += 1
        } else {
            places.reserveCapacity(16)
            repeat {
                let key = try scanKey()
                _ = try lexer.peek()
                places.append(JSONOutline.Place(key: key, value: lexer.position))
                try scanValue(depth: 2)
            } while try lexer.scanSeparator(closing: UInt8(ascii: "}"))
        }
        try lexer.expectEnd()
        return places
    }

    @inline(__always)
    private mutating func scanKey() throws(JSONError.Reason) -> StringToken {
        let quote = try lexer.peek()
        guard quote == UInt8(ascii: "\"") else { throw .unexpectedByte(quote) }
        let key = try lexer.scanString()
        try lexer.expect(UInt8(ascii: ":"))
        return key
    }

    @inline(__always)
    private mutating func scanValue(depth: Int) throws(JSONError.Reason) {
        switch try lexer.peek() {
        case UInt8(ascii: "\""): _ = try lexer.scanString()
        case UInt8(ascii: "{"): try scanObject(depth: depth)
        case UInt8(ascii: "["): try scanArray(depth: depth)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            if !lexer.skipShortInteger() { _ = try lexer.scanNumber() }
        default: _ = try lexer.scanLiteral()
        }
    }

    private mutating func scanArray(depth: Int) throws(JSONError.Reason) {
        guard try lexer.scanOpening(closing: UInt8(ascii: "]"), depth: depth, limit: depthLimit)
        else { return }
        repeat {
            try scanValue(depth: depth + 1)
        } while try lexer.scanSeparator(closing: UInt8(ascii: "]"))
    }

    private mutating func scanObject(depth: Int) throws(JSONError.Reason) {
        guard try lexer.scanOpening(closing: UInt8(ascii: "}"), depth: depth, limit: depthLimit)
        else { return }
        repeat {
            _ = try scanKey()
            try scanValue(depth: depth + 1)
        } while try lexer.scanSeparator(closing: UInt8(ascii: "}"))
    }
}
