extension DatabasePath {
    /// The process that has the database open for writing, for people; `nil` if there is none, or the
    /// system does not know.
    var owner: String? { HolderName.find(bundle) }
}
