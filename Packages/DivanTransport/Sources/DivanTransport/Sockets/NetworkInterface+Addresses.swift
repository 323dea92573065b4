import DivanPlatform

extension NetworkInterface {
    /// The addresses of the interface that `text` means, a name such as `eth0` or a numeric address.
    ///
    /// - Returns: Empty if there is no such interface.
    static func addresses(of text: String) -> [SocketAddress] {
        if let address = SocketAddress(host: text, port: 0) { return [address] }
        return NetworkInterface.all().filter { $0.name == text }.map(\.address)
    }
}
