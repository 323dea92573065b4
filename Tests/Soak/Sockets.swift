import DivanPlatform
import Foundation

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
    static func connected(to port: UInt16) -> [Socket] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }.map { Socket(descriptor: FileDescriptor($0)) }
            .filter { socket in
                let address = socket.remoteAddress()
                return address?.family == .ipv4 && address?.port == port
            }
    }

    /// Ends a connection for both sides, whatever is under way.
    static func cut(_ socket: Socket) {
        socket.shutdownBoth()
    }
}
