public import DivanJSON

extension JSON {
    /// Reads the body of a stored document.
    ///
    /// Unlike `init(parsing:)` with its default limits it reads whatever could be stored
    /// (`StoreLimits.bodyText`), also what is larger than anything that travels.
    ///
    /// - Throws: `JSONError` where the body is damaged.
    public init(storedBody bytes: [UInt8]) throws(JSONError) {
        try self.init(parsing: bytes, limits: StoreLimits.bodyText)
    }
}
