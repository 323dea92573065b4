/// Where and how much to keep.
public struct FileSinkConfiguration: Equatable, Sendable {
    /// The directory for the files; made when it is missing, with access for this user only.
    public var directory: String
    /// Files of each level that stay, the current one included; at least 1.
    public var keptFileCount: Int
    /// Bytes in one file before the next begins; at least 1,024.
    public var fileByteCount: Int
    /// The second line of each file: product and version.
    public var product: String

    /// Creates settings; the defaults are upstream's: 2 files of 512 KiB a level.
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
