import Glibc

/// How much there is to read, as far as the system tells.
enum InputSize {
    /// Bytes of all the files; 0 when one is a pipe, a directory or not there, so that nobody knows.
    static func bytes(of paths: some Sequence<String>) -> UInt64 {
        var sum: UInt64 = 0
        for path in paths {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
            sum += UInt64(clamping: status.st_size)
        }
        return sum
    }
}
