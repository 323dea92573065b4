/// The pages in `Docs/states` show what the state machines in the sources do.
///
/// A machine is an enum whose comment says ``Drawn in `Docs/states/<name>.md` ``; its page is drawn from
/// the one `switch (self, event)` in its file. Each transition there is a separate clause that only names
/// the next state and its effects, so that the switch can be read as a table.
struct StatesCheck: Generated {
    let tree: SourceTree

    private static let folder = "Docs/states"

    func violations() throws -> [Violation] {
        let (machines, unreadable) = try read()
        let pages = Set(machines.map(\.page))
        let idle = tree.files(in: Self.folder, suffix: ".md")
            .filter { !pages.contains($0) && unreadable.isEmpty }
        return try unreadable + stale()
            + idle.map { Violation($0, "no machine says that it is drawn here", "remove the page") }
    }

    func generated() throws -> [String: String] {
        Dictionary(uniqueKeysWithValues: try read().machines.map { ($0.page, $0.drawn) })
    }

    private func read() throws -> (machines: [StateMachine], unreadable: [Violation]) {
        var machines: [StateMachine] = []
        var unreadable: [Violation] = []
        for file in tree.sources() {
            let text = try tree.text(file)
            guard text.contains("Drawn in `\(Self.folder)/") else { continue }
            do {
                machines.append(try StateMachine(reading: text, from: file))
            } catch let error as StateMachine.Unreadable {
                let remedy = "write `case (.state, .event): (self, effects) = (.next, [.effect])`"
                unreadable.append(Violation("\(file):\(error.line)", error.problem, remedy))
            }
        }
        return (machines, unreadable)
    }
}
