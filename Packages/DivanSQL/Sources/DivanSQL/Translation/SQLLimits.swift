/// The limits of a translated statement.
enum SQLLimits {
    /// Bytes of the SQL for a statement; 16 MiB.
    ///
    /// The expression of an alias is written wherever the alias is used.
    static let byteCount = 16 << 20

    /// Conditions joined by `AND` and `OR` for which SQLite looks for an index; 300.
    ///
    /// Longer chains are tested for each row that the other conditions leave.
    static let plannedConditionCount = 300

    /// Properties in a statement that may each hold a copy of their document while the statement
    /// runs; 8.
    ///
    /// Further ones share one copy, which costs each some nanoseconds more.
    static let heldBodyCount = 8

    /// Values in the conditions that a vector search tests; 90.
    ///
    /// They are arguments of a function, of which SQLite may allow only 100. With more values, or a longer text, the
    /// conditions choose the documents whose distances are computed.
    static let filterBindingCount = 90

    /// Bytes of the SQL for these conditions; 16 KiB.
    static let filterByteCount = 16 << 10
}
