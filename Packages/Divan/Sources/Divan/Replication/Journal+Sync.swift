import DivanLog

extension Journal {
    /// Replicators.
    static let sync = Journal(.sync)
    /// Listeners.
    static let listener = Journal(.listener)
}
