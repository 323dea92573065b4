public import DivanLog

/// The logs of stores and engines: slow steps and what delays them, never the contents of documents.
public enum StoreLog {
    /// Opening, maintenance, damage and transactions.
    public static let database = Log(.database)
    /// Queries and indexes.
    public static let query = Log(.query)
}
