/// The members of an object as places in its text, each parsed when it is asked for.
///
/// For a document of which a property or two are read. Making one checks the whole text as strictly
/// as a parse does, in a quarter of its time, and allocates a list of places only. Asking for a member
/// looks at the keys one after another: who reads most of them parses the text.
public struct JSONOutline: Sendable {
    /// Where a member stands in the text.
    struct Place {
        let key: StringToken
        /// The first byte of the value.
        let value: Int
    }

    private let text: [UInt8]
    private let places: [Place]

    /// Checks a text, and notes where its members are.
    ///
    /// - Throws: `JSONError` with the first problem; `wrongKind` for a text that is no object.
    public init(_ text: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        self.text = text
        places = try Lexer.read(text.span, limits: limits) { lexer throws(JSONError.Reason) in
            var scan = OutlineScan(lexer: lexer, depthLimit: limits.depth)
            defer { lexer.position = scan.lexer.position }
            return try scan.scanPlaces()
        }
    }

    /// The value under `key`, parsed anew at each call; `nil` when there is none.
    ///
    /// Of equal keys the last one counts.
    public subscript(key: String) -> JSON? {
        var key = key
        return key.withUTF8 { key in
            // The text was checked, so reading it again cannot fail.
            try? Lexer.read(text.span, limits: Self.unlimited) { lexer throws(JSONError.Reason) in
                for place in places.reversed() where lexer.spells(key, place.key) {
                    lexer.position = place.value
                    if try lexer.peek() == UInt8(ascii: "\"") {
                        return .string(lexer.text(of: try lexer.scanString()))
                    }
                    if let number = try lexer.shortInteger() { return number }
                    var parser = TreeParser(lexer: lexer, depthLimit: .max)
                    return try parser.parseValue(depth: 1)
                }
                return nil
            }
        }
    }

    private static let unlimited = JSONLimits(depth: .max, byteCount: .max)
}

extension Lexer {
    /// Whether a scanned string says these bytes.
    fileprivate func spells(_ wanted: UnsafeBufferPointer<UInt8>, _ token: StringToken) -> Bool {
        guard token.hasEscapes else {
            return token.byteCount == wanted.count && bytes(of: token).elementsEqual(wanted)
        }
        var decoded: [UInt8] = []
        decode(token, appendingTo: &decoded)
        return decoded.elementsEqual(wanted)
    }
}
