/// Who is first takes turns, so that nobody gets of what all share before the others each time.
struct Rotation {
    private var turn = 0

    /// Begins the next turn.
    mutating func advance() { turn += 1 }

    /// Calls `body` with each, from the one whose turn it is on.
    func forEach<Element>(of elements: [Element], _ body: (Element) -> Void) {
        guard !elements.isEmpty else { return }
        let first = turn % elements.count
        for element in elements[first...] { body(element) }
        for element in elements[..<first] { body(element) }
    }
}
