internal import DivanLog

/// What a store logs with: steps that take long and what holds it up, never what documents hold.
enum StoreLog {
    static let database = Log(.database)
}
