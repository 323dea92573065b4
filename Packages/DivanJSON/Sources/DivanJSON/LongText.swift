/// A valid text of an object that is too long to be held as a tree: where its members and its long containers are.
///
/// A tree of small values needs thirty times the memory of their text. So of a long text only containers that
/// are short are ever parsed; the long ones are walked through, and there are few of them.
struct LongText: Sendable {
    /// Bytes of a text or container from which on it is long.
    static let byteCount = 1 << 16

    let bytes: ArraySlice<UInt8>
    /// Where the members' keys begin, in canonical order; of equal keys the last.
    ///
    /// Four bytes each: an object may have millions.
    private(set) var keys: [UInt32] = []
    /// The end of each long container by its beginning.
    private(set) var ends: [Int: Int] = [:]
    /// Whether the text is what the canonical writer would write.
    private(set) var isCanonical = false
    /// Whether an object in it may be a blob, or it has attachments.
    private(set) var mayHoldBlobs = false

    /// Checks a text as strictly as parsing does; `nil` for a value that is no object.
    ///
    /// - Throws: `JSONError` with the first problem.
    init?(
        _ bytes: ArraySlice<UInt8>,
        limits: JSONLimits,
        longByteCount: Int = Self.byteCount
    ) throws(JSONError) {
        self.bytes = bytes
        var limits = limits
        limits.byteCount = min(limits.byteCount, Int(UInt32.max))
        let isObject = try Lexer.read(bytes.span, limits: limits) {
            lexer throws(JSONError.Reason) in try lexer.peek() == UInt8(ascii: "{")
        }
        guard isObject else {
            _ = try JSONScanner.validate(bytes.span, limits: limits, checksSpelling: false)
            return nil
        }
        try Lexer.read(bytes.span, limits: limits) { lexer throws(JSONError.Reason) in
            var scan = LongTextScan(
                lexer: lexer,
                depthLimit: limits.depth,
                longByteCount: longByteCount
            )
            defer { lexer.position = scan.lexer.position }
            try scan.scanText()
            keys = scan.keys
            ends = scan.ends
            isCanonical = scan.lexer.isCanonical
            mayHoldBlobs = scan.mayHoldBlobs
            if !scan.keysAscend { lexer.sortKeys(&keys) }
        }
    }

    /// Where the value of a key begins; `nil` if there is no such member.
    func place(of key: String, _ lexer: inout Lexer) throws(JSONError.Reason) -> Int? {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = low + (high - low) / 2
            let order = lexer.compare(try lexer.string(at: Int(keys[middle])), with: key)
            if order == 0 {
                try lexer.expect(UInt8(ascii: ":"))
                _ = try lexer.peek()
                return lexer.position
            }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}

/// One pass over a long text; recursive, once for each open container.
///
/// As strict as `ValidatingScan`, but of an object only the latest key is held.
struct LongTextScan: ~Copyable {
    private(set) var lexer: Lexer
    private let depthLimit: Int
    private let longByteCount: Int
    private(set) var keys: [UInt32] = []
    private(set) var ends: [Int: Int] = [:]
    private(set) var mayHoldBlobs = false
    /// Whether the keys of the outermost object ascend.
    private(set) var keysAscend = true

    init(lexer: Lexer, depthLimit: Int, longByteCount: Int) {
        self.lexer = lexer
        self.longByteCount = longByteCount
        self.depthLimit = depthLimit
    }

    /// Checks a text that begins an object.
    mutating func scanText() throws(JSONError.Reason) {
        lexer.skipSpace()
        try scanObject(depth: 1)
        try lexer.expectEnd()
    }

    private mutating func scanValue(depth: Int) throws(JSONError.Reason) {
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
        let start = lexer.position
        guard try lexer.scanOpening(closing: UInt8(ascii: "]"), depth: depth, limit: depthLimit)
        else { return }
        repeat {
            try scanValue(depth: depth + 1)
        } while try lexer.scanSeparator(closing: UInt8(ascii: "]"))
        noteEnd(of: start)
    }

    private mutating func scanObject(depth: Int) throws(JSONError.Reason) {
        let start = lexer.position
        guard try lexer.scanOpening(closing: UInt8(ascii: "}"), depth: depth, limit: depthLimit)
        else { return }
        var former: StringToken?
        repeat {
            let quote = try lexer.peek()
            guard quote == UInt8(ascii: "\"") else { throw .unexpectedByte(quote) }
            if depth == 1 { keys.append(UInt32(truncatingIfNeeded: lexer.position)) }
            let key = try lexer.scanString()
            note(key, after: former, depth: depth)
            former = key
            try lexer.expect(UInt8(ascii: ":"))
            try scanValue(depth: depth + 1)
        } while try lexer.scanSeparator(closing: UInt8(ascii: "}"))
        noteEnd(of: start)
    }

    private mutating func note(_ key: StringToken, after former: StringToken?, depth: Int) {
        if key.hasEscapes {
            mayHoldBlobs = true
        } else if key.byteCount == 5 || key.byteCount == 12 {
            let bytes = lexer.bytes(of: key)
            if bytes.elementsEqual("@type".utf8)
                || depth == 1 && bytes.elementsEqual("_attachments".utf8)
            {
                mayHoldBlobs = true
            }
        }
        guard lexer.isCanonical || depth == 1, let former, lexer.compare(former, key) >= 0
        else { return }
        lexer.isCanonical = false
        if depth == 1 { keysAscend = false }
    }

    private mutating func noteEnd(of start: Int) {
        if lexer.position - start >= longByteCount { ends[start] = lexer.position }
    }
}

extension Lexer {
    /// Reads the string at an offset.
    mutating func string(at offset: Int) throws(JSONError.Reason) -> StringToken {
        position = offset
        return try scanString()
    }

    /// Orders two scanned strings by the bytes of their texts.
    func compare(_ left: StringToken, _ right: StringToken) -> Int {
        guard left.hasEscapes || right.hasEscapes else {
            return Self.compare(bytes(of: left), bytes(of: right))
        }
        var (first, second): ([UInt8], [UInt8]) = ([], [])
        decode(left, appendingTo: &first)
        decode(right, appendingTo: &second)
        return Self.compare(first, second)
    }

    /// Orders a scanned string and a text by their bytes.
    func compare(_ token: StringToken, with text: String) -> Int {
        guard token.hasEscapes else { return Self.compare(bytes(of: token), text.utf8) }
        var decoded: [UInt8] = []
        decode(token, appendingTo: &decoded)
        return Self.compare(decoded, text.utf8)
    }

    private static func compare(
        _ left: some Sequence<UInt8>,
        _ right: some Sequence<UInt8>
    ) -> Int {
        var others = right.makeIterator()
        for byte in left {
            guard let other = others.next() else { return 1 }
            if byte != other { return Int(byte) - Int(other) }
        }
        return others.next() == nil ? 0 : -1
    }

    /// Sorts the offsets of valid keys; of equal ones the last stays.
    func sortKeys(_ keys: inout [UInt32]) {
        keys.sort { left, right in
            let order = compareKeys(at: Int(left), Int(right))
            return order == 0 ? left < right : order < 0
        }
        var count = 0
        for offset in keys {
            if count > 0, compareKeys(at: Int(keys[count - 1]), Int(offset)) == 0 { count -= 1 }
            keys[count] = offset
            count += 1
        }
        keys.removeLast(keys.count - count)
    }

    /// Moves behind a valid value; long containers are skipped in one step.
    mutating func skipValue(_ ends: [Int: Int]) throws(JSONError.Reason) {
        let first = try peek()
        if let end = ends[position] {
            position = end
            return
        }
        if first == UInt8(ascii: "\"") {
            _ = try scanString()
            return
        }
        var depth = 0
        while position < end {
            switch base[position] {
            case UInt8(ascii: "\""):
                _ = try scanString()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return }
                depth -= 1
                if depth == 0 {
                    position += 1
                    return
                }
            case UInt8(ascii: ",") where depth == 0: return
            default: break
            }
            position += 1
        }
    }
}
