extension DatabasePath {
    /// The process that has the database open to write, for people; `nil` where there is none, or the
    /// system does not tell.
    var owner: String? { HolderName.find(bundle) }
}
