import Glibc
import Synchronization

/// The environment variables of this process, for tests that run beside others.
///
/// `setenv` frees the list that another thread may be reading, as each look-up of a name and each new program
/// does, and the process ends with signal 11. Here the list is replaced by a new one, and no old one is freed.
public enum Surroundings {
    /// A list of texts `NAME=value`, behind which stands `nil`.
    private typealias List = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    private static let lock = Mutex(())

    /// Sets a variable, or removes it.
    public static func set(_ name: String, _ value: String?) {
        lock.withLock { _ in
            // The C library's variable, which Swift lets nobody write; it lives as long as the process.
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
