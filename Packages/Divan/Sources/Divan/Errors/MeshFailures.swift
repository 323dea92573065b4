import DivanDiscovery
import DivanMesh
import DivanMeshPeer

extension MeshError: NumberedError {
    var number: ErrorNumber { .divan(CBLError.invalidParameter) }
}

extension MeshPeerError: NumberedError {
    var number: ErrorNumber { .divan(CBLError.invalidParameter) }
}

extension DiscoveryError: NumberedError {
    var number: ErrorNumber {
        switch self {
        case .noDaemon, .avahi: .divan(CBLError.unsupported)
        case .invalidName, .invalidSubtype, .invalidPort, .invalidAttribute, .attributesTooLarge:
            .divan(CBLError.invalidParameter)
        }
    }
}
