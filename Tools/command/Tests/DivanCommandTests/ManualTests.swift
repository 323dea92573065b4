import DivanTestKit
import Foundation
import Testing

/// `divan man`: the page that man(1) shows.
@Suite struct ManualTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    @Test func `the manual page has every command and option and no groff warnings`() throws {
        let rendered = try shell.bash(
            "divan man > divan.1 && groff -man -Tutf8 -ww -P-cbou -rLL=100n divan.1"
        )
        #expect(rendered.status == 0 && rendered.errors.isEmpty, "\(rendered.errors)")
        let page = rendered.output
        let help = try shell.run("--help").output
        let verbs = help.split(separator: "\n").prefix { !$0.hasPrefix("Run 'divan COMMAND") }
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap { line in
                line.dropFirst(2).components(separatedBy: "  ").first?.split(separator: ",").first
            }
        #expect(verbs.count > 40)
        for verb in verbs { #expect(page.contains("divan \(verb)"), "\(verb)") }
        #expect(page.contains("-c, --collection NAME"))
        #expect(page.contains("divan users add users.json bo --where 'owner = $user'"))
        #expect(page.contains("EXIT STATUS") && page.contains("stopped by Ctrl-C"))
        #expect(page.contains("\n       PAGER") || page.contains("DIVAN_PAGER, PAGER"))
    }

    @Test func `the manual page lists every environment variable`() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = (0..<5).reduce(here) { url, _ in url.deletingLastPathComponent() }
        var names: Set<Substring> = []
        for folder in ["Tools/command/Sources", "Packages/CouchbaseLiteSwift/Sources"] {
            let path = root.appending(path: folder).path
            let files = try #require(FileManager.default.enumerator(atPath: path))
            for case let name as String in files where name.hasSuffix(".swift") {
                let text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
                names.formUnion(text.matches(of: /"(DIVAN_[A-Z_]+)"/).map { $0.1 })
            }
        }
        #expect(names.count >= 8, "\(names)")
        let page = try shell.run("man").output
        let environment = try #require(page.components(separatedBy: ".SH ENVIRONMENT").last)
        for name in names { #expect(environment.contains(name), "\(name)") }
    }
}
