/// Figures that are measured together; `--only` chooses groups by the beginning of their name.
struct Group: Sendable {
    let name: String
    /// Whether it is over in seconds and depends little on what else the machine does.
    ///
    /// Counts, and ratios of processor time in memory: what `--steady` measures, for every change.
    var isSteady = false
    let measure: @Sendable (Workplace, inout Report) throws -> Void
}
