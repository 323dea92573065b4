/// The reason why text is not valid JSON or a value cannot be written, with its position.
public struct JSONError: Error, Equatable {
    /// The violated rule, with the values.
    public enum Reason: Error, Equatable {
        /// The text ends within a value.
        case unexpectedEnd
        /// A byte that is not allowed here.
        case unexpectedByte(UInt8)
        /// Something follows the value.
        case trailingByte(UInt8)
        /// A string contains an unescaped control character.
        case controlCharacter(UInt8)
        /// A backslash is not followed by a known escape.
        case invalidEscape
        /// A `\u` escape contains one half of a surrogate pair without the other.
        case loneSurrogate
        /// A string is not UTF-8 (RFC 3629).
        case invalidUTF8
        /// A number has a form that JSON does not allow, such as `01` or `1.`.
        case invalidNumber
        /// A number exceeds the greatest double, such as `1e999`.
        case numberOutOfRange
        /// Containers are nested deeper than `JSONLimits.depth`.
        case tooDeep(limit: Int)
        /// The text is longer than `JSONLimits.byteCount`.
        case tooLong(byteCount: Int, limit: Int)
        /// The value is not of the kind that the reader requested.
        case wrongKind(expected: JSON.Kind)
        /// The integer does not fit the type that the reader requested.
        case integerOutOfRange
        /// NaN or infinity, which JSON cannot represent.
        case notFinite
    }

    /// What went wrong.
    public let reason: Reason
    /// Bytes before the problem: of the text when reading, of the output when writing.
    public let offset: Int
    /// Line of the problem, counted from 1.
    public let line: Int
    /// Bytes from the start of that line to the problem, counted from 1.
    public let column: Int
    /// Whether the text is empty or consists of white space.
    public let isOfBlankText: Bool

    /// Locates an error in a text.
    init(_ reason: Reason, at offset: Int, in text: UnsafeBufferPointer<UInt8>) {
        self.reason = reason
        self.offset = offset
        let before = text.prefix(offset)
        line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        column = 1 + offset - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
        isOfBlankText = reason == .unexpectedEnd && text.allSatisfy(" \t\n\r".utf8.contains)
    }

    /// Locates an error in canonical output, which has one line.
    init(_ reason: Reason, atOutput offset: Int) {
        self.reason = reason
        self.offset = offset
        line = 1
        column = 1 + offset
        isOfBlankText = false
    }
}

extension JSONError: CustomStringConvertible {
    /// One line: position, problem, remedy.
    public var description: String {
        "JSON at byte \(offset) (line \(line), column \(column)): \(explanation)"
    }

    /// Problem and remedy without the position, for a caller that reports the position in a file.
    public var explanation: String {
        if isOfBlankText { return "the text is empty; write a JSON value" }
        let (problem, remedy) = reason.explanation
        return "\(problem); \(remedy)"
    }
}

extension JSONError.Reason {
    fileprivate var explanation: (problem: String, remedy: String) {
        switch self {
        case .unexpectedEnd: ("unexpected end inside a value", "check that the text is complete")
        case .unexpectedByte(UInt8(ascii: "'")):
            ("unexpected single quote", "put keys and strings in double quotes")
        case .unexpectedByte(let byte):
            ("unexpected \(Self.name(of: byte))", "correct the JSON syntax")
        case .trailingByte(let byte):
            ("unexpected \(Self.name(of: byte)) after the value", "write one value only")
        case .controlCharacter(let byte):
            ("control character \(byte) in a string", "escape it")
        case .invalidEscape: ("invalid escape", #"use \", \\, \/, \b, \f, \n, \r, \t or \uXXXX"#)
        case .loneSurrogate: ("unpaired surrogate", "write both surrogates or the character")
        case .invalidUTF8: ("the string is not UTF-8", "encode it as UTF-8")
        case .invalidNumber: ("malformed number", "write it like -0.5 or 1e9")
        case .numberOutOfRange:
            ("the number exceeds a double", "write it as a string, or keep it below 1.8e308")
        case .tooDeep(let limit):
            ("nested deeper than \(limit)", "flatten the value, or raise JSONLimits.depth")
        case .tooLong(let byteCount, let limit):
            (
                "\(byteCount) bytes exceed the limit of \(limit) bytes",
                "shorten the text, or raise JSONLimits.byteCount"
            )
        case .wrongKind(let expected):
            ("expected \(expected.rawValue)", "compare the message with the protocol")
        case .integerOutOfRange: ("the integer is out of range", "use a smaller integer")
        case .notFinite: ("JSON cannot represent NaN or infinity", "store null or a string")
        }
    }

    private static func name(of byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "'"): "single quote"
        case UInt8(ascii: "\""): "double quote"
        case 0x21..<0x7F: "'\(UnicodeScalar(byte))'"
        default: "byte \(byte)"
        }
    }
}
