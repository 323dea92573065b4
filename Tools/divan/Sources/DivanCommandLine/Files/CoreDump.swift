import Glibc

/// The file that a crash leaves, with all that was in memory: passwords and keys too.
package enum CoreDump {
    /// Sees to it that there is none, and that one that is made all the same holds no memory.
    ///
    /// The limit holds for files; what the system hands to another program goes by the filter.
    package static func forbid() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        let filter = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
        guard filter >= 0 else { return }
        try? Descriptor.write(Array("0".utf8), to: filter)
        close(filter)
    }
}
