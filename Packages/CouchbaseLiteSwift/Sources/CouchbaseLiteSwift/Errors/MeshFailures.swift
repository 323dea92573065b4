import DivanMesh
import DivanMeshPeer

extension MeshError: NumberedError {
    var number: ErrorNumber { .divan(CBLError.invalidParameter) }
}

extension MeshPeerError: NumberedError {
    var number: ErrorNumber { .divan(CBLError.invalidParameter) }
}
