import DivanPlatform

/// The file that a crash leaves, with everything that was in memory, including passwords and keys.
package enum CoreDump {
    /// Ensures that none is written, and that one written anyway contains no memory.
    ///
    /// The limit applies to files; what the system pipes to another program is governed by the filter.
    package static func forbid() {
        CurrentProcess.forbidCoreFiles()
        let path = "/proc/self/coredump_filter"
        guard let filter = try? FileDescriptor.open(path, [.writeOnly, .closeOnExec]) else {
            return
        }
        try? filter.writeWaiting(Array("0".utf8))
        filter.close()
    }
}
