import Divan
import DivanTestKit
import Foundation
import Testing

/// The front page is correct.
@Suite struct ReadmeTests {
    private func file(_ path: String, from here: String = #filePath) throws -> String {
        let root = URL(fileURLWithPath: here)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test func `the README contains the example that the tests compile`() throws {
        let example = try file("Tests/EndToEndTests/ReadmeExample.swift")
        #expect(try file("README.md").contains("```swift\n\(example)```"))
    }

    @Test func `the README example runs`() async throws {
        // The example opens its databases in the default directory, so a new one is set.
        let directory = NSTemporaryDirectory() + "divan-readme-\(UUID().uuidString)"
        TestEnvironment.set("DIVAN_DIRECTORY", directory)
        defer {
            TestEnvironment.set("DIVAN_DIRECTORY", nil)
            try? FileManager.default.removeItem(atPath: directory)
        }
        try await syncMenu()
        let kiosk = try await Database.open("kiosk", in: URL(filePath: directory))
        let soup = try await kiosk.collection("menu").get("soup", as: Dish.self)
        #expect(soup?.name == "Lentil")
    }

    @Test func `the README lists every package`() throws {
        let readme = try file("README.md")
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appendingPathComponent("Packages")
        for package in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where FileManager.default.fileExists(atPath: "\(folder.path)/\(package)/Package.swift") {
            #expect(readme.contains("](Packages/\(package))"), "\(package)")
        }
    }
}
