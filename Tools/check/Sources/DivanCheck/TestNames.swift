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
