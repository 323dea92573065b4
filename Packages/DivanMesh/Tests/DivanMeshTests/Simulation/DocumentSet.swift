/// The documents that a peer has: one bit for each number.
struct DocumentSet: Equatable {
    private var words: [UInt64] = []

    init() {}

    init(_ numbers: some Sequence<Int>) {
        for number in numbers { insert(number) }
    }

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }
    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    private mutating func insert(_ number: Int) {
        while words.count <= number / 64 { words.append(0) }
        words[number / 64] |= 1 << (number % 64)
    }

    mutating func formUnion(_ other: DocumentSet) {
        while words.count < other.words.count { words.append(0) }
        for index in other.words.indices { words[index] |= other.words[index] }
    }

    func subtracting(_ other: DocumentSet) -> DocumentSet {
        var rest = self
        for index in rest.words.indices where index < other.words.count {
            rest.words[index] &= ~other.words[index]
        }
        while rest.words.last == 0 { rest.words.removeLast() }
        return rest
    }

    func intersection(_ other: DocumentSet) -> DocumentSet {
        subtracting(subtracting(other))
    }

    /// The first documents, at most this many.
    func prefix(_ limit: Int) -> DocumentSet {
        var (prefix, room) = (self, limit)
        for index in words.indices {
            while prefix.words[index].nonzeroBitCount > room {
                prefix.words[index] &= ~(1 << (63 - prefix.words[index].leadingZeroBitCount))
            }
            room -= prefix.words[index].nonzeroBitCount
        }
        return prefix
    }

    func isSuperset(of other: DocumentSet) -> Bool { other.subtracting(self).isEmpty }
}
