/// The members of an object as positions in its text, each parsed on demand.
///
/// For documents of which only one or two properties are read. The initializer checks the whole text as strictly as
/// the parser, in a quarter of the time, and allocates only a list of positions. A lookup compares the keys one
/// after another; to read most of them, parse the text instead.
public struct JSONOutline: Sendable {
    /// The position of a member in the text.
    struct Place {
        let key: StringToken
        /// The first byte of the value.
        let value: Int
    }

    private let text: [UInt8]
    private let places: [Place]

    /// Checks text, and records the positions of its members.
    ///
    /// - Throws: `JSONError` with the first problem; `wrongKind` for a value that is not an object.
    public init(_ text: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        self.text = text
        places = try Lexer.read(text.span, limits: limits) { lexer throws(JSONError.Reason) in
            var scan = OutlineScan(lexer: lexer, depthLimit: limits.depth)
            defer { lexer.position = scan.lexer.position }
            return try scan.scanPlaces()
        }
    }

    /// The value of `key`, parsed again at each call; `nil` if there is none.
    ///
    /// If a key occurs twice, the last value is used.
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
    /// Whether a scanned string has these bytes as its text.
    fileprivate func spells(_ wanted: UnsafeBufferPointer<UInt8>, _ token: StringToken) -> Bool {
        guard token.hasEscapes else {
            return token.byteCount == wanted.count && bytes(of: token).elementsEqual(wanted)
        }
        var decoded: [UInt8] = []
        decode(token, appendingTo: &decoded)
        return decoded.elementsEqual(wanted)
    }
}
