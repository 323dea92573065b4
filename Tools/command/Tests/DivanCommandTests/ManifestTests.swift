import DivanTestKit
import Foundation
import Testing

@testable import DivanCommand

/// The manifests on pages are accepted by SwiftPM, with this checkout instead of its URL.
@Suite(.timeLimit(.minutes(5))) struct ManifestTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    /// A manifest that depends on the checkout next to its package.
    private func local(_ manifest: String) throws -> String {
        let version = #".upToNextMinor(from: "\#(VersionPage.version)")"#
        let dependency = #".package(url: "https://github.com/…/divan", \#(version))"#
        try #require(manifest.contains(dependency), "\(manifest)")
        return manifest.replacing(dependency, with: #".package(path: "../divan")"#)
    }

    /// Resolves a package in the folder `kiosk`, after `preparation`.
    private func expectResolves(_ manifest: String, after preparation: String) throws {
        let outcome = try shell.bash(
            """
            ln -s "$root" divan
            (\(preparation))
            printf '%s' "$manifest" > kiosk/Package.swift
            swift package --package-path kiosk show-dependencies
            """,
            environment: ["root": Guide.root.standardizedFileURL.path, "manifest": manifest]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("divan"))
    }

    @Test func `the README serves and syncs with the same port`() throws {
        let readme = try String(
            contentsOf: Guide.root.appendingPathComponent("README.md"),
            encoding: .utf8
        )
        let served = try #require(readme.firstMatch(of: /divan serve travel --port (?<port>\d+)/))
        let synced = try #require(
            readme.firstMatch(of: /divan sync copy wss:\/\/[^:]+:(?<port>\d+)/)
        )
        #expect(served.port == synced.port)
        #expect(readme.contains("divan new copy\ndivan sync copy "))
    }

    /// `from:` alone accepts every version below 1.0, and each minor one of them may break the API.
    @Test func `every manifest example pins the minor version`() throws {
        let guides = ["guides/getting-started.md", "guides/an-app-from-zero.md", "../README.md"]
        for page in guides {
            let text = try Guide.text(page)
            #expect(text.contains(#".upToNextMinor(from: "\#(VersionPage.version)")"#), "\(page)")
            #expect(!text.contains(#", from: "0."#), "\(page)")
        }
    }

    @Test func `the README manifest resolves`() throws {
        let readme = try String(
            contentsOf: Guide.root.appendingPathComponent("README.md"),
            encoding: .utf8
        )
        let begin = try #require(readme.range(of: "// swift-tools-version"))
        let manifest = try #require(
            readme[begin.lowerBound...].components(separatedBy: "```").first
        )
        try expectResolves(
            manifest,
            after: """
                mkdir -p kiosk/Sources/kiosk
                echo 'import Divan' > kiosk/Sources/kiosk/main.swift
                """
        )
    }

    /// Else who copies both gets `no such module`.
    @Test func `the README manifest has every module that its code imports`() throws {
        let readme = try String(
            contentsOf: Guide.root.appendingPathComponent("README.md"),
            encoding: .utf8
        )
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        let manifest = try #require(blocks.first { $0.hasPrefix("// swift-tools-version") })
        let modules = blocks.filter { $0 != manifest }.flatMap { block in
            block.matches(of: /(?m)^import (\w+)$/).map { String($0.1) }
        }
        #expect(!modules.isEmpty)
        for module in modules {
            #expect(manifest.contains(#".product(name: "\#(module)", package: "divan")"#))
        }
    }

    @Test func `the package of the app guide is created and its manifest resolves`() throws {
        let guide = try Guide("an-app-from-zero.md", runs: "sh", "swift manifest")
        try expectResolves(
            local(guide.script("swift manifest")),
            after: """
                \(guide.script("sh"))
                cp "$root"/Docs/examples/Sources/guestbook-example/*.swift Sources/guestbook
                cd ..
                mv guestbook kiosk
                """
        )
    }

    @Test func `the manifest lines of the guides resolve`() throws {
        let begin = try Guide("getting-started.md", runs: "swift manifest")
        let lines = try local(begin.script("swift manifest")).split(separator: "\n")
        try #require(lines.count == 2)
        let tests = try Guide("testing-your-app.md", runs: "swift manifest")
        try expectResolves(
            """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "kiosk",
                dependencies: [\(lines[0])],
                targets: [\(lines[1])
                \(tests.script("swift manifest"))]
            )
            """,
            after: """
                mkdir -p kiosk/Sources/Shop kiosk/Tests/ShopTests
                touch kiosk/Sources/Shop/Shop.swift kiosk/Tests/ShopTests/ShopTests.swift
                """
        )
    }
}
