/// A first-in, first-out queue; taking the first element costs nothing for those behind it.
struct FIFOQueue<Element> {
    private var elements: [Element] = []
    private var start = 0  // where the first stands; those before it are gone

    /// Creates an empty queue.
    init() {}

    /// Creates a queue with one element.
    init(_ element: Element) {
        elements = [element]
    }

    var isEmpty: Bool { start == elements.count }
    var count: Int { elements.count - start }
    var first: Element? { isEmpty ? nil : elements[start] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer { advance(by: 1) }
        return elements[start]
    }

    /// Takes up to this many, and no more once those taken weigh `room` together.
    mutating func popFirst(
        atMost limit: Int,
        within room: Int = .max,
        weighing weight: (Element) -> Int = { _ in 0 }
    ) -> [Element] {
        var left = room
        let taken = elements[start...].prefix(limit).prefix { element in
            defer { left -= min(left, max(0, weight(element))) }
            return left > 0
        }
        defer { advance(by: taken.count) }
        return Array(taken)
    }

    mutating func removeAll(where isGone: (Element) -> Bool) {
        elements.removeFirst(start)
        start = 0
        elements.removeAll(where: isGone)
    }

    func contains(where isWanted: (Element) -> Bool) -> Bool {
        elements[start...].contains(where: isWanted)
    }

    func map<Result>(_ transform: (Element) -> Result) -> [Result] {
        elements[start...].map(transform)
    }

    /// Releases memory once as much has been taken as is left.
    private mutating func advance(by count: Int) {
        start += count
        guard start == elements.count || (start >= 32 && start * 2 >= elements.count) else {
            return
        }
        elements.removeFirst(start)
        start = 0
    }
}
