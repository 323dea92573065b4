import DivanCrypto

/// The name of an identity's file: the label, with every byte but ASCII letters, digits, `-` and `_` as `%` and two
/// hexadecimal digits.
///
/// A name that would be too long for a file system begins like that and ends with `~` and the label's digest; the label
/// is the first line of the file then.
struct IdentityFileName {
    let text: String
    /// What precedes the identity in its file: a line with the label where the name does not tell it, which readers of
    /// PEM skip.
    let firstLine: String

    private static let suffix = ".pem"
    private static let mark = "~"
    private static let lineStart = "Label: "
    /// File systems allow 255 bytes.
    private static let byteCount = 220

    init(_ label: String) {
        let escaped = Self.escape(label)
        if escaped.utf8.count + Self.suffix.utf8.count <= Self.byteCount {
            (text, firstLine) = (escaped + Self.suffix, "")
        } else {
            let digest = Hex.encode(SHA256.digest(of: Array(label.utf8).span).span)
            // Whatever is cut off in the middle: this part is for people.
            let start = escaped.prefix(128)
            text = start + Self.mark + digest + Self.suffix
            firstLine = Self.lineStart + escaped + "\n"
        }
    }

    private static func escape(_ label: String) -> String {
        var name = ""
        for byte in label.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                name += byte < 16 ? "%0" : "%"
                name += String(byte, radix: 16)
            }
        }
        return name
    }

    /// The label in a file's name; `nil` if the name does not tell it, or no label has this name.
    static func label(of fileName: String) -> String? {
        guard fileName.hasSuffix(suffix), let label = unescape(fileName.dropLast(suffix.count)),
            Self(label).text == fileName
        else { return nil }
        return label
    }

    /// Whether the label is in the file.
    static func isShortened(_ fileName: String) -> Bool {
        fileName.hasSuffix(suffix) && fileName.contains(mark)
    }

    /// The label in a file; `nil` if it does not belong to the file's name.
    static func label(of fileName: String, holding bytes: [UInt8]) -> String? {
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard line.hasPrefix(lineStart), let label = unescape(line.dropFirst(lineStart.count)),
            Self(label).text == fileName
        else { return nil }
        return label
    }

    private static func unescape(_ name: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = name.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard let decoded = UInt8(digits, radix: 16) else { return nil }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
