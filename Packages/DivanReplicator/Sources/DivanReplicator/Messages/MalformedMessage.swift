import DivanJSON

/// A message's body does not match its profile.
struct MalformedMessage: Error {
    /// Reads a whole body; any error in it is the sender's fault.
    static func reading<Value>(
        _ body: [UInt8],
        _ read: (inout JSONReader) throws -> Value
    ) throws(MalformedMessage) -> Value {
        var reader = JSONReader(body)
        do {
            let value = try read(&reader)
            try reader.finish()
            return value
        } catch {
            throw MalformedMessage()
        }
    }
}

extension MalformedMessage {
    /// Reads a body that is a list with at most `limit` items; `null` is an empty one.
    ///
    /// The bodies of `changes` and `proposeChanges` and of their answers are such lists.
    static func readingList<Item>(
        _ body: [UInt8],
        count limit: Int,
        _ readItem: (inout JSONReader) throws -> Item
    ) throws(MalformedMessage) -> [Item] {
        try reading(body) { reader in
            guard try reader.peekKind() != .null else {
                try reader.skip()
                return []
            }
            var items: [Item] = []
            try reader.beginArray()
            while try reader.nextElement() {
                guard items.count < limit else { throw MalformedMessage() }
                items.append(try readItem(&reader))
            }
            return items
        }
    }
}

extension JSONReader {
    /// Reads a verdict on one entry of a list: 0, which is `nil` here, or an HTTP status, 100 to 999.
    mutating func readStatus() throws -> HTTPStatus? {
        let number = try readInteger()
        guard number != 0 else { return nil }
        guard (100...999).contains(number) else { throw MalformedMessage() }
        return HTTPStatus(rawValue: number)
    }
}

extension RemoteSequence {
    /// Reads any JSON value as its exact text.
    init(reading reader: inout JSONReader) throws {
        let raw = try reader.readRaw()
        // Longer ones do not occur in practice, and each is kept until its revision has arrived.
        guard raw.count <= 1_000 else { throw MalformedMessage() }
        self.init(json: raw.span)
    }
}
