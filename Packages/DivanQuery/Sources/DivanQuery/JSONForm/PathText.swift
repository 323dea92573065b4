import DivanJSON

/// The text of paths in the JSON form and in code: `.a.b[0]`, with `\` before a character that is no separator.
///
/// Source: `sqlpp.md` §10.
extension QueryPath {
    /// Parses `a.b[0][-1]`, with or without a leading dot.
    ///
    /// - Throws: `QueryError` if a key is empty or a bracket is not closed.
    public init(text: String) throws(QueryError) {
        var reader = PathReader(text)
        self = try reader.path()
    }

    /// The path for a source name in code: `shop.chairs` has two keys; a text that is not a path is one key.
    public init(source name: String) {
        let path = try? QueryPath(text: name)
        let isName = path.map { !$0.isEmpty && $0.keys.count == $0.steps.count } ?? false
        self = path.flatMap { isName ? $0 : nil } ?? QueryPath(keys: name)
    }

    /// The text with a dot before each key, or `nil` if it has none because a key is empty.
    var text: String? {
        var text = ""
        for step in steps {
            switch step {
            case .item(let item): text += "[\(item)]"
            case .key(let key):
                if key.text.isEmpty { return nil }
                text += "." + Self.escaped(key.text)
            }
        }
        return text
    }

    static func escaped(_ key: String) -> String {
        guard key.utf8.contains(where: { Self.special.contains($0) }) else { return key }
        var text = ""
        for scalar in key.unicodeScalars {
            if scalar.isASCII, special.contains(UInt8(scalar.value)) { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    private static let special: Set<UInt8> = [
        UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "$"), UInt8(ascii: "\\"),
    ]
}

private struct PathReader {
    private let text: String
    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
        if bytes.first == UInt8(ascii: ".") { place = 1 }
    }

    mutating func path() throws(QueryError) -> QueryPath {
        var steps: [QueryPath.Step] = []
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "[") {
                steps.append(.item(try item()))
            } else {
                if !steps.isEmpty {
                    guard bytes[place] == UInt8(ascii: ".") else { throw invalid }
                    place += 1
                }
                steps.append(.key(try key()))
            }
        }
        return QueryPath(steps)
    }

    private mutating func key() throws(QueryError) -> ExactText {
        var key: [UInt8] = []
        while place < bytes.count {
            let byte = bytes[place]
            if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") { break }
            place += 1
            guard byte == UInt8(ascii: "\\") else {
                key.append(byte)
                continue
            }
            guard place < bytes.count else { throw invalid }
            key.append(bytes[place])
            place += 1
        }
        if key.isEmpty { throw invalid }
        return ExactText(String(decoding: key, as: UTF8.self))
    }

    private mutating func item() throws(QueryError) -> Int {
        guard let end = bytes[place...].firstIndex(of: UInt8(ascii: "]")),
            let item = Int(String(decoding: bytes[(place + 1)..<end], as: UTF8.self))
        else { throw invalid }
        place = end + 1
        return item
    }

    private var invalid: QueryError {
        QueryError("invalid property path '\(text.prefix(64))'; write it as a.b[0]")
    }
}

/// ASCII marks before and after names, compared as bytes: with an accent after it a dot is another
/// `Character`, not the mark that it is in the text.
extension StringProtocol {
    /// Whether the text begins with the mark.
    func begins(with mark: StaticString) -> Bool {
        mark.withUTF8Buffer { utf8.starts(with: $0) }
    }

    /// Whether the text ends with the mark.
    func ends(with mark: StaticString) -> Bool {
        mark.withUTF8Buffer { utf8.suffix($0.count).elementsEqual($0) }
    }

    /// The text without this many bytes at the start and at the end.
    func dropping(_ front: Int, _ behind: Int = 0) -> String {
        String(decoding: utf8.dropFirst(front).dropLast(behind), as: UTF8.self)
    }
}
