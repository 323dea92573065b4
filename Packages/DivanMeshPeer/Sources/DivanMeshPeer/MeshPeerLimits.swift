import DivanMesh

/// Every limit of this package, with its reason; all are maxima.
///
/// Those of the mesh itself are in `MeshLimits`.
public enum MeshPeerLimits {
    /// Unfinished handshakes of callers: 64, so that silent callers cannot exhaust descriptors.
    public static let handshakeCount = 64
    /// The same for one address, this machine's own excepted: 16, a quarter of all.
    public static let addressHandshakeCount = 16
    /// Time for the handshake of a caller: 10 s, as long as the mesh waits for an answer.
    public static let handshakeTimeout = Duration.seconds(10)
    /// Accepted connections: 128, all links, and handshakes that are being decided or refused.
    public static let connectionCount = 128
    /// Collections of one mesh: 64, whose names are compared in a handshake.
    public static let collectionCount = 64
    /// Bytes of their names in a header line: 6 KiB, which every server's limit of 8 KiB for a line permits.
    public static let collectionsByteCount = 6 << 10
    /// UTF-8 bytes of a subscription's condition: 1 KiB, which is parsed in a handshake.
    public static let subscriptionByteCount = 1 << 10
    /// Bytes of all conditions of a peer: 4 KiB, which fit in a header line as Base64.
    public static let subscriptionsByteCount = 4 << 10
    /// Bytes of a WebSocket message: 128 KiB; every known peer sends at most 16 KiB at once.
    public static let frameByteCount = 128 << 10
    /// Peers whose certificates, refusals and replication states are remembered: 1,000, as many as peers.
    public static let peerRecordCount = MeshLimits.peerCount
}
