/// The settings of log files.
public struct FileSinkConfiguration: Equatable, Sendable {
    /// The directory for the files; created if it does not exist, with access only for this user.
    public var directory: String
    /// The number of files for each level, including the current file; at least 1.
    public var keptFileCount: Int
    /// The maximum size of a file in bytes; at least 1,024.
    public var fileByteCount: Int
    /// The second line of each file: product and version.
    public var product: String

    /// Creates settings; the defaults are those of Couchbase Lite: 2 files of 512 KiB for each level.
    public init(
        directory: String,
        keptFileCount: Int = 2,
        fileByteCount: Int = 524_288,
        product: String = "Divan"
    ) {
        self.directory = directory
        self.keptFileCount = max(1, keptFileCount)
        self.fileByteCount = max(1024, fileByteCount)
        self.product = product
    }
}
