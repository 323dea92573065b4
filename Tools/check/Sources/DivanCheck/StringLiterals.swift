/// The string literals of a source in Swift or JavaScript.
///
/// Literals that `+` joins are one. An interpolation is `Passage.code`; literals in it are separate.
struct StringLiterals {
    /// A literal: its lines without the indentation, each with its number.
    typealias Literal = [(line: Int, text: String)]

    private let bytes: [UInt8]
    /// Whether the source is JavaScript.
    private let isScript: Bool
    private var index = 0
    private var line = 1
    private var literals: [Literal] = []

    /// Returns the literals of a source, in order.
    static func read(_ source: String, isScript: Bool = false) -> [Literal] {
        var reader = StringLiterals(bytes: Array(source.utf8), isScript: isScript)
        reader.readCode(until: nil)
        return reader.literals
    }

    private init(bytes: [UInt8], isScript: Bool) {
        self.bytes = bytes
        self.isScript = isScript
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        index + offset < bytes.count ? bytes[index + offset] : nil
    }

    private func isAt(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[index...].starts(with: $0) }
    }

    private mutating func step(_ count: Int = 1) {
        let end = min(index + count, bytes.count)
        while index < end {
            if bytes[index] == .newline { line += 1 }
            index += 1
        }
    }

    // MARK: Code

    /// Whether a byte can begin or end something in code, by byte.
    private static let isMark = (UInt8.min...UInt8.max).map { "/#\"'`(){}".utf8.contains($0) }

    /// Reads code up to the end, or to the parenthesis or brace that closes an interpolation.
    private mutating func readCode(until end: UInt8?) {
        let start = end == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "(")
        var depth = 0
        /// The last byte that is no space.
        var last: UInt8 = 0
        while let byte = peek() {
            if !Self.isMark[Int(byte)] {
                if byte == .newline { line += 1 }
                if byte > .space { last = byte }
                index += 1
            } else if isAt("//") {
                skipLine()
            } else if isAt("/*") {
                skipComment()
            } else if let pounds = poundsOfLiteral {
                readJoined(pounds)
                last = .quote
            } else if isAt("#/") || (byte == .slash && startsRegex(after: last)) {
                skipRegex()
                last = .slash
            } else {
                if byte == start { depth += 1 }
                if byte == end {
                    if depth == 0 { return step() }
                    depth -= 1
                }
                if byte == UInt8(ascii: "`") { skipName() }
                if byte > .space { last = byte }
                step()
            }
        }
    }

    private mutating func skipLine() {
        index = bytes[index...].firstIndex(of: .newline) ?? bytes.count
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            if isAt("/*") {
                depth += 1
                step(2)
            } else if isAt("*/") {
                depth -= 1
                step(2)
            } else {
                step()
            }
        } while depth > 0 && index < bytes.count
    }

    /// A name in backticks is on one line.
    private mutating func skipName() {
        let rest = bytes[(index + 1)...].prefix { $0 != .newline }
        if let end = rest.firstIndex(of: UInt8(ascii: "`")) { step(end - index) }
    }

    private func startsRegex(after last: UInt8) -> Bool {
        guard let next = peek(1), next > .space else { return false }
        return (last == 0 || "(,=:[{&|?!".utf8.contains(last)) && endOfRegex != nil
    }

    /// The slash that ends a regular expression on the same line.
    private var endOfRegex: Int? {
        var place = index + 1
        while place < bytes.count, bytes[place] != .newline {
            if bytes[place] == .slash { return place }
            place += bytes[place] == .backslash ? 2 : 1
        }
        return nil
    }

    private mutating func skipRegex() {
        if isAt("#/") {
            step(2)
            while index < bytes.count, !isAt("/#") { step() }
            return step(2)
        }
        if let end = endOfRegex { step(end - index + 1) }
    }

    // MARK: Literals

    private static let scriptQuotes = Array("\"'`".utf8)

    /// The number of `#` before the quote that begins a literal here; `nil` if none begins.
    private var poundsOfLiteral: Int? {
        if isScript { return peek().map(Self.scriptQuotes.contains) == true ? 0 : nil }
        var count = 0
        while peek(count) == .pound { count += 1 }
        return peek(count) == .quote ? count : nil
    }

    /// Reads a literal, and those that `+` appends to it.
    private mutating func readJoined(_ pounds: Int) {
        var literal = readLiteral(pounds)
        while true {
            let start = (index, line)
            skipSpace()
            if peek() == UInt8(ascii: "+") {
                step()
                skipSpace()
                if let pounds = poundsOfLiteral {
                    literal += readLiteral(pounds)
                    continue
                }
            }
            (index, line) = start
            break
        }
        literals.append(literal)
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte <= .space { step() }
    }

    private mutating func readLiteral(_ pounds: Int) -> Literal {
        if isScript { return readScriptLiteral() }
        step(pounds)
        let isLong = isAt("\"\"\"")
        step(isLong ? 3 : 1)
        let quotes = [UInt8](repeating: .quote, count: isLong ? 3 : 1)
        let end = quotes + [UInt8](repeating: .pound, count: pounds)
        let escape = [.backslash] + [UInt8](repeating: .pound, count: pounds)
        var lines: Literal = []
        var text: [UInt8] = []
        var start = line
        func flush() { lines.append((start, String(decoding: text, as: UTF8.self))) }
        while let byte = peek() {
            if bytes[index...].starts(with: end) {
                step(end.count)
                break
            }
            if byte == .newline, !isLong { break }
            if bytes[index...].starts(with: escape) {
                step(escape.count)
                text += readEscape()
                continue
            }
            text.append(byte)
            step()
            if byte == .newline {
                flush()
                text = []
                start = line
            }
        }
        guard isLong else {
            flush()
            return lines
        }
        // What is before the closing quotes is the indentation.
        return lines.dropFirst().map { ($0.line, String($0.text.dropFirst(text.count))) }
    }

    private mutating func readScriptLiteral() -> Literal {
        let quote = peek()
        let start = line
        var text: [UInt8] = []
        step()
        while let byte = peek(), byte != quote {
            if byte == .backslash {
                step(2)
            } else if quote == UInt8(ascii: "`"), isAt("${") {
                step(2)
                readCode(until: UInt8(ascii: "}"))
                text += Array(Passage.code.utf8)
            } else {
                text.append(byte)
                step()
            }
        }
        step()
        return [(start, String(decoding: text, as: UTF8.self))]
    }

    /// Reads what follows a backslash, and returns what it stands for.
    private mutating func readEscape() -> [UInt8] {
        guard let byte = peek() else { return [] }
        step()
        switch byte {
        case UInt8(ascii: "("):
            readCode(until: UInt8(ascii: ")"))
            return Array(Passage.code.utf8)
        case UInt8(ascii: "u"):
            while let byte = peek(), byte != UInt8(ascii: "}") { step() }
            step()
            return Array("…".utf8)
        case UInt8(ascii: "n"): return Array(Passage.end.utf8)
        case UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "0"), .newline: return [.space]
        default: return [byte]
        }
    }
}

extension UInt8 {
    fileprivate static let newline = UInt8(ascii: "\n")
    fileprivate static let space = UInt8(ascii: " ")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let pound = UInt8(ascii: "#")
    fileprivate static let slash = UInt8(ascii: "/")
    fileprivate static let backslash = UInt8(ascii: "\\")
}
