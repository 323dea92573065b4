public import DivanJSON

/// The text of a query's row, for which long documents are not parsed as trees.
public enum QueryRowText {
    // A value may be as deep as a document, and a query puts containers around it; what is deeper is parsed as a tree.
    private static let limits = JSONLimits(depth: 512, byteCount: .max)

    /// A row as an object in canonical form; of columns with the same title the last counts.
    ///
    /// - Throws: `JSONError` for a value that JSON text cannot represent.
    public static func object(_ titles: [ExactText], _ row: [QueryValue]) throws -> [UInt8] {
        var members: [ExactText: [UInt8]] = [:]
        for (title, value) in zip(titles, row) {
            if let text = try self.value(value) { members[title] = text }
        }
        var text = [UInt8(ascii: "{")]
        for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += try JSON.string(member.key.text).canonicalBytes()
            text.append(UInt8(ascii: ":"))
            text += member.value
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// A value in canonical form, with null instead of what JSON text cannot represent; `nil` for MISSING.
    ///
    /// - Throws: `JSONError`.
    public static func value(_ value: QueryValue) throws -> [UInt8]? {
        if case .container(let bytes) = value,
            let members = try? JSONMembers(parsing: bytes, limits: limits)
        {
            return try members.canonicalBytes()
        }
        return try value.writableJSON?.canonicalBytes(limits: JSONLimits(depth: .max))
    }
}
