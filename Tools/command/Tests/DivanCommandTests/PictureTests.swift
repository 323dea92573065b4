import DivanTestKit
import Foundation
import Testing

/// `studio-pictures`, which draws the pictures of the documentation for `make docs`.
@Suite(.timeLimit(.minutes(5))) struct PictureTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func draw() throws -> [String] {
        let outcome = try Program.built("studio-pictures").run([folder.path])
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.lines
    }

    private func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            contents[name] = try Data(contentsOf: URL(filePath: folder.file(name)))
        }
        return contents
    }

    @Test func `screenshots are redrawn only when their content changes`() throws {
        let first = try draw()
        #expect(first.count == 8 && first.allSatisfy { $0.hasSuffix(": drawn") }, "\(first)")
        let drawn = try contents()
        for (name, picture) in drawn where name != "studio.txt" {
            #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]) && picture.count > 5_000)
        }
        let second = try draw()
        #expect(second.allSatisfy { $0.hasSuffix(": unchanged") }, "\(second)")
        #expect(try contents() == drawn)

        // One picture's page no longer shows what it showed; another picture is missing.
        let list = URL(filePath: folder.file("studio.txt"))
        let known = try String(contentsOf: list, encoding: .utf8)
        let changed = known.replacing(/studio-query [0-9a-f]{8}/, with: "studio-query 00000000")
        try Data(changed.utf8).write(to: list)
        try FileManager.default.removeItem(atPath: folder.file("studio-phone.png"))
        let third = try draw().filter { $0.hasSuffix(": drawn") }
        #expect(third == ["studio-query: drawn", "studio-phone: drawn"])
        #expect(try String(contentsOf: list, encoding: .utf8) == known)
    }

    @Test func `studio.txt lists every picture of the documentation`() throws {
        let pictures = Guide.root.appendingPathComponent("Docs/pictures").standardizedFileURL
        let list = try Guide.text("pictures/studio.txt").split(separator: "\n")
        let listed = list.compactMap { $0.split(separator: " ").first }
        let names = try FileManager.default.contentsOfDirectory(atPath: pictures.path)
        let there = names.filter { $0.hasSuffix(".png") }.map { $0.dropLast(4) }
        #expect(listed.sorted() == there.sorted())
    }
}
