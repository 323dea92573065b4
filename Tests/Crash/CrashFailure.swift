/// Why the tool cannot continue, or what a killed writer left wrong.
struct CrashFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
