import DivanCrypto
import DivanJSON
import DivanRevisions

/// The names of files that hold one document each; the IDs themselves are in the texts.
///
/// Whatever an ID holds, its file name consists of ASCII letters and digits, `-`, `_` and `%`, which every
/// file system accepts, and is unique, even if upper and lower case are not distinguished.
struct DocumentFileNames {
    // In lower case.
    private var taken: Set<ExactText> = []

    /// A name for one more document.
    mutating func add(_ documentID: DocumentID) -> String {
        var name = ""
        for byte in documentID.text.utf8 {
            let letter = Character(Unicode.Scalar(byte))
            let isPlain = letter.isASCII && (letter.isLetter || letter.isNumber || letter == "_")
            // A leading hyphen would make it an option.
            if isPlain || letter == "-" && !name.isEmpty {
                name.append(letter)
            } else {
                name += "%" + Self.hexadecimal(byte)
            }
        }
        // Shorter than the limit of file systems, 255 bytes.
        if name.utf8.count > 240 || !taken.insert(ExactText(name.lowercased())).inserted {
            // The same in the next export of the document.
            let digest = SHA1.digest(of: Array(documentID.text.utf8).span)
            name = name.prefix(190) + "%%" + digest.map(Self.hexadecimal).joined()
        }
        return name + ".json"
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
