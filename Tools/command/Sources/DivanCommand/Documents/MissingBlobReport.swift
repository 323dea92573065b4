import DivanCommandLine
import DivanJSON

/// Blobs that documents refer to and that do not exist, as reported by a command that has done the rest.
struct MissingBlobReport {
    private let digests: [String]

    init(_ digests: [some CustomStringConvertible]) {
        self.digests = digests.map(\.description)
    }

    /// Lists them for a program.
    func add(to object: inout JSONObject) {
        guard !digests.isEmpty else { return }
        object["missingBlobs"] = .array(digests.map { .string($0) })
    }

    /// Lists them for a person, and fails the command; does nothing if there are none.
    func fail(_ terminal: Terminal) throws(Failure) {
        guard !digests.isEmpty else { return }
        terminal.noteMissing(digests)
        throw Failure(
            kind: .partly,
            sentence: "\(Numbers.count(digests.count, "blob")) missing",
            hint: "run 'divan check' to list the documents that reference them"
        )
    }
}
