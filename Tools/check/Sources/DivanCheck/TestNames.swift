/// The suites of the checkout and the tests in them.
struct TestNames {
    /// Names of tests by that of the type that contains them; a test target is there without any.
    private(set) var bySuite: [String: Set<String>] = [:]

    /// The names of all tests.
    var all: Set<String> { bySuite.values.reduce(into: []) { $0.formUnion($1) } }

    init(_ tree: SourceTree) throws {
        for folder in ["Packages", "Tools", "Tests", "Docs"] {
            for file in tree.files(under: folder, suffix: ".swift") where file.contains("Tests/") {
                let folders = file.split(separator: "/").dropLast()
                for target in folders where target.hasSuffix("Tests") {
                    bySuite[String(target), default: []] = bySuite[String(target)] ?? []
                }
                read(try tree.text(file))
            }
        }
    }

    private mutating func read(_ text: String) {
        var suite = ""
        for line in text.lines {
            // A top-level type of the file; nested tests count as its own.
            if let first = line.first, first != " ", first != "}", let name = Self.type(in: line) {
                suite = String(name)
                bySuite[suite, default: []].formUnion([])
            }
            if let test = Self.test(in: line) { bySuite[suite, default: []].insert(test) }
        }
    }

    private static func type(in line: Substring) -> Substring? {
        let words = line.code.split { $0 == " " || $0 == ":" || $0 == "<" }
        let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "extension"]
        guard let kind = words.firstIndex(where: { kinds.contains($0) }) else { return nil }
        return words.dropFirst(kind + 1).first
    }

    /// The text between the backticks of a function, or an XCTest method's name.
    private static func test(in line: Substring) -> String? {
        guard let start = line.firstRange(of: "func ")?.upperBound else { return nil }
        let rest = line[start...]
        if rest.hasPrefix("`"), let end = rest.dropFirst().firstIndex(of: "`") {
            return String(rest.dropFirst()[..<end])
        }
        return rest.hasPrefix("test") ? String(rest.prefix { $0 != "(" }) : nil
    }

    /// Whether a suite has a test whose name begins like this.
    func has(_ beginning: Substring, in suite: String) -> Bool {
        bySuite[suite]?.contains { $0.hasPrefix(beginning) } ?? false
    }
}
