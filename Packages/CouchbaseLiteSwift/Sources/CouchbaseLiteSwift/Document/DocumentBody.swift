import DivanDatabase
import DivanJSON
import DivanLog
import Foundation
import Synchronization

/// The bytes of a stored body, parsed only as far as needed; safe from several threads.
///
/// The first lookups of single properties find them in the text (`JSONOutline`), which also yields a plain copy.
/// Further lookups parse the body, once.
final class DocumentBody: Sendable {
    private enum State {
        case unread
        case outlined(JSONOutline, questionCount: Int)
        case parsed(ReturnedObject<DictionaryObject>, failure: (any Error)?)
    }

    /// Lookups that are answered from the text: about as many as cost one parse.
    private static let questionCount = 16

    /// The stored bytes.
    let bytes: [UInt8]
    private let origin: Database?
    private let state = Mutex(State.unread)

    init(_ bytes: [UInt8], in origin: Database?) {
        self.bytes = bytes
        self.origin = origin
    }

    /// The members; none if the bytes are damaged, which is logged.
    func root(documentID: String) -> DictionaryObject {
        state.withLock { parsed(&$0, documentID).root }.object
    }

    /// Whether the bytes are not a JSON object.
    func isDamaged(documentID: String) -> Bool {
        state.withLock { parsed(&$0, documentID).failure != nil }
    }

    /// A member, for a caller that needs no container.
    func member(_ key: String, documentID: String) -> Value? {
        let outline: JSONOutline? = state.withLock { state in
            switch state {
            case .unread:
                guard let outline = try? JSONOutline(bytes, limits: StorageLimits.bodyText) else {
                    return nil
                }
                state = .outlined(outline, questionCount: 1)
                return outline
            case .outlined(let outline, let count) where count < Self.questionCount:
                state = .outlined(outline, questionCount: count + 1)
                return outline
            case .outlined, .parsed:
                return nil
            }
        }
        guard let outline else { return root(documentID: documentID).members[key] }
        return outline[key].map { .json($0) }
    }

    /// The members as plain collections; blobs stay objects.
    func plainDictionary(documentID: String) -> [String: Any] {
        let isParsed = state.withLock { state in
            if case .parsed = state { true } else { false }
        }
        if !isParsed, let plain = plainDictionary() { return plain }
        return root(documentID: documentID).toDictionary()
    }

    /// The members straight from the text; `nil` if that needs a parsed tree.
    private func plainDictionary() -> [String: Any]? {
        var shapes = origin?.shapes.take() ?? ObjectShapes()
        defer { origin?.shapes.giveBack(shapes) }
        let (bytes, origin) = (bytes, origin)
        return try? JSON.plainDictionary(
            parsing: bytes.span,
            limits: StorageLimits.bodyText,
            shapes: &shapes,
            form: { $0.plainValue(in: origin) }
        )
    }

    private func parsed(
        _ state: inout State,
        _ documentID: String
    ) -> (root: ReturnedObject<DictionaryObject>, failure: (any Error)?) {
        if case .parsed(let root, let failure) = state { return (root, failure) }
        let (members, failure) = parse(documentID)
        let root = ReturnedObject(object: DictionaryObject(Members(members, in: origin)))
        state = .parsed(root, failure: failure)
        return (root, failure)
    }

    private func parse(_ documentID: String) -> (JSONObject, failure: (any Error)?) {
        guard !bytes.isEmpty else { return (JSONObject(), nil) }
        do {
            guard
                case .object(let members) = try JSON(parsing: bytes, limits: StorageLimits.bodyText)
            else {
                throw NSError(CBLError.corruptData, "the body is not a JSON object")
            }
            return (members, nil)
        } catch {
            Journal.database.error(
                "Document \(user: documentID): the stored body is damaged: \(error)"
            )
            return (JSONObject(), error)
        }
    }
}
