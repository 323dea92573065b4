import DivanPlatform
import DivanTLS

/// The user of a `ByteStream`; every call is made on the loop.
protocol ByteStreamOwner: AnyObject {
    /// TCP, and TLS if used, are ready: bytes may be written.
    func streamDidOpen()
    /// Bytes arrived; they are valid only during this call.
    func streamDidReceive(_ bytes: Span<UInt8>)
    /// What was readable in this turn has been delivered.
    func streamDidDrainInput()
    /// The turn ends: append the bytes to write.
    func streamWillWrite(to output: inout [UInt8])
    /// Bytes were written, and fewer than the low-water mark are still queued.
    func streamDidDrainOutput()
    /// The peer ended its direction, or the connection broke; nothing more will arrive.
    ///
    /// If the peer only ended its direction, it is called once more when the connection breaks.
    func streamDidEnd(_ problem: StreamProblem?)
}

/// Why a stream ended, other than by the peer's proper end.
enum StreamProblem: Error {
    case system(SystemError)
    case tls(TLSError)
    case stalled
}
