/// One of the two processes.
enum Side: String, CaseIterable {
    /// Listens.
    case server
    /// Connects, pushes and pulls, and resolves conflicts.
    case client

    var index: Int { self == .server ? 1 : 0 }
}
