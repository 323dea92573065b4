import DivanTestKit
import Foundation
import Testing

@testable import DivanCommand

/// The repository has one version, which is written in several places.
@Suite struct VersionTests {
    @Test func `every file has the same version number`() throws {
        let version = VersionPage.version
        let minor = version.split(separator: ".").prefix(2).joined(separator: ".")
        let sources = "../Packages/CouchbaseLiteSwift/Sources/CouchbaseLiteSwift"
        for (page, words) in [
            ("\(sources)/Logging/LogConfiguration.swift", "Build/\(version) "),
            ("\(sources)/Replication/URLConnector.swift", "Divan/\(minor)\""),
            ("../README.md", "| **Divan** \(minor) |"), ("../CHANGELOG.md", "\n## \(version) ("),
        ] {
            #expect(try Guide.text(page).contains(words), "\(page): \(words)")
        }
    }

    @Test func `no changelog has a date for an unreleased version`() throws {
        let heading = "## \(VersionPage.version) (unreleased)"
        guard try Guide.text("../CHANGELOG.md").contains("\n\(heading)\n") else { return }
        let packages = Guide.root.appending(path: "Packages").path
        for package in try FileManager.default.contentsOfDirectory(atPath: packages)
        where !package.hasSuffix(".swift") {
            let lines = try Guide.text("../Packages/\(package)/CHANGELOG.md").split(separator: "\n")
            let named = lines.filter { $0.hasPrefix("## \(VersionPage.version) ") }
            #expect(named.allSatisfy { $0 == heading }, "\(package): \(named)")
        }
    }
}
