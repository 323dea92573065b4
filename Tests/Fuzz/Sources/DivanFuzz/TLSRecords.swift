import DivanTLS

/// Any bytes leave a server's session handshaking, open, or failed for good, with little held.
enum TLSServerRecords: FuzzTarget {
    static let name = "tls-server-records"

    static func violation(of input: [UInt8]) -> String? {
        RecordScript(victim: .server).violation(of: input)
    }

    static func seeds() -> [[UInt8]] { RecordScript.seeds }
}

/// Any bytes leave a client's session handshaking, open, or failed for good, with little held.
enum TLSClientRecords: FuzzTarget {
    static let name = "tls-client-records"

    static func violation(of input: [UInt8]) -> String? {
        RecordScript(victim: .client).violation(of: input)
    }

    static func seeds() -> [[UInt8]] { RecordScript.seeds }
}
