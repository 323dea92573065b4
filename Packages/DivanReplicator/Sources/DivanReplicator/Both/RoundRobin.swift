/// Alternates who goes first, so that nobody always gets shared resources before the others.
struct RoundRobin {
    private var turn = 0

    /// Starts the next turn.
    mutating func advance() { turn += 1 }

    /// Calls `body` for each element, starting with the one whose turn it is.
    func forEach<Element>(of elements: [Element], _ body: (Element) -> Void) {
        guard !elements.isEmpty else { return }
        let first = turn % elements.count
        for element in elements[first...] { body(element) }
        for element in elements[..<first] { body(element) }
    }
}
