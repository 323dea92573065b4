/// One scan in progress; calls itself once for each container that is open.
struct ValidatingScan: ~Copyable {
    private(set) var lexer: Lexer
    private let depthLimit: Int
    private let checksKeys: Bool
    private var ledger = KeyLedger()
    private(set) var summary = JSONSummary()

    /// Starts where the lexer stands; without `checksSpelling` no text counts as canonical, and
    /// without `checksKeys` none has a key twice.
    init(lexer: Lexer, depthLimit: Int, checksSpelling: Bool, checksKeys: Bool) {
        self.lexer = lexer
        if !checksSpelling { self.lexer.isCanonical = false }
        self.depthLimit = depthLimit
        self.checksKeys = checksKeys || checksSpelling
    }

    /// Checks the whole text.
    mutating func scanText() throws(JSONError.Reason) {
        switch try lexer.peek() {
        case UInt8(ascii: "{"): summary.kind = .object
        case UInt8(ascii: "["): summary.kind = .array
        case UInt8(ascii: "\""): summary.kind = .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): summary.kind = .bool
        case UInt8(ascii: "n"): summary.kind = .null
        default: summary.kind = .number
        }
        try scanValue(depth: 1)
        try lexer.expectEnd()
        summary.isCanonical = lexer.isCanonical
    }

    /// Checks one value; `depth` is the number of containers that are open, plus 1.
    @inline(__always)
    mutating func scanValue(depth: Int) throws(JSONError.Reason) {
        switch try lexer.peek() {
        case UInt8(ascii: "\""): _ = try lexer.scanString()
        case UInt8(ascii: "{"): try scanObject(depth: depth)
        case UInt8(ascii: "["): try scanArray(depth: depth)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            if lexer.skipShortInteger() { return }
            let token = try lexer.scanNumber()
            if lexer.isCanonical { lexer.isCanonical = try lexer.isCanonical(token) }
        default: _ = try lexer.scanLiteral()
        }
    }

    private mutating func scanArray(depth: Int) throws(JSONError.Reason) {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit) }
        lexer.position += 1
        if try lexer.peek() == UInt8(ascii: "]") {
            lexer.position += 1
            return
        }
        repeat {
            try scanValue(depth: depth + 1)
        } while try lexer.scanSeparator(closing: UInt8(ascii: "]"))
    }

    private mutating func scanObject(depth: Int) throws(JSONError.Reason) {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit) }
        lexer.position += 1
        if try lexer.peek() == UInt8(ascii: "}") {
            lexer.position += 1
            return
        }
        let first = ledger.count
        var ascends = true
        repeat {
            if try !scanMember(depth: depth, objectFrom: first) { ascends = false }
        } while try lexer.scanSeparator(closing: UInt8(ascii: "}"))
        if !ascends {
            lexer.isCanonical = false
            if ledger.hasRepeatedKey(objectFrom: first, in: lexer) { summary.hasRepeatedKey = true }
        }
        ledger.close(objectFrom: first)
    }

    /// Checks one member; returns whether its key stands behind the one before it.
    @inline(__always)
    private mutating func scanMember(
        depth: Int,
        objectFrom first: Int
    ) throws(JSONError.Reason) -> Bool {
        let quote = try lexer.peek()
        guard quote == UInt8(ascii: "\"") else { throw .unexpectedByte(quote) }
        let key = ledger.record(of: try lexer.scanString(), in: lexer)
        let ascends = !checksKeys || ledger.add(key, in: lexer, objectFrom: first)
        try lexer.expect(UInt8(ascii: ":"))
        if depth == 1, key.prefix >> 56 == UInt64(UInt8(ascii: "_")) {
            summary.hasUnderscoreKey = true
        }
        if key.prefix == digestPrefix, key.byteCount == 6 { summary.hasDigestKey = true }
        if key.isType, try lexer.peek() == UInt8(ascii: "\"") {
            try scanType()
        } else {
            try scanValue(depth: depth + 1)
        }
        return ascends
    }

    /// Checks a text that is an object, and tells where its members are.
    mutating func scanPlaces() throws(JSONError.Reason) -> [JSONOutline.Place] {
        guard try lexer.peek() == UInt8(ascii: "{") else { throw .wrongKind(expected: .object) }
        lexer.position += 1
        var places: [JSONOutline.Place] = []
        if try lexer.peek() == UInt8(ascii: "}") {
            lexer.position += 1
        } else {
            places.reserveCapacity(16)
            repeat {
                let quote = try lexer.peek()
                guard quote == UInt8(ascii: "\"") else { throw .unexpectedByte(quote) }
                let key = try lexer.scanString()
                try lexer.expect(UInt8(ascii: ":"))
                _ = try lexer.peek()
                places.append(JSONOutline.Place(key: key, value: lexer.position))
                try scanValue(depth: 2)
            } while try lexer.scanSeparator(closing: UInt8(ascii: "}"))
        }
        try lexer.expectEnd()
        return places
    }

    private mutating func scanType() throws(JSONError.Reason) {
        let token = try lexer.scanString()
        if token.hasEscapes || lexer.bytes(of: token).elementsEqual("blob".utf8) {
            summary.mayHaveBlobs = true
        }
    }
}

/// `digest` as a `KeyLedger.Record.prefix`.
private let digestPrefix: UInt64 = 0x6469_6765_7374_0000
