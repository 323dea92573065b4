import DivanPlatform

/// Ctrl-\ and SIGQUIT: the program ends at once.
package enum QuitSignal {
    /// Takes the signal back from Swift's runtime, which would search for the cause of a crash, and from a
    /// parent that has blocked it, as threads of Swift do.
    ///
    /// That search takes minutes in a large program. If the program was
    /// started with the signal ignored, it stays ignored.
    package static func settle() {
        guard !isIgnored else { return }
        Signal.quit.restoreDefault()
        Signal.unblock([.quit])
    }

    /// From proc(5): Swift cannot compare handlers.
    private static var isIgnored: Bool {
        let status = (try? InputFile("/proc/self/status").rest(limit: 1 << 16)) ?? []
        let field = "SigIgn:\t"
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(field) }
        let mask = line.flatMap { UInt64($0.dropFirst(field.count), radix: 16) } ?? 0
        return mask & 1 << UInt64(Signal.quit.rawValue - 1) != 0
    }
}
