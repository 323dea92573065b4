internal import DivanSQLite
public import DivanStore

extension Store {
    /// The first bytes of a database file, which show whether it is encrypted; empty if it does not exist, or
    /// cannot be read.
    ///
    /// Closing a separate descriptor of the file would release all locks that this process has on it.
    public static func head(directory: String, count: Int) -> [UInt8] {
        let files = BundleFiles(directory: directory)
        return (try? SQLiteHead.read(files.database, count: count)) ?? []
    }
}
