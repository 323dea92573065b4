/// Every package, and the root, has the pages that a newcomer opens first.
public struct PagesCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns the missing pages, and missing sections.
    public func violations() throws -> [Violation] {
        var violations: [Violation] = []
        for package in try tree.packages() {
            let folder = "Packages/\(package)"
            let catalogue = "Sources/\(package)/\(package).docc/\(package).md"
            for page in ["README.md", "CHANGELOG.md", "Package.swift", "Tests", catalogue]
            where !tree.exists("\(folder)/\(page)") {
                violations.append(
                    Violation(
                        place: folder,
                        problem: "\(page) is missing",
                        remedy: "write it, after the example of its neighbours"
                    )
                )
            }
            violations += landingViolations("\(folder)/\(catalogue)")
            guard let text = try? tree.text("\(folder)/README.md") else { continue }
            for section in ["**Why a package**", "## Use", "```swift", "## Swap it"]
            where !text.contains(section) {
                violations.append(
                    Violation(
                        place: "\(folder)/README.md",
                        problem: "the part \"\(section)\" is missing",
                        remedy: "add it, after the example of its neighbours"
                    )
                )
            }
        }
        return violations + (try strayPaths()) + sharedNumbers() + (try rootViolations())
    }

    /// The first page of a reference shows an example, and leads to the rest.
    private func landingViolations(_ page: String) -> [Violation] {
        guard let text = try? tree.text(page) else { return [] }
        return ["```swift", "## Topics"].filter { !text.contains($0) }.map { part in
            Violation(
                place: page,
                problem: "the part \"\(part)\" is missing",
                remedy: "add it: the example of the README, and the names by what they are for"
            )
        }
    }

    /// What every repository has in its root, with the words that it must contain.
    private func rootViolations() throws -> [Violation] {
        var violations: [Violation] = []
        for (page, words) in [
            ("README.md", "Apache-2.0"), ("LICENSE", "Apache License"),
            ("SECURITY.md", "vulnerab"), ("CONTRIBUTING.md", "make check"),
            ("CHANGELOG.md", "## 0."), (".spi.yml", "documentation_targets"),
        ] where (try? tree.text(page).contains(words)) != true {
            violations.append(
                Violation(
                    place: page,
                    problem: "the page is missing, or it does not say \"\(words)\"",
                    remedy: "write it"
                )
            )
        }
        let index = (try? tree.text(".spi.yml")) ?? ""
        let list = index.firstMatch(of: /documentation_targets: \[(?<names>[^\]]*)\]/)
        let packages = try tree.packages()
        for name in list?.names.split(separator: ",") ?? [] {
            let target = name.drop { $0 == " " }
            guard !packages.contains(where: { $0 == target }) else { continue }
            violations.append(
                Violation(
                    place: ".spi.yml",
                    problem: "there is no package \(target) to document",
                    remedy: "take it out, or name the package that took its place"
                )
            )
        }
        return violations
    }

    /// A decision is cited by its number, so no two have the same.
    private func sharedNumbers() -> [Violation] {
        let decisions = tree.files(under: "Docs/decisions", suffix: ".md").sorted()
        let numbers = decisions.map { $0.split(separator: "/").last?.prefix(4) }
        return zip(decisions, numbers).enumerated().compactMap { place, decision in
            guard numbers[..<place].contains(decision.1) else { return nil }
            return Violation(
                place: decision.0,
                problem: "another decision has its number",
                remedy: "give it the next that is free"
            )
        }
    }

    /// The repository is self-contained: nothing in it refers to a path on a developer's machine.
    private func strayPaths() throws -> [Violation] {
        var violations: [Violation] = []
        let folders = ["Packages", "Tools", "Tests", "Docs", ".github"]
        let suffixes = [".swift", ".md", ".yml", ".sh"]
        for folder in folders {
            for suffix in suffixes {
                for file in tree.files(under: folder, suffix: suffix) {
                    let text = try tree.text(file)
                    for stray in ["/wo" + "rk/", "../sha" + "red", "/tmp/ho" + "use"]
                    where text.contains(stray) {
                        violations.append(
                            Violation(
                                place: file,
                                problem: "names the foreign path \(stray)",
                                remedy: "copy what is needed into the repository"
                            )
                        )
                    }
                }
            }
        }
        return violations
    }
}
