import DivanTestKit
import Foundation
import Testing

/// `Tools/command/messages.md` shows what the command and the library print.
///
/// In order: `make messages` writes one section after the other.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MessagesTests {
    /// Whether the page is to be written, not compared: `make messages`.
    private static let writes = ProcessInfo.processInfo.environment["DIVAN_MESSAGES"] == "write"
    private static let titles = MessageArea.all.map(\.title) + [LibraryCalls.title]

    private func committedPage() throws -> MessagePage {
        MessagePage(try String(contentsOf: MessagePage.place, encoding: .utf8))
    }

    /// Compares a section with the committed page, or writes it.
    private func check(
        _ title: String,
        words: String,
        language: String,
        _ blocks: [String]
    ) throws {
        let committed = try committedPage()
        var page = committed
        page.replace(title, words: words, language: language, blocks)
        if Self.writes {
            return try Data(page.text(Self.titles).utf8).write(to: MessagePage.place)
        }
        for (block, expected) in zip(blocks, committed.blocks(title)) where block != expected {
            Issue.record("printed:\n\(block)\n\non the page:\n\(expected)")
        }
        #expect(page.sections[title] == committed.sections[title], "\(title)")
    }

    @Test(arguments: MessageArea.all)
    func `each command prints the message on the page`(area: MessageArea) throws {
        let entries = try area.run()
        for entry in entries {
            let isFailure = area.isOfRequests ? entry.status >= 400 : entry.status != 0
            #expect(isFailure, "\(entry)")
        }
        let blocks = entries.map { "$ \($0.command)\n\($0.message)" }
        try check(area.title, words: area.words, language: "console", blocks)
    }

    @Test func `each call throws the error on the page`() throws {
        let blocks = try LibraryCalls().blocks
        try check(LibraryCalls.title, words: LibraryCalls.words, language: "swift", blocks)
    }

    @Test func `the page has at least 200 different messages and no further sections`() throws {
        let page = try committedPage()
        let text = try String(contentsOf: MessagePage.place, encoding: .utf8)
        #expect(text == page.text(Self.titles))
        var places: [String: [String]] = [:]
        for block in Self.titles.flatMap(page.blocks) {
            let lines = block.split(separator: "\n")
            let message = lines.dropFirst().joined(separator: "\n")
            places[message, default: []].append(String(lines[0]))
        }
        #expect(places.count >= 200)
        for (message, commands) in places where commands.count > 1 {
            Issue.record("\(message)\nis printed by each of \(commands)")
        }
    }

    @Test func `messages begin in lower case and have no full stop`() throws {
        let page = try committedPage()
        // Names that a message may begin with, besides words in capitals such as TLS.
        let names = ["DIR", "CN=", "Replicator:", "Document:"]
        for line in Self.titles.flatMap(page.blocks).flatMap({ $0.split(separator: "\n") }) {
            #expect(!line.contains(#/"reason":"[A-Z][a-z]+ /#), "\(line)")
            guard let message = line.firstMatch(of: /^(divan|hint|\/\/ \w+): (.+)$/)?.2 else {
                continue
            }
            let word = message.prefix { $0 != " " }
            let isName = names.contains { word.hasPrefix($0) }
            let isInCapitals = !word.contains { $0.isLowercase }
            let isInLowerCase = message.first?.isUppercase == false
            #expect(isInLowerCase || isInCapitals || isName, "\(line)")
            #expect(message.last != ".", "\(line)")
        }
    }
}
