/// Figures that are measured together; `--only` selects groups by a prefix of their name.
struct Group: Sendable {
    let name: String
    /// Whether it takes only seconds and depends little on the load of the machine.
    ///
    /// Counts, and ratios of processor time in memory: measured by `--steady` for every change.
    var isSteady = false
    /// Whether it reads vectors from the folder of `--vectors`; it is left out if there is none.
    var readsVectors = false
    let measure: @Sendable (BenchContext, inout Report) throws -> Void
}
