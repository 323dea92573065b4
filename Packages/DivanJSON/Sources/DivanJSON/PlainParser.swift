extension JSON {
    /// Parses an object into plain dictionaries, arrays and strings, without building a tree.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - limits: The limits on its length and depth.
    ///   - form: Converts all other values, and the objects that have a key `@type`.
    /// - Returns: `nil` for a value that is not an object; for keys that are not in ascending order, because only
    ///   a tree resolves repeated keys and the order of visits; and for text of which too much would be read twice,
    ///   such as nested objects with a type.
    /// - Throws: `JSONError` with the first problem.
    public static func plainDictionary(
        parsing bytes: Span<UInt8>,
        limits: JSONLimits = .default,
        form: @escaping (JSON) -> Any
    ) throws(JSONError) -> [String: Any]? {
        var shapes = ObjectShapes()
        return try plainDictionary(parsing: bytes, limits: limits, shapes: &shapes, form: form)
    }

    /// The same, but faster if the text is similar to earlier texts, whose shapes are in `shapes`.
    public static func plainDictionary(
        parsing bytes: Span<UInt8>,
        limits: JSONLimits = .default,
        shapes: inout ObjectShapes,
        form: @escaping (JSON) -> Any
    ) throws(JSONError) -> [String: Any]? {
        try Lexer.read(bytes, limits: limits) { lexer throws(JSONError.Reason) in
            guard try lexer.peek() == UInt8(ascii: "{") else { return nil }
            // Moved there and back, so that changing them copies nothing.
            let known = exchange(&shapes, with: ObjectShapes())
            var parser = PlainParser(
                lexer: lexer,
                depthLimit: limits.depth,
                shapes: known,
                form: form
            )
            defer {
                lexer.position = parser.lexer.position
                shapes = parser.shapes
            }
            return try parser.parseText()
        }
    }
}

/// One parse into plain collections; recursive, once for each open container.
private struct PlainParser: ~Copyable {
    private(set) var lexer: Lexer
    private(set) var shapes: ObjectShapes
    private let depthLimit: Int
    private let form: (JSON) -> Any
    private var ledger = KeyOrderTracker()
    private var values = PlainValues()
    private var ascends = true
    /// Bytes that were read before their object turned out to have a type, and again after that.
    private var rereadCount = 0
    // As in `TreeParser`: siblings are alike. The first is the document itself.
    private var expectedMemberCount = 12

    init(
        lexer: Lexer,
        depthLimit: Int,
        shapes: consuming ObjectShapes,
        form: @escaping (JSON) -> Any
    ) {
        self.lexer = lexer
        self.depthLimit = depthLimit
        self.shapes = shapes
        self.form = form
    }

    mutating func parseText() throws(JSONError.Reason) -> [String: Any]? {
        let value = try parseObject(depth: 1, slot: ObjectShapes.outermost)
        try lexer.expectEnd()
        return ascends ? value as? [String: Any] : nil
    }

    /// Parses a value; `slot` is the place of its objects.
    @inline(__always)
    private mutating func parseValue(depth: Int, slot: Int) throws(JSONError.Reason) -> Any {
        switch try lexer.peek() {
        case UInt8(ascii: "\""): return lexer.text(of: try lexer.scanString())
        case UInt8(ascii: "{"): return try parseObject(depth: depth, slot: slot)
        case UInt8(ascii: "["): return try parseArray(depth: depth, slot: slot)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            return form(try lexer.value(of: lexer.scanNumber()))
        default: return form(try lexer.scanLiteral())
        }
    }

    private mutating func parseArray(depth: Int, slot: Int) throws(JSONError.Reason) -> [Any] {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit) }
        lexer.position += 1
        if try lexer.peek() == UInt8(ascii: "]") {
            lexer.position += 1
            return []
        }
        let first = values.count
        repeat {
            values.append(try parseValue(depth: depth + 1, slot: slot))
        } while try lexer.scanSeparator(closing: UInt8(ascii: "]"))
        return values.takeArray(from: first)
    }

    private mutating func parseObject(depth: Int, slot: Int) throws(JSONError.Reason) -> Any {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit) }
        let start = lexer.position
        lexer.position += 1
        if try lexer.peek() == UInt8(ascii: "}") {
            lexer.position += 1
            return [String: Any]()
        }
        guard let shape = shapes.expected(at: slot) else {
            return try parseMembers(depth: depth, slot: slot, from: start)
        }
        let first = values.count
        var number = 0
        while number < shape.keys.count, lexer.skipKey(number, of: shape) {
            values.append(try parseValue(depth: depth + 1, slot: shape.firstSlot + number))
            number += 1
            guard try lexer.scanSeparator(closing: UInt8(ascii: "}")) else {
                if number == shape.keys.count {
                    shapes.confirm(at: slot)
                    return values.takeDictionary(shape, from: first)
                }
                expect(Array(shape.keys[..<number]), at: slot)
                return values.takeMembers(shape, from: first)
            }
        }
        let begun = SharedPrefix(
            members: values.takeMembers(shape, from: first),
            keys: shape.keys[..<number]
        )
        return try parseMembers(depth: depth, slot: slot, from: start, behind: begun)
    }

    /// What an object that differs from earlier ones has in common with them.
    private struct SharedPrefix {
        var members: [String: Any]
        let keys: ArraySlice<String>
    }

    /// Parses the members of an object, or those after some; nothing is known about their keys.
    private mutating func parseMembers(
        depth: Int,
        slot: Int,
        from start: Int,
        behind begun: SharedPrefix? = nil
    ) throws(JSONError.Reason) -> Any {
        var members = begun?.members ?? [String: Any](minimumCapacity: expectedMemberCount)
        var keys: [String]? = shapes.wantsKeys(at: slot) ? Array(begun?.keys ?? []) : nil
        let first = ledger.count
        var lastKey = begun?.keys.last
        repeat {
            let quote = try lexer.peek()
            guard quote == UInt8(ascii: "\"") else { throw .unexpectedByte(quote) }
            let token = try lexer.scanString()
            let record = ledger.record(of: token, in: lexer)
            if record.isType {
                rereadCount += lexer.position - start
                if rereadCount <= 4 * lexer.end {
                    ledger.close(objectFrom: first)
                    return try parseTyped(from: start, depth: depth)
                }
                // This parse has no result any more; the rest is only checked.
                ascends = false
            }
            if !ledger.add(record, in: lexer, objectFrom: first) { ascends = false }
            try lexer.expect(UInt8(ascii: ":"))
            let key = lexer.text(of: token)
            if let last = lastKey.take(), !last.utf8.lexicographicallyPrecedes(key.utf8) {
                ascends = false
            }
            if token.hasEscapes { keys = nil } else { keys?.append(key) }
            members[key] = try parseValue(depth: depth + 1, slot: ObjectShapes.nowhere)
        } while try lexer.scanSeparator(closing: UInt8(ascii: "}"))
        ledger.close(objectFrom: first)
        expectedMemberCount = min(members.count, 16)
        if let keys, ascends { expect(keys, at: slot) }
        return members
    }

    private mutating func expect(_ keys: [String], at slot: Int) {
        if shapes.wantsKeys(at: slot) { shapes.expect(keys, at: slot) }
    }

    /// Goes back to an object's start and parses it as a tree, with everything inside.
    private mutating func parseTyped(from start: Int, depth: Int) throws(JSONError.Reason) -> Any {
        lexer.position = start
        var parser = TreeParser(lexer: lexer, depthLimit: depthLimit)
        defer { lexer.position = parser.lexer.position }
        return form(try parser.parseValue(depth: depth))
    }
}

extension Lexer {
    /// Skips a key of a shape and its colon; moves only if they come next.
    @inline(__always)
    fileprivate mutating func skipKey(_ number: Int, of shape: ObjectShapes.Shape) -> Bool {
        let (start, stop) = (shape.starts[number], shape.starts[number + 1])
        guard stop &- start <= end &- position else { return false }
        let isHere = shape.spelling.withUnsafeBufferPointer { spelling in
            for offset in 0..<(stop &- start)
            where spelling[start + offset] != base[position + offset] {
                return false
            }
            return true
        }
        if isHere { position &+= stop &- start }
        return isHere
    }
}
