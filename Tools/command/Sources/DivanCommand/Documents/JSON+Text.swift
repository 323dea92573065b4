import DivanJSON

extension JSON {
    /// The canonical text of the value; numbers that JSON cannot hold never get this far.
    var canonicalText: String {
        String(decoding: (try? canonicalBytes()) ?? [], as: UTF8.self)
    }

    /// The text with one member per line, for people.
    var indentedText: String {
        var text: [UInt8] = []
        IndentedText.write((try? canonicalBytes()) ?? []) { text += $0 }
        return String(decoding: text, as: UTF8.self)
    }
}
