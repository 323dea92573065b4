/// A document of the trial.
struct Chair: Equatable, Sendable {
    let id: String
    var kind: Int
    var price: Int
    var grade: Int
    var maker: Int
    var tags: [Int]
    var name: String
    /// Words of the note; `nil` for a chair without one.
    var words: [Int]?

    /// Numbers of existing kinds, makers, tags and words.
    static let (kinds, makers, tags, words) = (100, 40, 20, 100)

    init(id: String, _ random: inout some RandomNumberGenerator) {
        self.id = id
        kind = Int.random(in: 0..<Self.kinds, using: &random)
        price = Int.random(in: 0..<1_000, using: &random)
        grade = Int.random(in: 0..<10, using: &random)
        maker = Int.random(in: 0..<Self.makers, using: &random)
        name = "oslo \(Int.random(in: 0..<500, using: &random))"
        let first = Int.random(in: 0..<Self.tags - 1, using: &random)
        tags = Bool.random(using: &random) ? [first, first + 1] : [first]
        words = Self.note(&random)
    }

    private static func note(_ random: inout some RandomNumberGenerator) -> [Int]? {
        guard Int.random(in: 0..<4, using: &random) > 0 else { return nil }
        return (0..<2).map { _ in Int.random(in: 0..<words, using: &random) }
    }

    /// The same chair with one or two members changed.
    func changed(_ random: inout some RandomNumberGenerator) -> Chair {
        let other = Chair(id: id, &random)
        var changed = self
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            switch Int.random(in: 0..<7, using: &random) {
            case 0: changed.kind = other.kind
            case 1: changed.price = other.price
            case 2: changed.grade = other.grade
            case 3: changed.maker = other.maker
            case 4: changed.tags = other.tags
            case 5: changed.name = other.name
            default: changed.words = other.words
            }
        }
        return changed
    }

    var body: [String: Any] {
        var body: [String: Any] = [
            "kind": "k\(kind)", "price": price, "grade": grade, "maker": "m\(maker)", "tags": tags,
            "name": name,
        ]
        if let words { body["note"] = words.map { "w\($0)" }.joined(separator: " ") }
        return body
    }
}

/// What a commit did to a document.
enum Change {
    case chair(Chair?, Chair?)
    case maker(Int)
}
