internal import Glibc
internal import Synchronization

/// This process.
public enum CurrentProcess {
    /// Its number.
    public static var id: Int32 { getpid() }

    /// The user whose rights it has.
    public static var effectiveUser: UInt32 { geteuid() }

    /// The name of a user; `nil` if the system has none.
    public static func name(ofUser user: UInt32) -> String? {
        // The entry points into the allocation, and is copied before that ends.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { text in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard let start = text.baseAddress else { return nil }
            let status = getpwuid_r(user, &entry, start, text.count, &found)
            guard status == 0, found != nil, let name = entry.pw_name else { return nil }
            return String(cString: name)
        }
    }

    /// The number of processors that are on line, at least 1.
    public static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// The size of a page of memory in bytes.
    public static var pageByteCount: Int { sysconf(Int32(_SC_PAGESIZE)) }

    /// The units per second in which `/proc` counts processor time.
    public static var ticksPerSecond: Int { sysconf(Int32(_SC_CLK_TCK)) }

    /// Ends the process, after the actions that the C library has for that.
    public static func exit(_ status: Int32) -> Never {
        Glibc.exit(status)
    }

    /// Ends the process at once; a signal handler may call it.
    public static func exitNow(_ status: Int32) -> Never {
        _exit(status)
    }

    /// Whether the program or one of its libraries exports a symbol.
    public static func hasSymbol(_ name: String) -> Bool { dlsym(nil, name) != nil }

    /// Writes what `print` has buffered.
    public static func flushStandardOutput() {
        fflush(nil)
    }
}

// MARK: Environment

extension CurrentProcess {
    /// The value of an environment variable, repaired if it is not UTF-8; `nil` if it is not set.
    public static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The bytes of an environment variable.
    public static func bytes(ofVariable name: String) -> [UInt8]? {
        getenv(name).map { value in
            Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
        }
    }
}

extension CurrentProcess {
    private typealias List = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    private static let lock = Mutex(())

    /// Changes an environment variable, or removes it, by replacing the whole list of them.
    ///
    /// `setenv` moves the list while another thread may be reading it; here the former list stays as it is, for good.
    /// So it suits tests, and not what happens often.
    public static func setVariable(_ name: String, _ value: String?) {
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

// MARK: Limits

extension CurrentProcess {
    /// The largest number of open files; `nil` if the system does not tell.
    public static var descriptorLimit: (current: UInt64, maximum: UInt64)? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return nil
        }
        return (UInt64(limit.rlim_cur), UInt64(limit.rlim_max))
    }

    /// Changes how many files the process may open, up to the maximum.
    public static func setDescriptorLimit(_ count: UInt64) {
        guard let maximum = descriptorLimit?.maximum else { return }
        set(RLIMIT_NOFILE, rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(maximum)))
    }

    /// Changes how many bytes a file may have that the process writes; `nil` for no limit of its own.
    public static func setFileByteLimit(_ byteCount: UInt64?) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
        set(RLIMIT_FSIZE, limit)
    }

    /// Changes how many bytes of addresses the process may have.
    public static func setAddressLimit(_ byteCount: Int) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        limit.rlim_cur = rlim_t(byteCount)
        set(RLIMIT_AS, limit)
    }

    /// Keeps the system from writing the memory into a file after a crash; for good.
    public static func forbidCoreFiles() {
        set(RLIMIT_CORE, rlimit(rlim_cur: 0, rlim_max: 0))
    }

    private static func set(_ resource: __rlimit_resource, _ limit: rlimit) {
        var limit = limit
        setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    }

    /// Sets the permissions that new files never get (`umask`).
    public static func setFileMask(_ mask: UInt32) {
        umask(mode_t(mask))
    }

    /// What this process has used so far.
    public struct Usage: Sendable {
        /// Processor time in its own code, in microseconds.
        public let userMicroseconds: Int
        /// Processor time in the system's, in microseconds.
        public let systemMicroseconds: Int
        /// The most memory that it had at a time, in bytes.
        public let peakByteCount: Int
    }

    /// What this process, or its children that have ended, have used so far.
    public static func usage(ofChildren: Bool = false) -> Usage {
        var usage = rusage()
        let who = ofChildren ? RUSAGE_CHILDREN : RUSAGE_SELF
        getrusage(__rusage_who_t(who.rawValue), &usage)
        return Usage(
            userMicroseconds: Int(usage.ru_utime.tv_sec) * 1_000_000 + Int(usage.ru_utime.tv_usec),
            systemMicroseconds: Int(usage.ru_stime.tv_sec) * 1_000_000
                + Int(usage.ru_stime.tv_usec),
            peakByteCount: Int(usage.ru_maxrss) * 1024
        )
    }
}
