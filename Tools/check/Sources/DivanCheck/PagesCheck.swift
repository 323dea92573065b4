/// Every package, and the root, has the pages that a newcomer opens first.
struct PagesCheck {
    let tree: SourceTree

    private static let remedy = "write it, after the example of its neighbours"

    func violations() throws -> [Violation] {
        try packages() + root() + sharedNumbers() + strayPaths()
    }

    private func packages() throws -> [Violation] {
        try tree.packages().flatMap { package -> [Violation] in
            let folder = "Packages/\(package)"
            let catalogue = "Sources/\(package)/\(package).docc/\(package).md"
            let files = ["README.md", "CHANGELOG.md", "Package.swift", "Tests", catalogue]
            let missing = files.filter { !tree.exists("\(folder)/\($0)") }
            let parts = [
                "README.md": ["**Why a package**", "## Use", "```swift", "## Replace it"],
                catalogue: ["```swift", "## Topics"],
            ]
            return missing.map { Violation(folder, "\($0) is missing", Self.remedy) }
                + parts.flatMap { page, parts -> [Violation] in
                    guard let text = try? tree.text("\(folder)/\(page)") else { return [] }
                    return parts.filter { !text.contains($0) }.map {
                        Violation("\(folder)/\(page)", "the part \"\($0)\" is missing", Self.remedy)
                    }
                }
        }
    }

    /// What every repository has in its root, with the words that it must contain.
    private func root() throws -> [Violation] {
        let pages = [
            ("README.md", "Apache-2.0"), ("LICENSE", "Apache License"), ("SECURITY.md", "vulnerab"),
            ("CONTRIBUTING.md", "make check"), ("CHANGELOG.md", "## 0."),
            (".spi.yml", "documentation_targets"),
        ]
        let lacking = pages.filter { (try? tree.text($0).contains($1)) != true }.map {
            Violation($0, "the page is missing, or it does not say \"\($1)\"", "write it")
        }
        let index = (try? tree.text(".spi.yml")) ?? ""
        let list = index.firstMatch(of: /documentation_targets: \[([^\]]*)\]/)?.1 ?? ""
        let packages = Set(try tree.packages())
        let unknown = list.split(separator: ",").map { String($0.trimmed) }
            .filter { !packages.contains($0) }
        return lacking
            + unknown.map {
                Violation(".spi.yml", "there is no package \($0) to document", "take it out")
            }
    }

    /// A decision is cited by its number, so no two have the same.
    private func sharedNumbers() -> [Violation] {
        var numbers: Set<Substring> = []
        return tree.files(in: "Docs/decisions", suffix: ".md").compactMap { page in
            let number = page.split(separator: "/").last?.prefix(4) ?? ""
            if numbers.insert(number).inserted { return nil }
            return Violation(page, "another decision has its number", "give it the next free one")
        }
    }

    /// The repository is self-contained: nothing in it refers to a path on a developer's machine.
    private func strayPaths() throws -> [Violation] {
        let files = [".swift", ".md", ".yml", ".sh"].flatMap {
            tree.files(in: "Packages", "Tools", "Tests", "Docs", ".github", suffix: $0)
        }
        return try files.flatMap { file -> [Violation] in
            let text = try tree.text(file)
            return ["/wo" + "rk/", "../sha" + "red", "/tmp/ho" + "use"].filter(text.contains).map {
                Violation(file, "names the foreign path \($0)", "copy what is needed")
            }
        }
    }
}
