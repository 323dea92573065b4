import DivanJSON
import DivanStore
import Foundation

/// The bytes of a stored body, parsed when somebody looks into them; safe from several threads.
final class DocumentBody {
    /// Whatever the store could keep can be read.
    private static let limits = JSONLimits(byteCount: StoreLimits.bodyByteCount)

    /// What is stored.
    let bytes: [UInt8]
    private let origin: Database?
    private let lock = NSLock()
    private var parsed: DictionaryObject?  // behind `lock`
    private var failure: (any Error)?  // behind `lock`

    init(_ bytes: [UInt8], in origin: Database?) {
        self.bytes = bytes
        self.origin = origin
    }

    /// The members; none when the bytes are damaged, which is logged.
    func root(documentID: String) -> DictionaryObject {
        lock.withLock {
            if let parsed { return parsed }
            let root = DictionaryObject(Members(parse(documentID), in: origin))
            parsed = root
            return root
        }
    }

    /// Whether the bytes are no JSON object.
    func isDamaged(documentID: String) -> Bool {
        _ = root(documentID: documentID)
        return lock.withLock { failure != nil }
    }

    private func parse(_ documentID: String) -> JSONObject {
        guard !bytes.isEmpty else { return JSONObject() }
        do {
            guard case .object(let members) = try JSON(parsing: bytes, limits: Self.limits) else {
                throw NSError(CBLError.corruptData, "the body is no JSON object")
            }
            return members
        } catch {
            failure = error
            Journal.database.error("Document \(documentID): its stored body is damaged: \(error)")
            return JSONObject()
        }
    }
}
