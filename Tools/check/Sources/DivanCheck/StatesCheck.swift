import Foundation

/// The pages in `Docs/states` show what the state machines in the sources do.
///
/// A machine is an enum whose comment says ``Drawn in `Docs/states/<name>.md` ``; `make states` draws it
/// from the one `switch (self, event)` in its file. Each transition there is a separate clause that
/// only names the next state and its effects, so that the switch can be read as a table.
public struct StatesCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns machines whose page is missing or outdated, transitions that cannot be read, and pages
    /// without a machine.
    public func violations() throws -> [Violation] {
        let (machines, unreadable) = try read()
        var violations = unreadable
        for machine in machines where (try? tree.text(machine.page)) != machine.drawn {
            violations.append(
                Violation(
                    place: machine.page,
                    problem: "the page does not show what \(machine.name) does",
                    remedy: "run make states, and check the changes"
                )
            )
        }
        let pages = Set(machines.map(\.page))
        for page in tree.files(under: Self.folder, suffix: ".md")
        where !pages.contains(page) && unreadable.isEmpty {
            violations.append(
                Violation(
                    place: page,
                    problem: "no machine says that it is drawn here",
                    remedy: "remove the page, or name it in the machine's comment"
                )
            )
        }
        return violations
    }

    /// Rewrites every page; returns what cannot be read.
    public func write() throws -> [Violation] {
        let (machines, unreadable) = try read()
        let folder = tree.root + "/" + Self.folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for machine in machines {
            let path = tree.root + "/" + machine.page
            try machine.drawn.write(toFile: path, atomically: true, encoding: .utf8)
        }
        return unreadable
    }

    private static let folder = "Docs/states"

    private func read() throws -> (machines: [StateMachine], unreadable: [Violation]) {
        var machines: [StateMachine] = []
        var unreadable: [Violation] = []
        for file in tree.files(under: "Packages", suffix: ".swift") where file.contains("/Sources/")
        {
            let text = try tree.text(file)
            guard text.contains("Drawn in `\(Self.folder)/") else { continue }
            do {
                machines.append(try StateMachine(reading: text, from: file))
            } catch {
                unreadable.append(
                    Violation(
                        place: "\(file):\(error.line)",
                        problem: error.problem,
                        remedy:
                            "write `case (.state, .event): (self, effects) = (.next, [.effect])`"
                    )
                )
            }
        }
        return (machines, unreadable)
    }
}
