import DivanCommandLine
import DivanJSON

/// Contents that documents name and that are nowhere, as a verb tells of them that has done the rest.
struct MissingContents {
    private let digests: [String]

    init(_ digests: [some CustomStringConvertible]) {
        self.digests = digests.map(\.description)
    }

    /// Names them to a program.
    func add(to object: inout JSONObject) {
        guard !digests.isEmpty else { return }
        object["missingBlobs"] = .array(digests.map { .string($0) })
    }

    /// Names them to a person, and ends the verb; nothing where there are none.
    func fail(_ terminal: Terminal) throws(Failure) {
        guard !digests.isEmpty else { return }
        terminal.noteMissing(digests)
        throw Failure(
            kind: .partly,
            sentence:
                "\(Numbers.count(digests.count, "blob")) missing; divan check names the documents"
        )
    }
}
