extension JSON {
    /// Parses an object into plain dictionaries, arrays and strings, without a tree in between.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - limits: How long and deep it may be.
    ///   - form: What stands for every other value, and for each object that has a key `@type`.
    /// - Returns: `nil` for a text that is no object, or in which the keys of an object do not ascend:
    ///   which of two keys counts there, and in what order they are visited, a tree tells.
    /// - Throws: `JSONError` with the first problem.
    public static func plainDictionary(
        parsing bytes: Span<UInt8>,
        limits: JSONLimits = .default,
        form: @escaping (JSON) -> Any
    ) throws(JSONError) -> [String: Any]? {
        try Lexer.read(bytes, limits: limits) { lexer throws(JSONError.Reason) in
            guard try lexer.peek() == UInt8(ascii: "{") else { return nil }
            var parser = PlainParser(lexer: lexer, depthLimit: limits.depth, form: form)
            defer { lexer.position = parser.lexer.position }
            return try parser.parseText()
        }
    }
}

/// One parse into plain collections; calls itself once for each container that is open.
private struct PlainParser: ~Copyable {
    private(set) var lexer: Lexer
    private let depthLimit: Int
    private let form: (JSON) -> Any
    private var ledger = KeyLedger()
    private var ascends = true
    // As in `TreeParser`: siblings are alike. The first is the document itself.
    private var expectedMemberCount = 12

    init(lexer: Lexer, depthLimit: Int, form: @escaping (JSON) -> Any) {
        self.lexer = lexer
        self.depthLimit = depthLimit
        self.form = form
    }

    mutating func parseText() throws(JSONError.Reason) -> [String: Any]? {
        let value = try parseObject(depth: 1)
        try lexer.expectEnd()
        return ascends ? value as? [String: Any] : nil
    }

    @inline(__always)
    private mutating func parseValue(depth: Int) throws(JSONError.Reason) -> Any {
        switch try lexer.peek() {
        case UInt8(ascii: "\""): return lexer.text(of: try lexer.scanString())
        case UInt8(ascii: "{"): return try parseObject(depth: depth)
        case UInt8(ascii: "["): return try parseArray(depth: depth)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            return form(try lexer.value(of: lexer.scanNumber()))
        default: return form(try lexer.scanLiteral())
        }
    }

    private mutating func parseArray(depth: Int) throws(JSONError.Reason) -> [Any] {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit) }
        lexer.position += 1
        var items: [Any] = []
        if try lexer.peek() == UInt8(ascii: "]") {
            lexer.position += 1
            return items
        }
        repeat {
            items.append(try parseValue(depth: depth + 1))
        } while try lexer.scanSeparator(closing: UInt8(ascii: "]"))
        return items
    }

    private mutating func parseObject(depth: Int) throws(JSONError.Reason) -> Any {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit) }
        let start = lexer.position
        lexer.position += 1
        if try lexer.peek() == UInt8(ascii: "}") {
            lexer.position += 1
            return [String: Any]()
        }
        var members = [String: Any](minimumCapacity: expectedMemberCount)
        let first = ledger.count
        repeat {
            let quote = try lexer.peek()
            guard quote == UInt8(ascii: "\"") else { throw .unexpectedByte(quote) }
            let token = try lexer.scanString()
            let record = ledger.record(of: token, in: lexer)
            if record.isType {
                ledger.close(objectFrom: first)
                return try parseTyped(from: start, depth: depth)
            }
            if !ledger.add(record, in: lexer, objectFrom: first) { ascends = false }
            try lexer.expect(UInt8(ascii: ":"))
            let key = lexer.text(of: token)
            members[key] = try parseValue(depth: depth + 1)
        } while try lexer.scanSeparator(closing: UInt8(ascii: "}"))
        ledger.close(objectFrom: first)
        expectedMemberCount = min(members.count, 16)
        return members
    }

    /// Goes back to an object's start and parses it as a tree, what stands inside too.
    private mutating func parseTyped(from start: Int, depth: Int) throws(JSONError.Reason) -> Any {
        lexer.position = start
        var parser = TreeParser(lexer: lexer, depthLimit: depthLimit)
        defer { lexer.position = parser.lexer.position }
        return form(try parser.parseValue(depth: depth))
    }
}
