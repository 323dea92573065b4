import DivanTLS

/// After any bytes a server's session is handshaking, open, or failed permanently, with little held.
enum TLSServerRecords: FuzzTarget {
    static let name = "tls-server-records"

    static func violation(of input: [UInt8]) -> String? {
        RecordScript(victim: .server).violation(of: input)
    }

    static func seeds() -> [[UInt8]] { RecordScript.seeds }
}

/// After any bytes a client's session is handshaking, open, or failed permanently, with little held.
enum TLSClientRecords: FuzzTarget {
    static let name = "tls-client-records"

    static func violation(of input: [UInt8]) -> String? {
        RecordScript(victim: .client).violation(of: input)
    }

    static func seeds() -> [[UInt8]] { RecordScript.seeds }
}
