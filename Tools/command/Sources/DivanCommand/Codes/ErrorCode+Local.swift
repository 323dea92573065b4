extension ErrorCode {
    /// Of the database.
    static let local = [
        ErrorCode(
            1,
            "assertionFailed",
            "An assertion in the library failed",
            "report a bug, and attach the log"
        ),
        ErrorCode(2, "unimplemented", "The operation is not implemented", "use another operation"),
        ErrorCode(
            3,
            "unsupportedEncryption",
            "The database is encrypted with an unsupported method",
            "open it with the program that created it"
        ),
        ErrorCode(
            4,
            "badRevisionID",
            "A revision ID is malformed",
            "check the program that wrote it, and pull the document again"
        ),
        ErrorCode(
            5,
            "corruptRevisionData",
            "The body of a document is damaged, or has a reserved key",
            "rename `_id`, `_rev` and `_deleted`; run `divan check`"
        ),
        ErrorCode(
            6,
            "notOpen",
            "The database or collection is closed or deleted",
            "open the database again, or create the collection"
        ),
        ErrorCode(
            7,
            "notFound",
            "The document, blob or file does not exist",
            "check the name, or pull it from a peer"
        ),
        ErrorCode(
            8,
            "conflict",
            "The document was changed since it was read",
            "read it again, and apply the change again"
        ),
        ErrorCode(
            9,
            "invalidParameter",
            "An argument is invalid",
            "check the message, and correct the call"
        ),
        ErrorCode(
            10,
            "unexpectedError",
            "An unexpected error occurred",
            "check the underlying error and the log"
        ),
        ErrorCode(
            11,
            "cantOpenFile",
            "The database file cannot be opened",
            "check the path, its owner and its permissions"
        ),
        ErrorCode(
            12,
            "ioError",
            "A file could not be read or written",
            "check the disk and the file system"
        ),
        ErrorCode(13, "memoryError", "Out of memory", "process less data at a time, or add memory"),
        ErrorCode(
            14,
            "notWriteable",
            "The database is not writable",
            "check the owner and permissions, and open it for writing"
        ),
        ErrorCode(
            15,
            "corruptData",
            "Stored data is damaged",
            "run `divan check`; repair it with `divan check --repair-from URL`, or restore a "
                + "backup"
        ),
        ErrorCode(
            16,
            "busy",
            "Another process or object has the database open",
            "close it there, or open it read-only"
        ),
        ErrorCode(
            17,
            "notInTransaction",
            "The call requires a transaction",
            "call it inside `inBatch`"
        ),
        ErrorCode(
            18,
            "transactionNotClosed",
            "The call is not allowed inside a transaction",
            "call it after `inBatch`"
        ),
        ErrorCode(
            19,
            "unsupported",
            "The object does not support the operation",
            "use another type or option"
        ),
        ErrorCode(
            20,
            "unreadableDatabase",
            "The file is not a Divan database, or the encryption key is wrong or missing",
            "check the path and the key; nothing was changed"
        ),
        ErrorCode(
            21,
            "wrongFormat",
            "The data has an unknown format",
            "open it with the program that wrote it"
        ),
        ErrorCode(
            22,
            "crypto",
            "A key, certificate or cipher cannot be used",
            "check the identity and its password, or the keys of encrypted properties"
        ),
        ErrorCode(23, "invalidQuery", "The query is invalid", "correct the query"),
        ErrorCode(
            24,
            "missingIndex",
            "The query needs an index that does not exist",
            "create the index"
        ),
        ErrorCode(
            25,
            "invalidQueryParam",
            "A query parameter is missing or has the wrong type",
            "set the parameter"
        ),
        ErrorCode(
            26,
            "remoteError",
            "The peer reported an error without a code",
            "check the peer's log"
        ),
        ErrorCode(
            27,
            "databaseTooOld",
            "The database was written by a version that is too old",
            "open it with an intermediate version first"
        ),
        ErrorCode(
            28,
            "databaseTooNew",
            "The database was written by a newer version",
            "install a newer version of Divan"
        ),
        ErrorCode(
            29,
            "badDocID",
            "The document ID is invalid",
            "use 1 to 240 bytes, without a leading `_` or control characters"
        ),
        ErrorCode(
            30,
            "cantUpgradeDatabase",
            "The database cannot be upgraded to the current format",
            "free some disk space, or restore a backup"
        ),
    ]

    /// Of documents and their values.
    static let values = [
        ErrorCode(
            17_001,
            "invalidJSON",
            "The text is not valid JSON, or its root has the wrong type",
            "correct the text at the position in the message"
        ),
        ErrorCode(
            18_001,
            "decodingError",
            "The document does not match the type it is decoded into",
            "make the property optional, or correct the document"
        ),
        ErrorCode(
            18_002,
            "encodingError",
            "A value cannot be encoded as JSON",
            "use values that JSON supports"
        ),
    ]
}
