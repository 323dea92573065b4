import Glibc

/// Blocking local sockets, for servers and clients that a test implements itself.
public enum Loopback {
    /// No port was available; `number` is the `errno`.
    public struct Failure: Error {
        /// The number of the system's error.
        public let number: Int32
    }

    /// Listens on a port of 127.0.0.1 that the system chooses.
    ///
    /// - Throws: `Failure`.
    public static func listen(
        queue: Int32 = 16
    ) throws(Failure) -> (
        descriptor: Int32, port: UInt16
    ) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = with(0) { bind(descriptor, $0, $1) } == 0
        // The system writes at most `byteCount` bytes of an address during the call.
        let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &byteCount) == 0
            }
        }
        guard isBound, isNamed, Glibc.listen(descriptor, queue) == 0 else {
            defer { close(descriptor) }
            throw Failure(number: errno)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Connects; `nil` if nothing listens there.
    public static func connect(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard with(port, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Sends all bytes; false if the other side has closed the connection.
    @discardableResult
    public static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            // The system reads `rest` during the call.
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits for the next bytes, at most 64 KiB; empty at the end.
    public static func receive(from descriptor: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    private static func with<Result>(
        _ port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // The system reads the address during the call, as a generic one.
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
