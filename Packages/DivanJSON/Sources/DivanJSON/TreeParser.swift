extension JSON {
    /// Parses JSON text, with the same checks as `JSONScanner.validate`.
    ///
    /// - Throws: `JSONError` with the first problem.
    public init(parsing bytes: Span<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
        self = try Lexer.read(bytes, limits: limits) { lexer throws(JSONError.Reason) in
            var parser = TreeParser(lexer: lexer, depthLimit: limits.depth)
            defer { lexer.position = parser.lexer.position }
            return try parser.parseText()
        }
    }

    /// Parses JSON text.
    ///
    /// - Throws: `JSONError` with the first problem.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: bytes.span, limits: limits)
    }

    /// Parses JSON text.
    ///
    /// - Throws: `JSONError` with the first problem.
    public init(parsing bytes: ArraySlice<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: bytes.span, limits: limits)
    }

    /// Parses JSON text.
    ///
    /// - Throws: `JSONError` with the first problem; its offset counts UTF-8 bytes.
    public init(parsing text: String, limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}

/// One parse in progress; recursive, once for each open container.
struct TreeParser: ~Copyable {
    var lexer: Lexer
    private let depthLimit: Int
    private var ledger = KeyOrderTracker()
    // Siblings are alike: the last object's size saves the next one from growing twice. At most
    // 16, so that one large object does not make many small ones reserve much.
    private var expectedMemberCount = 4

    init(lexer: Lexer, depthLimit: Int) {
        self.lexer = lexer
        self.depthLimit = depthLimit
    }

    /// Parses the whole text.
    mutating func parseText() throws(JSONError.Reason) -> JSON {
        let value = try parseValue(depth: 1)
        try lexer.expectEnd()
        return value
    }

    /// Parses one value; `depth` is the number of open containers, plus 1.
    @inline(__always)
    mutating func parseValue(depth: Int) throws(JSONError.Reason) -> JSON {
        switch try lexer.peek() {
        case UInt8(ascii: "\""): .string(lexer.text(of: try lexer.scanString()))
        case UInt8(ascii: "{"): .object(try parseObject(depth: depth))
        case UInt8(ascii: "["): .array(try parseArray(depth: depth))
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            try lexer.value(of: lexer.scanNumber())
        default: try lexer.scanLiteral()
        }
    }

    private mutating func parseArray(depth: Int) throws(JSONError.Reason) -> [JSON] {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit) }
        lexer.position += 1
        var items: [JSON] = []
        if try lexer.peek() == UInt8(ascii: "]") {
            lexer.position += 1
            return items
        }
        repeat {
            items.append(try parseValue(depth: depth + 1))
        } while try lexer.scanSeparator(closing: UInt8(ascii: "]"))
        return items
    }

    private mutating func parseObject(depth: Int) throws(JSONError.Reason) -> JSONObject {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit) }
        lexer.position += 1
        var members: [JSONObject.Entry] = []
        if try lexer.peek() == UInt8(ascii: "}") {
            lexer.position += 1
            return JSONObject()
        }
        members.reserveCapacity(expectedMemberCount)
        let first = ledger.count
        var ascends = true
        repeat {
            let quote = try lexer.peek()
            guard quote == UInt8(ascii: "\"") else { throw .unexpectedByte(quote) }
            let token = try lexer.scanString()
            if !ledger.add(token, in: lexer, objectFrom: first) { ascends = false }
            try lexer.expect(UInt8(ascii: ":"))
            let key = lexer.text(of: token)
            members.append(JSONObject.Entry(key: key, value: try parseValue(depth: depth + 1)))
        } while try lexer.scanSeparator(closing: UInt8(ascii: "}"))
        if !ascends {
            sort(&members, from: first)
            members.keepLastOfEqualKeys()
        }
        ledger.close(objectFrom: first)
        expectedMemberCount = min(members.count, 16)
        return JSONObject(ordered: members)
    }

    /// Sorts members by their keys' records; stable, so equal keys keep their order.
    private mutating func sort(_ members: inout [JSONObject.Entry], from first: Int) {
        guard members.count > 16 else {
            members.withUnsafeMutableBufferPointer { members in
                for end in members.indices.dropFirst() {
                    var offset = end
                    while offset > 0, isBefore(first + offset, first + offset - 1) {
                        members.swapAt(offset, offset - 1)
                        ledger.swapAt(first + offset, first + offset - 1)
                        offset -= 1
                    }
                }
            }
            return
        }
        let order = members.indices.sorted { isBefore(first + $0, first + $1) }
        members = order.map { members[$0] }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        ledger.precedes(ledger[left], ledger[right], in: lexer)
    }
}
