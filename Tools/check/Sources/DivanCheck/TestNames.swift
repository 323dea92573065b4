/// The names of the tests in a checkout.
enum TestNames {
    /// Returns the names of all tests.
    static func all(in tree: SourceTree) throws -> Set<String> {
        var names: Set<String> = []
        for folder in ["Packages", "Tools", "Tests", "Docs"] {
            for file in tree.files(under: folder, suffix: ".swift") where file.contains("Tests/") {
                names.formUnion(try tree.text(file).lines.compactMap(test))
            }
        }
        return names
    }

    /// Returns the names of the tests and suites in a source, with their lines.
    static func located(in text: String) -> [(text: String, line: Int)] {
        var names: [(text: String, line: Int)] = []
        var isAttributeOpen = false
        for (index, line) in text.lines.enumerated() {
            if let name = test(in: line) { names.append((name, index + 1)) }
            let code = line.drop { $0 == " " }
            let start = isAttributeOpen ? "" : code.hasPrefix("@Suite(") ? "@Suite(" : "@Test("
            if code.hasPrefix(start), code.dropFirst(start.count).first == "\"" {
                let name = code.dropFirst(start.count + 1).prefix { $0 != "\"" }
                names.append((String(name), index + 1))
            }
            isAttributeOpen = code == "@Test(" || code == "@Suite("
        }
        return names
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
}
