import DivanDiscovery

extension DiscoveryError: NumberedError {
    var number: ErrorNumber {
        switch self {
        case .noDaemon, .avahi: .divan(CBLError.unsupported)
        case .invalidName, .invalidSubtype, .invalidPort, .invalidAttribute, .attributesTooLarge:
            .divan(CBLError.invalidParameter)
        }
    }
}
