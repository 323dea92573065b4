/// How far an export, an import, a dump or a restoration is.
public struct ExchangeProgress: Equatable, Sendable {
    /// Documents read or written so far.
    public var documentCount: Int
    /// Documents to write, including those that turn out to be damaged or expired; `nil` if that is unknown.
    public var totalCount: Int?
    /// Bytes of text read or written so far.
    public var byteCount: UInt64

    /// Describes progress.
    public init(documentCount: Int = 0, totalCount: Int? = nil, byteCount: UInt64 = 0) {
        self.documentCount = documentCount
        self.totalCount = totalCount
        self.byteCount = byteCount
    }
}

/// Is called for each document, on the thread of the call that does the work.
///
/// Throw an error, such as `CancellationError`, to stop: the call throws the same error.
public typealias ProgressHandler = (ExchangeProgress) throws -> Void

/// Receives the bytes of an output, in order.
///
/// An error that it throws ends the export, whose call throws the same error.
public typealias ByteSink = (_ bytes: [UInt8]) throws -> Void
