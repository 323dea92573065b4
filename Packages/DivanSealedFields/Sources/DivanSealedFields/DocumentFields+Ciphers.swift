internal import DivanJSON

// A whole body, outgoing and incoming.
extension DocumentFields {
    /// Returns a body with its properties encrypted for sending; the same bytes if there is nothing to encrypt.
    ///
    /// - Throws: `FieldFailure`, also if `sealing` is `nil` and there is something to encrypt.
    public func sealed(
        _ body: [UInt8],
        by sealing: FieldSealing?
    ) throws(FieldFailure) -> [UInt8] {
        guard EncryptableForm.mayOccur(in: body.span) else { return body }
        guard let document = (try? JSON(parsing: body.span))?.object else { throw .unreadable }
        var walk = SealingWalk(fields: self, document: document, sealing: sealing)
        return try walk.result(for: body)
    }

    /// Returns a received body with its properties decrypted for storage; the same bytes if nothing was decrypted.
    ///
    /// A body that is not JSON is returned unchanged: storing it will fail.
    ///
    /// - Throws: `FieldFailure`.
    public func opened(
        _ body: [UInt8],
        by opening: @escaping FieldOpening
    ) throws(FieldFailure) -> [UInt8] {
        guard SealedField.mayOccur(in: body.span),
            let document = (try? JSON(parsing: body.span))?.object
        else { return body }
        var walk = OpeningWalk(fields: self, document: document, opening: opening)
        return try walk.result(for: body)
    }
}
