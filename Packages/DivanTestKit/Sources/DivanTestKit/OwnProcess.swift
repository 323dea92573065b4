import Glibc

/// The resource usage and limits of this process.
public enum OwnProcess {
    /// Resident memory in bytes; 0 if the system does not report it.
    ///
    /// Source: proc(5), the second field of `statm`, in pages.
    public static var residentByteCount: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var bytes = [CChar](repeating: 0, count: 128)
        guard fgets(&bytes, Int32(bytes.count), file) != nil else { return 0 }
        let line = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        let fields = line.split(separator: " ")
        let pageCount = fields.count > 1 ? Int(fields[1]) ?? 0 : 0
        return pageCount * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The maximum number of open files and sockets.
    public static var descriptorLimit: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit of open files and sockets as far as the system permits.
    public static func raiseDescriptorLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The number after a word of the command line, such as 300 in `--kills 300`.
    ///
    /// `standard` if the word is missing, or is not followed by a number of 0 or more.
    public static func number<Number: FixedWidthInteger>(
        after word: String,
        or standard: Number
    ) -> Number {
        // The first word is the program.
        let words = CommandLine.arguments.dropFirst()
        guard let place = words.firstIndex(of: word) else { return standard }
        let number = words[place...].dropFirst().first.flatMap { Number($0) }
        return number.flatMap { $0 < 0 ? nil : $0 } ?? standard
    }
}
