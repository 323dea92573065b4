extension ErrorCode {
    /// Of the database.
    static let local = [
        ErrorCode(
            1,
            "assertionFailed",
            "An assertion inside the library failed",
            "report it with the log"
        ),
        ErrorCode(2, "unimplemented", "What was asked for is not implemented", "leave it out"),
        ErrorCode(
            3,
            "unsupportedEncryption",
            "The database is encrypted in a way that is not known here",
            "open it with the program that made it"
        ),
        ErrorCode(
            4,
            "badRevisionID",
            "A revision ID is malformed",
            "see who wrote it; pull the document again"
        ),
        ErrorCode(
            5,
            "corruptRevisionData",
            "A body is damaged, or holds a reserved key",
            "rename `_id`, `_rev` and `_deleted`; check the database"
        ),
        ErrorCode(
            6,
            "notOpen",
            "The database or collection is closed or deleted",
            "open it again; make the collection"
        ),
        ErrorCode(
            7,
            "notFound",
            "The document, blob or file does not exist",
            "check the name; pull what is missing"
        ),
        ErrorCode(
            8,
            "conflict",
            "The document has another current revision than expected",
            "read it again and repeat the change"
        ),
        ErrorCode(
            9,
            "invalidParameter",
            "An argument cannot be used",
            "see the message; correct the call"
        ),
        ErrorCode(
            10,
            "unexpectedError",
            "Something unforeseen",
            "see the underlying error and the log"
        ),
        ErrorCode(
            11,
            "cantOpenFile",
            "The database file cannot be opened",
            "check the path, its owner and permissions"
        ),
        ErrorCode(
            12,
            "ioError",
            "Reading or writing a file failed",
            "check the disk and the file system"
        ),
        ErrorCode(13, "memoryError", "Memory is used up", "do less at a time, or add memory"),
        ErrorCode(
            14,
            "notWriteable",
            "The database cannot be written to",
            "check owner and permissions; open it for writing"
        ),
        ErrorCode(
            15,
            "corruptData",
            "Stored data is damaged",
            "run `divan check`; `divan check --repair-from URL` fetches it from a peer, or restore a "
                + "backup"
        ),
        ErrorCode(
            16,
            "busy",
            "Another owner holds the database",
            "end the other program, or open it read-only"
        ),
        ErrorCode(17, "notInTransaction", "The call needs a transaction", "put it into a batch"),
        ErrorCode(
            18,
            "transactionNotClosed",
            "The call is not possible inside a transaction",
            "move it behind the batch"
        ),
        ErrorCode(
            19,
            "unsupported",
            "This object does not support the operation",
            "use another type or option"
        ),
        ErrorCode(
            20,
            "unreadableDatabase",
            "The file is no database of Divan, or it is encrypted with another key or with none",
            "check the path and the key; nothing was changed"
        ),
        ErrorCode(
            21,
            "wrongFormat",
            "The stored form is not understood",
            "open it with the program that wrote it"
        ),
        ErrorCode(
            22,
            "crypto",
            "A key, a certificate or a cipher failed",
            "check the identity and its password, or the keys of encrypted properties"
        ),
        ErrorCode(23, "invalidQuery", "A query is malformed", "correct the query"),
        ErrorCode(24, "missingIndex", "An index that is needed does not exist", "make the index"),
        ErrorCode(
            25,
            "invalidQueryParam",
            "A query parameter is missing or of the wrong type",
            "set the parameter"
        ),
        ErrorCode(
            26,
            "remoteError",
            "The peer reported an error that has no code of its own",
            "see the peer's log"
        ),
        ErrorCode(
            27,
            "databaseTooOld",
            "The database was written by a version that is too old",
            "open it with a version in between"
        ),
        ErrorCode(
            28,
            "databaseTooNew",
            "The database was written by a version that is too new",
            "install a newer Divan"
        ),
        ErrorCode(
            29,
            "badDocID",
            "A document ID breaks the rules",
            "1 to 240 bytes, no leading `_`, no control characters"
        ),
        ErrorCode(
            30,
            "cantUpgradeDatabase",
            "The database cannot be brought to the current version",
            "free some disk space; restore a backup"
        ),
    ]

    /// Of documents and their values.
    static let values = [
        ErrorCode(
            17_001,
            "invalidJSON",
            "The text is not JSON, or its root is of the wrong kind",
            "correct the text where the message says"
        ),
        ErrorCode(
            18_001,
            "decodingError",
            "A document does not fit the type it is decoded into",
            "make the property optional, or correct the document"
        ),
        ErrorCode(
            18_002,
            "encodingError",
            "A value cannot be encoded into a document",
            "use values that JSON has"
        ),
    ]
}
