import Foundation

/// Pages, files and declarations that comments and pages refer to exist.
///
/// A bare page name in backticks exists somewhere in the repository; the target of a link exists exactly
/// there. A path in backticks that begins with one of our folders is a file or folder of the repository,
/// or of the package that names it; a changelog may refer to deleted files. A link from a name in code
/// style to a source says that the file declares it. Types that the architecture and the glossary name
/// are declared in a package.
struct CitationsCheck {
    let tree: SourceTree

    private static let folders = ["Packages/", "Tools/", "Tests/", "Docs/"]
    private static let remedy = "name the one that took its place"

    func violations() throws -> [Violation] {
        let pages = tree.files(in: "Packages", "Tools", "Tests", "Docs", suffix: ".md")
        let sources = tree.files(in: "Packages", "Tools", "Tests", "Docs")
        let names = Set(pages.compactMap { $0.split(separator: "/").last })
        let links = try Pattern(#"(?:\[`([^`]+)`)?\]\(([^)#:]+)(?:#[^):]*)?\)"#)
        let spans = try Pattern("`([^`\n]+)`")
        // The tests of this rule refer to pages that do not exist.
        let files = (pages + sources).filter { !$0.hasPrefix("Tools/check/Tests/") }
        return try undeclared(spans)
            + files.flatMap { file -> [Violation] in
                let text = try tree.text(file)
                let cited = spans.matches(in: text).filter { span in
                    let span = span.groups[1]
                    if span.wholeMatch(of: /[A-Za-z0-9.-]+\.md/) != nil {
                        return !names.contains(span)
                    }
                    return isBroken(path: span.prefix { $0 != " " }, in: file)
                }
                let linked = file.hasSuffix(".md") ? links.matches(in: text) : []
                return cited.map {
                    let problem = "\($0.groups[1]) does not exist"
                    return Violation("\(file):\($0.line)", problem, Self.remedy)
                }
                    + linked.compactMap { link in
                        guard let problem = problem(of: link.groups, in: file) else { return nil }
                        return Violation("\(file):\(link.line)", problem, Self.remedy)
                    }
            }
    }

    private func isBroken(path: Substring, in file: String) -> Bool {
        guard !file.hasSuffix("CHANGELOG.md"), Self.folders.contains(where: path.hasPrefix),
            // A pattern or an example is not a file name.
            path.wholeMatch(of: /[\w\/.+-]+/) != nil, !path.contains("NNNN")
        else { return false }
        let package = file.split(separator: "/").prefix(2).joined(separator: "/")
        return !tree.exists(String(path)) && !tree.exists("\(package)/\(path)")
    }

    /// What is wrong with a link: the whole match, the name in code style, and the target.
    private func problem(of link: [Substring], in file: String) -> String? {
        let (name, target) = (link[1], link[2])
        let path = "\(file.parent)/\(target)"
        guard tree.exists(path) else { return "the page \(target) does not exist" }
        guard !name.isEmpty, target.hasSuffix(".swift"), file.hasPrefix("Docs/"),
            let source = try? tree.text(path)
        else { return nil }
        // Every part of a name such as `Store.save(_:)`.
        let parts = name.prefix { $0 != "(" }.split(separator: ".")
        let isDeclared = parts.allSatisfy { part in
            (try? Pattern("\\b(?:\(Self.kinds)|extension|func|var|let|case|init) `?\(part)\\b"))?
                .matches(in: source).isEmpty == false
        }
        return isDeclared ? nil : "\(target) does not declare \(name)"
    }

    private static let kinds = "struct|class|enum|protocol|actor|typealias"
    /// Types of the toolchain that the pages refer to.
    private static let foreign: Set<Substring> = ["NSError", "NSUnderlyingErrorKey", "AsyncStream"]

    /// Types that the pages about the code name, and no package declares.
    private func undeclared(_ spans: Pattern) throws -> [Violation] {
        let pages = ["Docs/architecture.md", "Docs/glossary.md"].filter(tree.exists)
        let declarations = try Pattern("\\b(?:\(Self.kinds)) (\\w+)")
        let declared = try tree.sources().reduce(into: Self.foreign) { names, file in
            names.formUnion(declarations.matches(in: try tree.text(file)).map { $0.groups[1] })
        }
        return try pages.flatMap { page in
            spans.matches(in: try tree.text(page)).compactMap { span in
                let name = span.groups[1]
                guard name.wholeMatch(of: /[A-Z][A-Za-z]*[a-z][A-Za-z]*/) != nil,
                    name.prefixMatch(of: /C?Divan/) == nil, !declared.contains(name)
                else { return nil }
                let problem = "no package declares \(name)"
                return Violation("\(page):\(span.line)", problem, Self.remedy)
            }
        }
    }
}
