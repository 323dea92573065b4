import DivanCommandLine

/// Documents that a verb could not read, and left out of what it wrote.
struct DamagedDocuments {
    /// What is told one by one; the rest is counted.
    private static let toldCount = 40

    /// How many there are.
    private(set) var count = 0
    /// The names of the first of them.
    private var names: [String] = []

    /// Takes one more; the collection by the name that others know it by.
    mutating func take(_ id: String, in collection: String) {
        count += 1
        guard count <= Self.toldCount else { return }
        names.append("\(collection)/\(id)")
    }

    /// Names them to a person.
    func tell(_ terminal: Terminal) {
        for name in names {
            terminal.note("divan: \(name.escapingControlCharacters()): damaged, left out")
        }
    }

    /// Ends a verb that has written the rest; nothing where there are none.
    func fail() throws(Failure) {
        guard count > 0 else { return }
        throw Failure(
            kind: .partly,
            sentence: "\(words) left out; divan check tells what is wrong"
        )
    }

    /// How many, in words.
    var words: String { Numbers.count(count, "damaged document") }
}
