import DivanDiscovery

extension DiscoveryError: NumberedError {
    var number: ErrorNumber {
        switch self {
        case .noDaemon, .avahi: .divan(CBLError.unsupported)
        default: .divan(CBLError.invalidParameter)
        }
    }
}
