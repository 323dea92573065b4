internal import DivanLog

/// The log of a store: slow steps and what delays them, never the contents of documents.
enum StoreLog {
    static let database = Log(.database)
    static let query = Log(.query)
}
