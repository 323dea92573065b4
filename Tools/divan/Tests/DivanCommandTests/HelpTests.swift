import DivanTestKit
import Foundation
import Testing

/// The help pages, as a person at a terminal of 80 columns reads them.
@Suite struct HelpTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    @Test func `every page fits 80 columns, and every verb has an example`() throws {
        let help = try shell.run("--help").output
        let rows = help.split(separator: "\n").prefix { !$0.hasPrefix("divan VERB") }
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
        let verbs = rows.compactMap { row in
            row.dropFirst(2).components(separatedBy: "  ").first?.components(separatedBy: ", ")[0]
        }
        #expect(verbs.count > 40)
        var pages = [("divan", help)]
        for verb in verbs {
            let words = verb.split(separator: " ").map(String.init) + ["--help"]
            let page = try shell.divan(words).output
            pages.append((verb, page))
            if verb != "info" { #expect(page.contains("\nExamples:\n  divan "), "\(verb)") }
        }
        for (verb, page) in pages {
            let wide = page.split(separator: "\n").filter {
                $0.count > 80 && !$0.hasPrefix("  divan ")
            }
            #expect(wide.isEmpty, "\(verb): \(wide)")
        }
    }

    @Test(arguments: [
        "identity", "users", "certs", "checkpoints", "conflicts", "blob",
    ])
    func `a group of verbs has a page of its own`(_ group: String) throws {
        let page = try shell.run(group, "--help").output
        #expect(page.hasPrefix("Usage: divan \(group) VERB"))
        #expect(page.contains("  \(group) "))
    }

    @Test(arguments: [
        ("stats", "status"), ("pendin", "pending"), ("discovr", "discover"), ("serv", "serve"),
    ])
    func `a verb that was mistyped is guessed`(_ typed: String, _ meant: String) throws {
        try shell.divan(typed).expectFailure(2, "did you mean \(meant)?")
    }
}
