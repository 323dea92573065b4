import Foundation
import Testing

@testable import DivanCheck

/// The pages of the state machines match the sources, and only tables are drawn.
@Suite struct StatesCheckTests {
    private static let source = "Packages/DivanJSON/Sources/DivanJSON/Door.swift"
    private static let page = "Docs/states/door.md"

    private static let door = """
        /// A door.
        ///
        /// Drawn in `Docs/states/door.md`.
        enum Door {
            case open
            case closed
            case locked(by: Int)
            case gone

            enum Event {
                case pushed, pulled
            }

            mutating func handle(_ event: Event) -> [Effect] {
                let effects: [Effect]
                switch (self, event) {
                case (.open, .pushed) where isHeavy: (self, effects) = (.closed, [.creak, .tell(1)])
                case (.closed, .pulled), (.locked(by: 0), .pulled):
                    (self, effects) = (.open, [])  // as it was
                case (.closed, .pushed(force: true)): (self, effects) = (.locked(by: 2), [.creak])
                case (.gone, .broken): return false
                case (_, .broken): self = .gone
                default: effects = []
                }
                return effects
            }
        }

        """

    /// A checkout with an up-to-date page.
    private func drawn() throws -> Checkout {
        let checkout = try Checkout()
        try checkout.write(Self.source, Self.door)
        try StatesCheck(tree: checkout.tree).write()
        #expect(try StatesCheck(tree: checkout.tree).violations().isEmpty)
        return checkout
    }

    @Test func `a page shows each transition with its condition and its effects`() throws {
        let checkout = try drawn()
        let page = try checkout.tree.text(Self.page)
        let lines = page.components(separatedBy: "\n").filter { $0.contains(" --> ") }
        #expect(
            lines.map { $0.dropFirst(4) } == [
                "[*] --> open", "open --> closed: pushed [isHeavy] / creak, tell",
                "open --> gone: broken", "closed --> open: pulled",
                "closed --> locked: pushed / creak", "closed --> gone: broken",
                "locked --> open: pulled", "locked --> gone: broken", "gone --> [*]",
            ]
        )
        #expect(page.hasPrefix("# Door\n\nA door. Drawn by "))
    }

    @Test(arguments: [
        ("= (.open, [])", "= (.gone, [])"), ("[.creak, .tell(1)]", "[.creak]"),
        ("where isHeavy", "where isLight"), (", (.locked(by: 0), .pulled)", ""),
    ])
    func `a changed transition makes the page stale`(old: String, new: String) throws {
        let checkout = try drawn()
        try checkout.write(Self.source, Self.door.replacing(old, with: new))
        let violations = try StatesCheck(tree: checkout.tree).violations()
        #expect(violations.map(\.place) == [Self.page])
        #expect(violations.first?.problem == "the file is not up to date")
    }

    @Test(arguments: [
        ("= (.open, [])", "= (isHeavy ? .open : .gone, [])"),
        ("self = .gone", "self = next(event)"),
        ("= (.open, [])", "= (.ajar, [])"), ("(_, .broken)", "(let state, .broken)"),
        ("switch (self, event)", "switch (event, self)"),
    ])
    func `an invalid transition table is found`(old: String, new: String) throws {
        let checkout = try drawn()
        try checkout.write(Self.source, Self.door.replacing(old, with: new))
        let violations = try StatesCheck(tree: checkout.tree).violations()
        #expect(violations.count == 1 && violations[0].place.hasPrefix(Self.source))
    }

    @Test func `a page without a state machine and a state machine without a page are found`()
        throws
    {
        let checkout = try drawn()
        try checkout.write("Docs/states/window.md", "# Window\n")
        try checkout.remove(Self.page)
        let places = try StatesCheck(tree: checkout.tree).violations().map(\.place)
        #expect(places == [Self.page, "Docs/states/window.md"])
    }

    /// Every machine of the repository: each of its transitions that names an effect, without it.
    @Test func `a seeded change of a Divan state machine is found`() throws {
        let root = URL(filePath: #filePath).pathComponents.dropLast(5).joined(separator: "/")
        let ours = SourceTree(root: root)
        let files = ours.sources().filter { file in
            (try? ours.text(file).contains("Drawn in `Docs/states/")) ?? false
        }
        #expect(files.count >= 2)
        for file in files {
            let text = try ours.text(file)
            let page = try StateMachine(reading: text, from: file).drawn
            let lines = text.components(separatedBy: "\n")
            let table = try #require(lines.firstIndex { $0.contains("switch (self, event) {") })
            let places = lines.indices.filter { place in
                place > table && lines[place].hasPrefix("        case (.")
            }
            #expect(!places.isEmpty)
            for place in places {
                var changed = lines
                changed[place] = lines[place].replacing(", .", with: ", .un", maxReplacements: 1)
                let redrawn = try? StateMachine(
                    reading: changed.joined(separator: "\n"),
                    from: file
                ).drawn
                #expect(redrawn != page, "\(lines[place])")
            }
        }
    }

    @Test(arguments: [
        "throw .http(404, text)", "SyncError(.liteCore, 26)", "close(code: 1000)", "case 403: x",
        "guard error.code == 503", "HTTPStatus(rawValue: 404)", "case .refused(500, _, _)",
    ])
    func `an error code written as a number is found`(line: String) throws {
        let checkout = try Checkout()
        try checkout.write("Packages/DivanReplicator/Sources/DivanReplicator/A.swift", line + "\n")
        #expect(try WordsCheck(tree: checkout.tree).violations().count == 1)
        let named = "static let notFound = HTTPStatus(rawValue: 404)\n"
        try checkout.write("Packages/DivanReplicator/Sources/DivanReplicator/A.swift", named)
        #expect(try WordsCheck(tree: checkout.tree).violations().isEmpty)
    }
}
