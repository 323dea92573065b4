import DivanHTTP
import DivanJSON

/// A patch in one of the two formats, chosen by the content type of the request.
enum RESTPatch {
    case merge(JSONMergePatch)
    case list(JSONPatch)

    /// RFC 7396.
    static let mergeType = "application/merge-patch+json"
    /// RFC 6902.
    static let listType = "application/json-patch+json"

    /// Reads the patch of a request.
    ///
    /// - Throws: `JSONError`; `RESTError` 415 for another content type, 400 or 413 for an unusable patch.
    init(_ bytes: [UInt8], of request: HTTPRequest, _ limits: RESTLimits) throws {
        let field = request.headers["Content-Type"] ?? ""
        let type = field.prefix { $0 != ";" }.trimmingBlanks()
        if type.isEqualIgnoringCase(Self.mergeType) {
            self = .merge(try JSONMergePatch(parsing: bytes.withoutByteOrderMark))
        } else if type.isEqualIgnoringCase(Self.listType) {
            self = .list(
                try JSONPatch(
                    parsing: bytes.withoutByteOrderMark,
                    limit: limits.patchOperationCount
                )
            )
        } else {
            var error = RESTError(
                415,
                "unsupported_media_type",
                "send a patch as \(Self.mergeType) or \(Self.listType)"
            )
            error.headers.append("Accept-Patch", "\(Self.mergeType), \(Self.listType)")
            throw error
        }
    }

    /// Changes a document.
    func apply(to document: inout JSON, _ limits: RESTLimits) throws(RESTError) {
        switch self {
        case .merge(let patch): patch.apply(to: &document)
        case .list(let patch):
            try patch.apply(to: &document, workLimit: limits.patchWorkByteCount)
        }
    }
}
