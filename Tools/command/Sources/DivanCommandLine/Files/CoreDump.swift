import Glibc

/// The file that a crash leaves, with everything that was in memory, including passwords and keys.
package enum CoreDump {
    /// Ensures that none is written, and that one written anyway contains no memory.
    ///
    /// The limit applies to files; what the system pipes to another program is governed by the filter.
    package static func forbid() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        let filter = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
        guard filter >= 0 else { return }
        try? Descriptor.write(Array("0".utf8), to: filter)
        close(filter)
    }
}
