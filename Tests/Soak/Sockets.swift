import Foundation
import Glibc

/// The sockets of this process, as reported by the system.
enum Sockets {
    /// How many there are; a database's files come and go with its readers.
    static var count: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(name)"
            )
            return target?.hasPrefix("socket:") == true
        }
    }

    /// Descriptors of connections to a local port.
    static func connected(to port: UInt16) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }.filter { descriptor in
            var address = sockaddr_in()
            var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
            // The system writes at most `byteCount` bytes of an address during the call.
            let status = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(descriptor, $0, &byteCount)
                }
            }
            return status == 0 && Int32(address.sin_family) == AF_INET
                && UInt16(bigEndian: address.sin_port) == port
        }
    }

    /// Ends a connection for both sides, whatever is under way.
    static func cut(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
