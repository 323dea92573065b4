import DivanMesh
public import Foundation

/// The identity of a peer of a mesh: the SHA-256 digest of its certificate.
public struct PeerID: Hashable, Sendable {
    /// The 32 bytes.
    public let bytes: Data

    init(_ id: MeshPeerID) {
        bytes = Data(id.bytes)
    }

    /// The same as the type of the packages below; `nil` if there are not 32 bytes.
    var engineID: MeshPeerID? { MeshPeerID(Array(bytes).span) }
}

extension PeerID: CustomStringConvertible {
    /// The bytes as 64 hexadecimal digits.
    public var description: String { engineID.map { "\($0)" } ?? "" }
}
