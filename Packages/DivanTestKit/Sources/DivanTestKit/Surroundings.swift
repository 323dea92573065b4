import Glibc
import Synchronization

/// This process's environment variables, for tests that run in parallel to others.
///
/// `setenv` frees the list while another thread may be reading it, as every name lookup and every new program does,
/// and the process then ends with signal 11. These functions replace the list, and never free an old one.
public enum Surroundings {
    /// A list of texts `NAME=value`, terminated by `nil`.
    private typealias List = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    private static let lock = Mutex(())

    /// Sets a variable, or removes it.
    public static func set(_ name: String, _ value: String?) {
        lock.withLock { _ in
            // The C library's variable, which Swift makes read-only; it lives as long as the process.
            guard let symbol = dlsym(nil, "environ") else { return }
            let environment = symbol.assumingMemoryBound(to: List.self)
            var entries: [UnsafeMutablePointer<CChar>?] = []
            var next = environment.pointee
            while let entry = next.pointee {
                if !String(cString: entry).hasPrefix("\(name)=") { entries.append(entry) }
                next += 1
            }
            if let value { entries.append(strdup("\(name)=\(value)")) }
            entries.append(nil)
            let list = List.allocate(capacity: entries.count)
            list.initialize(from: entries, count: entries.count)
            environment.pointee = list
        }
    }
}
