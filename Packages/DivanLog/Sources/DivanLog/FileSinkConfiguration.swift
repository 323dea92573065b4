/// Where log files are, and how much to keep.
public struct FileSinkConfiguration: Equatable, Sendable {
    /// The directory for the files; created if it is missing, with access only for this user.
    public var directory: String
    /// Files of each level that are kept, including the current one; at least 1.
    public var keptFileCount: Int
    /// Bytes in one file before the next begins; at least 1,024.
    public var fileByteCount: Int
    /// The second line of each file: product and version.
    public var product: String

    /// Creates settings; the defaults are upstream's: 2 files of 512 KiB per level.
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
