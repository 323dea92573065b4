internal import DivanJSON

/// The functions that texts of the schema of a file call.
enum SQLSchemaText {
    /// The names of those whose results change with the Unicode library.
    private static let literate = SQLFunction.all.filter(\.dependsOnUnicode).map(\.storedName)

    /// The earlier names of functions, and the names that replace them.
    private static let outdated: [ExactText: String] = {
        var names: [ExactText: String] = [:]
        for function in SQLFunction.all {
            for number in 1..<function.version {
                names[ExactText("\(function.name)\(number)")] = function.stored
            }
        }
        return names
    }()

    /// Whether a text calls functions whose results change with the Unicode library.
    static func dependsOnUnicode(_ sql: String) -> Bool { literate.contains { sql.contains($0) } }

    /// A text with the current name of each function; `nil` if nothing changes.
    static func renewed(_ sql: String) -> String? {
        var renewed = ""
        var rest = Substring(sql)
        while let end = rest.utf8.firstIndex(of: UInt8(ascii: "(")) {
            let start = rest[..<end].utf8.lastIndex { !isOfName($0) }
            let name = rest[(start.map { rest.utf8.index(after: $0) } ?? rest.startIndex)..<end]
            renewed += rest[..<name.startIndex]
            renewed += outdated[ExactText(String(name))] ?? String(name)
            renewed += "("
            rest = rest[rest.utf8.index(after: end)...]
        }
        renewed += rest
        return ExactText(renewed) == ExactText(sql) ? nil : renewed
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
