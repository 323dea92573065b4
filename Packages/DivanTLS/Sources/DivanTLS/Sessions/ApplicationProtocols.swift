import CDivanTLS

/// Names of application protocols, and the choice between them.
///
/// Source: RFC 7301 §3.
struct ApplicationProtocols: Sendable {
    /// In order of preference, each of 1 to 255 bytes.
    let names: [[UInt8]]

    /// Checks the names; throws the first that is invalid.
    init(_ names: [String]) throws(InvalidName) {
        for name in names where !(1...255).contains(name.utf8.count) {
            throw InvalidName(name: name)
        }
        self.names = names.map { Array($0.utf8) }
    }

    /// A name that is empty or too long.
    struct InvalidName: Error {
        let name: String
    }

    /// The list as it is sent: each name after its length.
    var encoded: [UInt8] { names.flatMap { [UInt8($0.count)] + $0 } }

    /// The position of our most preferred name in a client's list; `nil` if there is none.
    func choice(in list: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        var offered: [Range<Int>] = []
        var offset = 0
        while offset < list.count {
            let start = offset + 1
            let end = start + Int(list[offset])
            guard end <= list.count else { return nil }
            offered.append(start..<end)
            offset = end
        }
        for name in names {
            if let found = offered.first(where: { list[$0].elementsEqual(name) }) { return found }
        }
        return nil
    }
}

/// OpenSSL's call-back on a server when a client offers protocols.
func chooseProtocol(
    _ ssl: OpaquePointer?,
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenCount: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?,
    _ offeredCount: UInt32,
    _: UnsafeMutableRawPointer?
) -> Int32 {
    let list = UnsafeBufferPointer(start: offered, count: Int(offeredCount))
    guard let session = TLSSession.of(ssl), let offered,
        let choice = session.context.applicationProtocols.choice(in: list)
    else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    // The choice points into the client's list, which OpenSSL copies from after this call.
    chosen?.pointee = offered + choice.lowerBound
    chosenCount?.pointee = UInt8(choice.count)
    return SSL_TLSEXT_ERR_OK
}
