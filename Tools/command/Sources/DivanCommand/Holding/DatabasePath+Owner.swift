extension DatabasePath {
    /// A description of the process that has the database open for writing; `nil` if it is unknown, or
    /// there is none.
    var owner: String? { HolderName.find(bundle) }
}
