import DivanCommandLine

/// Documents that a verb could not read, and omitted from its output.
struct DamagedDocuments {
    /// How many are listed individually; the rest is counted.
    private static let toldCount = 40

    /// How many there are.
    private(set) var count = 0
    /// The IDs of the first of them.
    private var names: [String] = []

    /// Adds one; the collection under the name that others know it by.
    mutating func take(_ id: String, in collection: String) {
        count += 1
        guard count <= Self.toldCount else { return }
        names.append("\(collection)/\(id)")
    }

    /// Lists them for a person.
    func tell(_ terminal: Terminal) {
        for name in names {
            terminal.note("divan: \(name.escapingControlCharacters()): damaged, left out")
        }
    }

    /// Ends a verb that has written the rest with a failure; does nothing if there are none.
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
