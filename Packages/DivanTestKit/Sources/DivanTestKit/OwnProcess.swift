import DivanPlatform

/// The resource usage and limits of this process.
public enum OwnProcess {
    /// Resident memory in bytes; 0 if the system does not report it.
    ///
    /// Source: proc(5), the second field of `statm`, in pages.
    public static var residentByteCount: Int {
        guard let file = try? FileDescriptor.open("/proc/self/statm", .closeOnExec) else {
            return 0
        }
        defer { file.close() }
        let bytes = (try? file.read(upTo: 128)) ?? []
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        let pageCount = fields.count > 1 ? Int(fields[1]) ?? 0 : 0
        return pageCount * CurrentProcess.pageByteCount
    }

    /// The maximum number of open files and sockets.
    public static var descriptorLimit: Int {
        Int(clamping: CurrentProcess.descriptorLimit?.current ?? 0)
    }

    /// Raises the limit of open files and sockets as far as the system permits.
    public static func raiseDescriptorLimit() {
        if let limit = CurrentProcess.descriptorLimit {
            CurrentProcess.setDescriptorLimit(limit.maximum)
        }
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
