import DivanPlatform
internal import DivanSQLite
internal import DivanStorage

extension StoreError {
    /// The error for what SQLite reports of a database file.
    init(_ error: SQLiteError) {
        let (path, number) = (error.path, error.systemError)
        if let cause = error.cause {
            self.init(wrapping: cause, at: path)
            return
        }
        // Only the catalogue of collections refers to these tables.
        let isLost = ["no such table: docs_", "no such index: sqlite_autoindex_docs_"]
            .contains { error.message.hasPrefix($0) }
        switch error.kind {
        case .error where isLost: self.init(.corrupt(error.message), at: path)
        case .corrupt: self.init(.corrupt(error.message), at: path)
        case .notADatabase: self.init(.notADatabase(error.message), at: path)
        case .full: self.init(.diskFull, at: path)
        case .readOnly: self.init(.readOnly, at: path)
        case .busy, .locked: self.init(.busy(.otherProcess), at: path)
        case .io:
            // The number is that of the latest of all calls since, so it is trusted only if it is conclusive.
            let telling: [Errno] = [
                .noSpace, .diskQuotaExceeded, .fileTooLarge, .readOnlyFileSystem,
                .permissionDenied, .notPermitted,
            ]
            self = .system(telling.contains(number) ? number : .ioError, at: path)
        case .cannotOpen where number == .noSuchFileOrDirectory && StoreFiles.exists(path):
            // The index of a log cannot be created without write permission.
            self = .system(.permissionDenied, at: path)
        case .cannotOpen where number != .none: self = .system(number, at: path)
        default: self.init(.sqlite(error.code, error.message), at: path)
        }
    }
}
