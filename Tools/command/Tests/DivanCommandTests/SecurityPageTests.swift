import Foundation
import Testing

/// Docs/security.md promises nothing that no test verifies.
@Suite struct SecurityPageTests {
    @Test func `every suite and sentence that the page names is there`() throws {
        let page = try Guide.text("security.md")
        let rows = page.split(separator: "\n").filter {
            $0.hasPrefix("| ") && $0.contains("Tests`")
        }
        #expect(rows.count > 20)
        let sources = try self.sources()
        for row in rows {
            for suite in row.matches(of: /`([A-Za-z]+Tests)`/) {
                #expect(sources[String(suite.1)] != nil, "\(suite.1)")
            }
            for sentence in row.matches(of: /"([^"]+)"/) {
                let name = "func `\(sentence.1)`"
                #expect(sources.values.contains { $0.contains(name) }, "\(sentence.1)")
            }
        }
    }

    /// The text of each test file, by the name of its suite.
    private func sources() throws -> [String: String] {
        var sources: [String: String] = [:]
        for folder in ["Packages", "Tests", "Tools"] {
            let place = Guide.root.appendingPathComponent(folder).standardizedFileURL
            let files = FileManager.default.enumerator(atPath: place.path)
            while let file = files?.nextObject() as? String {
                guard file.hasSuffix("Tests.swift"), !file.contains(".build/") else { continue }
                let url = place.appendingPathComponent(file)
                let name = url.deletingPathExtension().lastPathComponent
                // Several packages have a suite with the same name.
                sources[name, default: ""] += try String(contentsOf: url, encoding: .utf8)
            }
        }
        return sources
    }
}
