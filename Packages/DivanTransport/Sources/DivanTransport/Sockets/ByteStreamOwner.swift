import DivanTLS

/// The user of a `ByteStream`; every call comes on the loop.
protocol ByteStreamOwner: AnyObject {
    /// TCP and, where there is any, TLS are ready: bytes may be written.
    func streamDidOpen()
    /// Bytes arrived; they are lent for this call.
    func streamDidReceive(_ bytes: Span<UInt8>)
    /// What was readable in this turn has been delivered.
    func streamDidDrainInput()
    /// The turn ends: append what is to be written.
    func streamWillWrite(to output: inout [UInt8])
    /// Something was written, and what still waits is below the low-water mark.
    func streamDidDrainOutput()
    /// The peer ended its direction, or the connection broke; nothing more will come.
    ///
    /// Where the peer only ended its direction, it comes once more when the connection breaks.
    func streamDidEnd(_ problem: StreamProblem?)
}

/// Why a stream ended otherwise than by the peer's proper end.
enum StreamProblem: Error {
    case system(SystemError)
    case tls(TLSError)
    case stalled
}
