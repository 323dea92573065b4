import DivanJSON

/// A member of `revisions` in the line of a document.
///
/// The body is not part of the members: it may be as long as a document, and stays text.
struct DumpedRevision {
    /// All members but the body.
    var members: JSONObject
    /// The revision's body; `nil` if it is not known.
    var body: Body?

    /// The text of a body.
    struct Body {
        var bytes: [UInt8]
        /// Whether it is written as a value; otherwise as a string, so that its exact bytes are kept.
        var isCanonical = true
    }
}

// MARK: Writing

extension DumpedRevision.Body {
    /// Checks how a stored body is written.
    ///
    /// - Throws: `DumpDamage` for one that is not text.
    init(stored bytes: [UInt8]) throws(DumpDamage) {
        self.bytes = bytes
        let summary = try? JSONScanner.validate(bytes.span, limits: ExchangeLimits.json)
        isCanonical = summary?.isCanonical ?? false
        if summary == nil, (try? UTF8Span(validating: bytes.span)) == nil {
            throw DumpDamage("a body is not text")
        }
    }
}

extension DumpedRevision {
    private static let pieceByteCount = 1 << 16

    /// Passes the text on in pieces; the key `body` comes first in canonical order, and `text` last.
    func write(to sink: ([UInt8]) throws -> Void) throws {
        guard let body else { return try sink(JSON.object(members).canonicalBytes()) }
        let others = Array(try JSON.object(members).canonicalBytes().dropFirst().dropLast())
        let comma = others.isEmpty ? "" : ","
        if body.isCanonical {
            try sink(Array("{\"body\":".utf8))
            try sink(body.bytes)
            try sink(Array(comma.utf8) + others + [UInt8(ascii: "}")])
        } else {
            try sink([UInt8(ascii: "{")] + others + Array("\(comma)\"text\":\"".utf8))
            try Self.writeContent(of: body.bytes, to: sink)
            try sink(Array("\"}".utf8))
        }
    }

    /// Passes on what is between the quotation marks of a string.
    private static func writeContent(
        of text: [UInt8],
        to sink: ([UInt8]) throws -> Void
    ) throws {
        var start = 0
        while start < text.count {
            var end = min(start + pieceByteCount, text.count)
            // No piece ends within a character.
            while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
            let piece = String(decoding: text[start..<end], as: UTF8.self)
            try sink(Array(try JSON.string(piece).canonicalBytes().dropFirst().dropLast()))
            start = end
        }
    }
}

// MARK: Reading

extension DumpedRevision {
    /// Reads a member of `revisions`.
    init(_ text: ArraySlice<UInt8>) throws(DumpDamage) {
        let problem = DumpDamage("a revision is not an object")
        guard let read = try? JSONMembers(parsing: text, limits: ExchangeLimits.json) else {
            throw problem
        }
        if let tree = read.tree {
            try self.init(tree)
            return
        }
        var rest = read
        rest["body"] = nil
        rest["text"] = nil
        guard let bytes = try? rest.canonicalBytes(),
            let members = (try? JSON(parsing: bytes, limits: ExchangeLimits.json))?.object
        else { throw problem }
        self.init(members: members)
        if read.contains("body") {
            body = try Self.body(read.text(of: "body"))
        } else if let text = read.text(of: "text") {
            var reader = JSONReader(text, limits: ExchangeLimits.json)
            body = try Self.body((try? reader.readStringBytes()).map { Array($0) })
        }
    }

    /// Reads a member of `revisions` that was parsed.
    init(_ object: JSONObject) throws(DumpDamage) {
        members = object
        for key in ["body", "text"] { members[key] = nil }
        if let value = object["body"] {
            guard value.object != nil, let bytes = try? value.canonicalBytes() else {
                throw Self.noBody
            }
            body = Body(bytes: bytes)
        } else if let text = object["text"] {
            body = try Self.body(text.string.map { Array($0.utf8) })
        }
    }

    /// A body that is written as a value, in canonical form.
    private static func body(_ text: ArraySlice<UInt8>?) throws(DumpDamage) -> Body {
        guard let text, let members = try? JSONMembers(parsing: text),
            let bytes = try? members.canonicalBytes()
        else { throw noBody }
        return Body(bytes: bytes)
    }

    /// A body that is written as a string: its exact bytes.
    private static func body(_ bytes: [UInt8]?) throws(DumpDamage) -> Body {
        guard let bytes,
            let summary = try? JSONScanner.validate(bytes.span, checksSpelling: false),
            summary.kind == .object
        else { throw noBody }
        return Body(bytes: bytes, isCanonical: false)
    }

    private static var noBody: DumpDamage { DumpDamage("a body is not a JSON object, or too deep") }
}
