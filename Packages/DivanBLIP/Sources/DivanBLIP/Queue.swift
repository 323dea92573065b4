/// First in, first out, with insertion in between; removing the first does not move the others.
///
/// Usually there is just one element, so the first is stored apart from the array of the others.
struct Queue<Element> {
    /// The first element, if any; change it in place.
    var first: Element?  // `nil` only when nothing is behind it
    private var others: [Element?] = []
    private var start = 0  // where the first of `others` stands; those before are taken

    var isEmpty: Bool { first == nil }
    var count: Int { isEmpty ? 0 : 1 + others.count - start }

    /// The element at a place counted from the first; `nil` outside.
    subscript(_ place: Int) -> Element? {
        guard place > 0 else { return place == 0 ? first : nil }
        return place < count ? others[start + place - 1] : nil
    }

    mutating func append(_ element: consuming Element) {
        if isEmpty {
            first = consume element
        } else {
            others.append(consume element)
        }
    }

    /// Inserts before the element at `place`, or at the end.
    mutating func insert(_ element: Element, at place: Int) {
        if place > 0, !isEmpty {
            others.insert(element, at: start + min(place, count) - 1)
        } else {
            if let first { others.insert(first, at: start) }
            first = element
        }
    }

    mutating func popFirst() -> Element? {
        guard let taken = first.take() else { return nil }
        if start < others.count { advance() }
        return taken
    }

    mutating func dropFirst() {
        first = nil
        if start < others.count { advance() }
    }

    /// Moves the first of the others to the front.
    private mutating func advance() {
        first = others[start].take()
        start += 1
        if start == others.count {
            others.removeAll(keepingCapacity: others.capacity <= 1024)
            start = 0
        } else if start >= 64, start * 2 >= others.count {
            others.removeFirst(start)
            start = 0
        }
    }
}
