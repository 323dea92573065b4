import DivanCommandLine

/// Documents that a command could not read, and omitted from its output.
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
            terminal.note("divan: \(name.escapingControlCharacters()): damaged, skipped")
        }
    }

    /// Fails a command that has written the other documents; does nothing if there are none.
    func fail() throws(Failure) {
        guard count > 0 else { return }
        throw Failure(
            kind: .partly,
            sentence: "\(words) skipped",
            hint: "run 'divan check' for details"
        )
    }

    /// How many, in words.
    var words: String { Numbers.count(count, "damaged document") }
}
