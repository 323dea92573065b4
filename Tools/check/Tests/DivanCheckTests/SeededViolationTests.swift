import Foundation
import Testing

@testable import DivanCheck

/// Each check finds a planted violation, and passes without it.
@Suite struct SeededViolationTests {
    @Test func `an import of a higher layer is found`() throws {
        let checkout = try Checkout()
        try checkout.write("Packages/DivanJSON/Sources/DivanJSON/Up.swift", "import DivanDelta\n")
        let violations = try ArrowsCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.place) == ["Packages/DivanJSON/Sources/DivanJSON/Up.swift:1"])
        #expect(violations.first?.problem == "DivanJSON may not import DivanDelta")
    }

    @Test(arguments: ["struct DivanDelta.Delta", "func DivanDelta.make"])
    func `an import of one declaration is checked like a module import`(_ name: String) throws {
        let checkout = try Checkout()
        for words in ["import \(name)", "fileprivate import \(name)"] {
            try checkout.write("Packages/DivanJSON/Sources/DivanJSON/Up.swift", words + "\n")
            let violations = try ArrowsCheck(tree: checkout.tree).violations()
            #expect(violations.map(\.problem) == ["DivanJSON may not import DivanDelta"])
        }
    }

    @Test func `a dependency that is not imported is found`() throws {
        let checkout = try Checkout()
        try checkout.write("Packages/DivanDelta/Sources/DivanDelta/Main.swift", "struct Main {}\n")
        let violations = try ArrowsCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.problem) == ["DivanDelta does not use DivanJSON"])
    }

    @Test func `a system library that the sync engine reaches is found with its path`() throws {
        let checkout = try Checkout()
        func engine(linking library: String) -> String {
            """
            .target(name: "DivanReplicator", dependencies: ["DivanSeal"], path: "R"),
            .target(name: "DivanSeal", dependencies: ["CDivanSeal"], path: "S"),
            .target(
                name: "CDivanSeal",
                path: "C",
                linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("\(library)")]
            ),
            """
        }
        try checkout.write("Package.swift", Checkout.rootManifest(further: engine(linking: "z")))
        #expect(try ArrowsCheck(tree: checkout.tree).violations().isEmpty)
        let further = engine(linking: "sqlite3")
        try checkout.write("Package.swift", Checkout.rootManifest(further: further))
        #expect(
            try ArrowsCheck(tree: checkout.tree).violations().map(\.problem)
                == ["DivanReplicator → DivanSeal → CDivanSeal links sqlite3"]
        )
    }

    @Test func `an outdated table of arrows is found, and generated again`() throws {
        let checkout = try Checkout()
        let page = try checkout.tree.text("Docs/architecture.md")
        try checkout.write(
            "Docs/architecture.md",
            page.replacing("| x | JSON |", with: "| x | – |")
        )
        let violations = try ArrowsCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.place) == ["Docs/architecture.md"])
        try checkout.tree.generate()
        #expect(try checkout.tree.text("Docs/architecture.md") == page)
    }

    @Test func `an outdated manifest of a package is found, and generated again`() throws {
        let checkout = try Checkout()
        let path = "Packages/DivanDelta/Package.swift"
        try checkout.tree.generate()
        let check = ManifestsCheck(tree: checkout.tree)
        #expect(try check.violations().isEmpty)
        let text = try checkout.tree.text(path)
        #expect(text.contains(".target(name: \"DivanDelta\", dependencies: [\"DivanJSON\"])"))
        try checkout.write(path, text.replacing("[\"DivanJSON\"]", with: "[]"))
        #expect(try check.violations().map(\.place) == [path])
    }

    @Test func `a tool with different compiler settings is found`() throws {
        let checkout = try Checkout()
        try checkout.tree.generate()
        let target = ".target(name: \"Tool\", path: \"Tools/command/Sources/Tool\")"
        let strict = target.replacing(
            "Tool\")",
            with: "Tool\", swiftSettings: [.treatAllWarnings(as: .error)])"
        )
        try checkout.write("Package.swift", Checkout.rootManifest(further: strict))
        try checkout.write(
            "Tools/command/Package.swift",
            Checkout.manifest("[.target(name: \"Tool\")]")
        )
        let violations = try ManifestsCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.problem) == ["Tool differs from the root manifest"])
        try checkout.write("Package.swift", Checkout.rootManifest(further: target))
        #expect(try ManifestsCheck(tree: checkout.tree).violations().isEmpty)
    }

    @Test func `every rule is described in the README`() throws {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let described = page.matches(of: /\n\| `(\w+)` \|/).map { String($0.1) }
        #expect(described == Rule.all.map(\.name))
    }

    @Test func `an allowed import passes`() throws {
        let checkout = try Checkout()
        try checkout.write(
            "Packages/DivanDelta/Sources/DivanDelta/Down.swift",
            "public import DivanJSON\n"
        )
        #expect(try ArrowsCheck(tree: checkout.tree).violations().isEmpty)
    }

    @Test func `Foundation in a core is found`() throws {
        let checkout = try Checkout()
        try checkout.write("Packages/DivanJSON/Sources/DivanJSON/A.swift", "import Foundation\n")
        let violations = try ArrowsCheck(tree: checkout.tree).violations()
        #expect(violations.first?.problem == "DivanJSON is a core and may not import Foundation")
    }

    @Test(arguments: ["let x = try! f()", "// TODO: later", "fatalError(\"no\")"])
    func `a banned word is found`(_ line: String) throws {
        let checkout = try Checkout()
        try checkout.write("Packages/DivanJSON/Sources/DivanJSON/A.swift", line + "\n")
        #expect(try WordsCheck(tree: checkout.tree).violations().count == 1)
    }

    @Test(arguments: [
        "let text = FileHandle.standardInput.readDataToEndOfFile()",
        "FileHandle.standardError.write(Data(text.utf8))", "while true { handle.availableData }",
        "guard FileManager.default.createFile(atPath: path, contents: nil) else { return }",
    ])
    func `a call that traps on input is found`(_ line: String) throws {
        for folder in ["Packages/DivanJSON/Sources/DivanJSON", "Docs/examples/Sources/notes"] {
            let checkout = try Checkout()
            #expect(try WordsCheck(tree: checkout.tree).violations().isEmpty)
            try checkout.write("\(folder)/A.swift", "// the next line\n" + line + "\n")
            let violations = try WordsCheck(tree: checkout.tree).violations()
            #expect(violations.map(\.place) == ["\(folder)/A.swift:2"])
        }
    }

    @Test(arguments: [
        "try handle.write(contentsOf: Data(text.utf8))", "try Data(text.utf8).write(to: file)",
        "// createFile(atPath:) traps", "let text = try handle.readToEnd()",
        "try OutputFile.recreateFile(path)",
    ])
    func `a throwing call passes, and so does a call in a comment`(_ line: String) throws {
        let checkout = try Checkout()
        try checkout.write("Packages/DivanJSON/Sources/DivanJSON/A.swift", line + "\n")
        #expect(try WordsCheck(tree: checkout.tree).violations().isEmpty)
    }

    @Test(arguments: [
        "    _ listener: @escaping (Change) -> Void", "public var filter: ((Document) -> Bool)?",
        "public typealias Filter = (Document) -> Bool",
    ])
    func `a stored closure without @Sendable is found`(_ line: String) throws {
        let checkout = try Checkout()
        let path = "Packages/CouchbaseLiteSwift/Sources/CouchbaseLiteSwift/A.swift"
        try checkout.write(path, line + "\n")
        let violations = try WordsCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.place) == ["\(path):1"])
        try checkout.write(
            path,
            line.replacing("(Change)", with: "@Sendable (Change)")
                .replacing("(Document)", with: "@Sendable (Document)") + "\n"
        )
        #expect(try WordsCheck(tree: checkout.tree).violations().isEmpty)
    }

    @Test(arguments: [
        "import Glibc", "internal import Musl", "@preconcurrency import Darwin",
        "import func Glibc.open",
    ])
    func `an import of the C library outside DivanPlatform is found`(_ line: String) throws {
        let checkout = try Checkout()
        let check = ArrowsCheck(tree: checkout.tree)
        #expect(try check.violations().isEmpty)
        try checkout.write("Packages/DivanPlatform/Sources/DivanPlatform/A.swift", line + "\n")
        let packages = ["DivanDelta", "DivanJSON", "DivanPlatform"]
        try checkout.write("Package.swift", Checkout.rootManifest(packages: packages))
        try check.write()
        #expect(try check.violations().isEmpty)
        try checkout.write("Tests/Attack/A.swift", "import Foundation\n\(line)\n")
        #expect(try check.violations().map(\.place) == ["Tests/Attack/A.swift:2"])
        try checkout.write("Tests/Attack/A.swift", "import Foundation\n// \(line)\n")
        #expect(try check.violations().isEmpty)
    }

    @Test(arguments: [
        "let now = time(nil)", "let start = ContinuousClock.now", "let x = Int.random(in: 0..<9)",
        "let id = UUID()", "let moment = WallClock.seconds()",
    ])
    func `a core that reads the system clock or random source is found`(_ line: String) throws {
        let checkout = try Checkout()
        #expect(try WordsCheck(tree: checkout.tree).violations().isEmpty)
        try checkout.write("Packages/DivanJSON/Sources/DivanJSON/A.swift", line + "\n")
        #expect(try WordsCheck(tree: checkout.tree).violations().count == 1)
        let handed = "let x = Int.random(in: 0..<9, using: &generator)  // not UUID()\n"
        try checkout.write("Packages/DivanJSON/Sources/DivanJSON/A.swift", handed)
        #expect(try WordsCheck(tree: checkout.tree).violations().isEmpty)
    }

    @Test(arguments: ["/// See `gone.md` §3.", "/// `there.md` and `gone.md`"])
    func `a reference to a missing page is found`(_ line: String) throws {
        let checkout = try Checkout()
        let path = "Packages/DivanJSON/Sources/DivanJSON/A.swift"
        try checkout.write("Docs/protocol/there.md", "See [that](../there.md#part).\n")
        try checkout.write("Docs/there.md", "# There\n")
        let before = try CitationsCheck(tree: checkout.tree).violations()
        try checkout.write(path, line + "\n")
        let violations = try CitationsCheck(tree: checkout.tree).violations()
        #expect(violations.count == before.count + 1)
        #expect(violations.contains { $0.place == "\(path):1" })
    }

    @Test func `a broken link is found`() throws {
        let checkout = try Checkout()
        let before = try CitationsCheck(tree: checkout.tree).violations().count
        try checkout.write("Docs/a.md", "[x](b.md), [y](https://example.org/b.md), [z](#here)\n")
        #expect(try CitationsCheck(tree: checkout.tree).violations().count == before + 1)
    }

    @Test func `a page that names a removed type is found`() throws {
        let checkout = try Checkout()
        let path = "Packages/DivanJSON/Sources/DivanJSON/A.swift"
        try checkout.write(path, "public final class Pusher {}\n")
        try checkout.write("Docs/glossary.md", "| push | `Pusher`, `subChanges` |\n")
        #expect(try CitationsCheck(tree: checkout.tree).violations().isEmpty)
        try checkout.write(path, "public final class Sender {}\n")
        let violations = try CitationsCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.problem) == ["no package declares Pusher"])
    }

    @Test func `a link to a file without the named declaration is found`() throws {
        let checkout = try Checkout()
        let path = "Packages/DivanJSON/Sources/DivanJSON/A.swift"
        try checkout.write(path, "public struct Store {\n    func save() {}\n}\n")
        let link = "](../\(path))"
        try checkout.write("Docs/road.md", "[`Store`\(link), [`Store.save(_:)`\(link), [A\(link)\n")
        #expect(try CitationsCheck(tree: checkout.tree).violations().isEmpty)
        try checkout.write("Docs/road.md", "\n[`Store.read`\(link), [`Shop`\(link)\n")
        let violations = try CitationsCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.place) == ["Docs/road.md:2", "Docs/road.md:2"])
    }

    @Test(arguments: ["`Packages/DivanJSON/Gone.swift`", "`Tests/Gone`", "`Tools/scripts/gone -v`"])
    func `a page that names a missing file is found`(_ text: String) throws {
        let checkout = try Checkout()
        let check = CitationsCheck(tree: checkout.tree)
        #expect(try check.violations().isEmpty)
        let kept = "`Packages/DivanJSON`, `Packages/*/Gone`, `Sources/Gone.swift`, `Docs/NNNN-a`\n"
        try checkout.write("Docs/road.md", kept)
        // Within a package, a path may also be relative to the package.
        try checkout.write("Packages/DivanJSON/Notes.md", "`Tests/DivanJSONTests/ATests.swift`\n")
        #expect(try check.violations().isEmpty)
        try checkout.write("Docs/road.md", kept + text + "\n")
        #expect(try check.violations().map(\.place) == ["Docs/road.md:2"])
    }

    @Test func `a limit that its README omits is found`() throws {
        let checkout = try Checkout()
        let path = "Packages/DivanJSON/Sources/DivanJSON/JSONLimits.swift"
        let before = try LimitsCheck(tree: checkout.tree).violations().count
        try checkout.write(
            path,
            """
            public struct JSONLimits {
                /// Told.
                public static let depth = 1
                public var forgottenCount: Int = 2
                public static let standard = JSONLimits()
                var derived: Int { 3 }
            }
            """
        )
        let head = "| limit | default |\n|---|---|\n"
        let page = "Packages/DivanJSON/README.md"
        try checkout.write(page, head + "| `JSONLimits.depth` | 1 |\n")
        let violations = try LimitsCheck(tree: checkout.tree).violations()
        #expect(violations.count == before + 1)
        #expect(violations.contains { $0.place == "\(path):4" })
        try checkout.write(page, head + "| `JSONLimits.depth`, `forgottenCount` | 1, 2 |\n")
        #expect(try LimitsCheck(tree: checkout.tree).violations().isEmpty)
    }

    @Test func `a limit declared in an extension is checked`() throws {
        let checkout = try Checkout()
        let folder = "Packages/DivanJSON/Sources/DivanJSON"
        let page = "Packages/DivanJSON/README.md"
        let type = "public struct JSONLimits {\n    public var depth = 1\n}\n"
        try checkout.write("\(folder)/JSONLimits.swift", type)
        let more = "extension JSONLimits {\n    static let hiddenCount = 8\n}\n"
        try checkout.write("\(folder)/More.swift", more)
        let table = "| limit | default |\n|---|---|\n| `JSONLimits.depth` | 1 |\n"
        try checkout.write(page, table)
        let places = try LimitsCheck(tree: checkout.tree).violations().map(\.place)
        #expect(places == ["\(folder)/More.swift:2"])
        try checkout.write(page, table + "| `JSONLimits.hiddenCount` | 8 |\n")
        #expect(try LimitsCheck(tree: checkout.tree).violations().isEmpty)
    }

    @Test func `two decisions with the same number are found`() throws {
        let checkout = try Checkout()
        try checkout.write("Docs/decisions/0001-one.md", "# 0001\n")
        try checkout.write("Docs/decisions/0002-two.md", "# 0002\n")
        let before = try PagesCheck(tree: checkout.tree).violations().count
        try checkout.write("Docs/decisions/0002-too.md", "# 0002\n")
        let violations = try PagesCheck(tree: checkout.tree).violations()
        #expect(violations.count == before + 1)
        #expect(violations.last?.place == "Docs/decisions/0002-two.md")
    }

    @Test func `a missing page is found`() throws {
        let checkout = try Checkout()
        let catalogue = "Sources/DivanJSON/DivanJSON.docc/DivanJSON.md"
        for page in ["CHANGELOG.md", catalogue] {
            try checkout.remove("Packages/DivanJSON/\(page)")
        }
        let violations = try PagesCheck(tree: checkout.tree).violations()
        #expect(
            violations.map(\.problem) == ["CHANGELOG.md is missing", "\(catalogue) is missing"]
        )
    }

    @Test(arguments: ["```swift", "## Topics"])
    func `a reference landing page without an example or topics is found`(_ part: String) throws {
        let checkout = try Checkout()
        let page = "Packages/DivanJSON/Sources/DivanJSON/DivanJSON.docc/DivanJSON.md"
        let whole = "# ``DivanJSON``\n```swift\n```\n## Topics\n"
        try checkout.write(page, whole.replacingOccurrences(of: part, with: ""))
        let violations = try PagesCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.problem) == ["the part \"\(part)\" is missing"])
        #expect(violations.first?.place == page)
    }

    @Test(arguments: ["LICENSE", "SECURITY.md", "CONTRIBUTING.md", ".spi.yml"])
    func `a missing or incomplete top-level file is found`(page: String) throws {
        let checkout = try Checkout()
        #expect(try PagesCheck(tree: checkout.tree).violations().isEmpty)
        try checkout.remove(page)
        #expect(try PagesCheck(tree: checkout.tree).violations().map(\.place) == [page])
        try checkout.write(page, "Later.\n")
        #expect(try PagesCheck(tree: checkout.tree).violations().map(\.place) == [page])
    }

    @Test func `a documented target without a package is found`() throws {
        let checkout = try Checkout()
        try checkout.write(".spi.yml", "documentation_targets: [DivanJSON, DivanOld]\n")
        let violations = try PagesCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.problem) == ["there is no package DivanOld to document"])
    }

    @Test func `a package that the root manifest omits is found`() throws {
        let checkout = try Checkout()
        #expect(try ArrowsCheck(tree: checkout.tree).violations().isEmpty)
        try checkout.write("Package.swift", Checkout.rootManifest(packages: ["DivanJSON"]))
        let violations = try ArrowsCheck(tree: checkout.tree).violations()
        #expect(violations.contains { $0.problem == "DivanDelta is missing" })
    }

    @Test func `an unguarded include of a system library header is found`() throws {
        let checkout = try Checkout()
        let file = "Packages/DivanSQLiteEngine/Sources/CDivanSQLiteEngine/new.c"
        try checkout.write(file, "#include <sqlite3.h>\n")
        #expect(try HeadersCheck(tree: checkout.tree).violations().map(\.place) == ["\(file):1"])
        let guarded = """
            #if !__has_include(<sqlite3.h>)
            #error "type  sudo apt-get install libsqlite3-dev"
            #endif
            #include <sqlite3.h>
            """
        try checkout.write(file, guarded)
        #expect(try HeadersCheck(tree: checkout.tree).violations().isEmpty)
    }

    @Test func `a public C header that includes C library types is found`() throws {
        let checkout = try Checkout()
        let file = "Tools/command/Sources/CDivanNew/include/CDivanNew.h"
        try checkout.write(file, "#include <stdint.h>\n#include <sys/types.h>\n")
        #expect(try HeadersCheck(tree: checkout.tree).violations().map(\.place) == ["\(file):2"])
        try checkout.write(file, "#include <stdint.h>\n")
        #expect(try HeadersCheck(tree: checkout.tree).violations().isEmpty)
    }
}
