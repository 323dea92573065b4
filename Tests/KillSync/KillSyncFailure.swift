/// Why the run cannot continue, or what the kills left wrong.
struct KillSyncFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
