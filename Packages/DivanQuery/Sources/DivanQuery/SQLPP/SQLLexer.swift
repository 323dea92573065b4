/// Splits SQL++ text into tokens, one at a time; no byte is examined more than a few times.
struct SQLLexer {
    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The text of a range that this lexer returned.
    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// The text after an offset that this lexer returned.
    func rest(from offset: Int) -> String {
        // No more than messages show.
        let end = min(offset + 256, bytes.count)
        return String(decoding: bytes[min(offset, end)..<end], as: UTF8.self)
    }

    /// Whether there is a digit, or a dot and a digit, directly at `offset`.
    func hasNumber(at offset: Int) -> Bool {
        let first = byte(offset)
        if first == UInt8(ascii: ".") { return Self.isDigit(byte(offset + 1)) }
        return Self.isDigit(first)
    }

    /// Reads the next token; after the last one it always returns `end`.
    mutating func next() -> SQLToken {
        while let space = byte(place), [0x20, 0x09, 0x0A, 0x0D].contains(space) { place += 1 }
        let start = place
        guard let first = byte(place) else { return SQLToken(form: .end, range: start..<start) }
        let form: SQLToken.Form
        switch first {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): form = quoted(first)
        case _ where hasNumber(at: place): form = number()
        case _ where Self.isLetter(first): form = word()
        default: form = mark(first)
        }
        return SQLToken(form: form, range: start..<place)
    }

    private func byte(_ offset: Int) -> UInt8? {
        offset < bytes.count ? bytes[offset] : nil
    }

    private mutating func quoted(_ quote: UInt8) -> SQLToken.Form {
        var content: [UInt8] = []
        place += 1
        while let byte = byte(place) {
            place += 1
            if byte == quote {
                guard self.byte(place) == quote else {
                    let text = String(decoding: content, as: UTF8.self)
                    guard quote == UInt8(ascii: "`") else { return .string(text) }
                    return text.isEmpty ? .flaw(.emptyName) : .quotedName(text)
                }
                place += 1
            }
            content.append(byte)
        }
        return .flaw(.unclosed(quote: String(UnicodeScalar(quote))))
    }

    private mutating func number() -> SQLToken.Form {
        var form = SQLToken.Form.integer
        skipDigits()
        if byte(place) == UInt8(ascii: ".") {
            form = .double
            place += 1
            skipDigits()
        }
        if let mark = byte(place), mark | 0x20 == UInt8(ascii: "e") {
            let sign = byte(place + 1)
            let isSigned = sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
            if Self.isDigit(byte(place + (isSigned ? 2 : 1))) {
                form = .double
                place += isSigned ? 2 : 1
                skipDigits()
            }
        }
        return Self.isLetter(byte(place)) ? .flaw(.numberRunsOn) : form
    }

    private mutating func skipDigits() {
        while Self.isDigit(byte(place)) { place += 1 }
    }

    private mutating func word() -> SQLToken.Form {
        let start = place
        while let byte = byte(place),
            Self.isLetter(byte) || Self.isDigit(byte) || byte == UInt8(ascii: "$")
        {
            place += 1
        }
        let word = text(start..<place)
        return SQLKeyword(word: word[...]).map { .keyword($0) } ?? .word
    }

    private mutating func mark(_ first: UInt8) -> SQLToken.Form {
        if beginsComment(first) {
            place += 2
            return .flaw(.comment)
        }
        if let second = byte(place + 1), second < 0x80,
            let mark = SQLPunctuation(rawValue: String(decoding: [first, second], as: UTF8.self))
        {
            place += 2
            return .mark(mark)
        }
        place += 1
        guard first < 0x80, let mark = SQLPunctuation(rawValue: String(UnicodeScalar(first))) else {
            while let byte = byte(place), byte & 0xC0 == 0x80 { place += 1 }
            return .flaw(.strangeByte)
        }
        return .mark(mark)
    }

    /// Whether a comment of other languages begins here.
    ///
    /// `a --b` subtracts a negative number, as in the official engine; `a -- b` is never meant so.
    private func beginsComment(_ first: UInt8) -> Bool {
        switch (first, byte(place + 1)) {
        case (UInt8(ascii: "-"), UInt8(ascii: "-")):
            byte(place + 2).map { [0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? true
        case (UInt8(ascii: "/"), UInt8(ascii: "*")): true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8?) -> Bool {
        byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }

    private static func isLetter(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return byte == UInt8(ascii: "_")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
