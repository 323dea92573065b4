import DivanCommandLine
import Testing

@testable import DivanCommand

/// The texts of help pages: short, and in the same form for every command.
@Suite struct CommandTextTests {
    private static let names = CommandList.all.map { $0.syntax.name }

    private func syntax(of name: String) throws -> CommandSyntax {
        try #require(CommandList.all.first { $0.syntax.name == name }).line
    }

    @Test(arguments: names)
    func `a summary is an imperative of at most 60 characters`(_ name: String) throws {
        let summary = try syntax(of: name).summary
        #expect(summary.count <= 60, "\(summary.count): \(summary)")
        #expect(!summary.hasSuffix("."), "\(summary)")
        let verb = try #require(summary.split { $0 == " " || $0 == "," }.first)
        #expect(verb.allSatisfy { ("a"..."z").contains($0) }, "\(summary)")
        // "shows" and "showing" are not imperatives; "compress" is.
        let isInflected = verb.hasSuffix("ing") || verb.hasSuffix("s") && !verb.hasSuffix("ss")
        #expect(!isInflected, "\(summary)")
    }

    @Test(arguments: names)
    func `details are at most three paragraphs`(_ name: String) throws {
        let lines = try syntax(of: name).details
            .split(separator: "\n", omittingEmptySubsequences: false)
        // An indented block, such as an example, belongs to the paragraph before it.
        let paragraphs = lines.split(separator: "").filter { paragraph in
            !paragraph.allSatisfy { $0.hasPrefix("  ") }
        }
        #expect(paragraphs.count <= 3, "\(name): \(paragraphs.count)")
    }

    @Test(arguments: names)
    func `the help of an option is one short phrase`(_ name: String) throws {
        for option in try syntax(of: name).options {
            #expect(option.help.count <= 90, "\(option.name): \(option.help.count)")
            #expect(!option.help.hasSuffix("."), "\(option.name): \(option.help)")
        }
    }
}
