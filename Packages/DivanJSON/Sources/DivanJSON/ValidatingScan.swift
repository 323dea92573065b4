/// One scan in progress; recursive, once for each open container.
struct ValidatingScan: ~Copyable {
    private(set) var lexer: Lexer
    private let depthLimit: Int
    private let checksKeys: Bool
    private var openKeys = OpenKeys()
    private(set) var summary = JSONSummary()

    /// Starts at the lexer's position; without `checksSpelling` no text counts as canonical, and
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

    /// Checks one value; `depth` is the number of open containers, plus 1.
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
        guard try lexer.scanOpening(closing: UInt8(ascii: "]"), depth: depth, limit: depthLimit)
        else { return }
        repeat {
            try scanValue(depth: depth + 1)
        } while try lexer.scanSeparator(closing: UInt8(ascii: "]"))
    }

    private mutating func scanObject(depth: Int) throws(JSONError.Reason) {
        guard try lexer.scanOpening(closing: UInt8(ascii: "}"), depth: depth, limit: depthLimit)
        else { return }
        var keys = ObjectKeys(first: openKeys.count, beganCanonical: lexer.isCanonical)
        repeat {
            try scanMember(depth: depth, of: &keys)
        } while try lexer.scanSeparator(closing: UInt8(ascii: "}"))
        // While the keys ascended, repeated keys were not looked for.
        if keys.mayRepeat || keys.beganCanonical && !lexer.isCanonical,
            openKeys.hasRepeatedKey(objectFrom: keys.first, in: lexer)
        {
            summary.hasRepeatedKey = true
        }
        openKeys.close(objectFrom: keys.first)
    }

    /// The keys of the innermost object: where they begin among the open ones, and what is known about them.
    private struct ObjectKeys {
        let first: Int
        let beganCanonical: Bool
        /// Whether there are so many that only sorting finds a repeated one.
        var mayRepeat = false
        /// The latest key.
        var former: Key?
        var sieve = KeyFilter()
    }

    @inline(__always)
    private mutating func scanMember(
        depth: Int,
        of keys: inout ObjectKeys
    ) throws(JSONError.Reason) {
        let quote = try lexer.peek()
        guard quote == UInt8(ascii: "\"") else { throw .unexpectedByte(quote) }
        let place = lexer.position
        let key = Key(try lexer.scanString(), at: place, in: lexer)
        if checksKeys { note(key, in: &keys) }
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
    }

    /// Adds a key, which in a canonical text sorts after the previous one.
    @inline(__always)
    private mutating func note(_ key: Key, in keys: inout ObjectKeys) {
        if lexer.isCanonical {
            lexer.isCanonical = keys.former.map { precedes($0, key) } ?? true
            keys.former = key
        } else if !keys.sieve.add(key.prefix, key.byteCount) {
            findDuplicate(key, in: &keys)
        }
        openKeys.append(key.place)
    }

    @inline(__always)
    private func precedes(_ left: Key, _ right: Key) -> Bool {
        left.prefix != right.prefix
            ? left.prefix < right.prefix : lexer.compareKeys(at: left.place, right.place) < 0
    }

    /// Checks whether the innermost object already has a key that the sieve cannot distinguish.
    @inline(never)
    private mutating func findDuplicate(_ key: Key, in keys: inout ObjectKeys) {
        if openKeys.count - keys.first > 32 {
            keys.mayRepeat = true
        } else if openKeys.contains(key.place, objectFrom: keys.first, in: lexer) {
            summary.hasRepeatedKey = true
        }
    }

    private mutating func scanType() throws(JSONError.Reason) {
        let token = try lexer.scanString()
        if token.hasEscapes || lexer.bytes(of: token).elementsEqual("blob".utf8) {
            summary.mayHaveBlobs = true
        }
    }
}

extension ValidatingScan {
    /// A scanned key: what distinguishes most keys, and where it begins.
    private struct Key {
        /// As `KeyOrderTracker.Record.prefix`.
        let prefix: UInt64
        /// The length of its text.
        let byteCount: Int
        /// The offset of its opening quote.
        let place: Int

        @inline(__always)
        init(_ token: StringToken, at place: Int, in lexer: Lexer) {
            self.place = place
            guard token.hasEscapes else {
                prefix = lexer.keyPrefix(of: token)
                byteCount = token.byteCount
                return
            }
            var decoded: [UInt8] = []
            lexer.decode(token, appendingTo: &decoded)
            prefix = KeyOrderTracker.prefix(of: decoded)
            byteCount = decoded.count
        }

        /// Whether the key is `@type`.
        @inline(__always)
        var isType: Bool { prefix == typePrefix && byteCount == 5 }
    }
}

/// `@type` as a `KeyOrderTracker.Record.prefix`.
let typePrefix: UInt64 = 0x4074_7970_6500_0000
/// `digest` as a `KeyOrderTracker.Record.prefix`.
let digestPrefix: UInt64 = 0x6469_6765_7374_0000
