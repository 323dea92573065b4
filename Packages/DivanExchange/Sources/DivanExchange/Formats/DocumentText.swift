import DivanDatabase
import DivanJSON
import DivanRevisions

/// The text of one document of an input, and its location.
public struct DocumentText {
    /// The position of a byte in a file, line and column counted from 1.
    struct Position {
        var file: String
        var line: Int
        var column: Int
    }

    /// `file:line` or the file's path.
    public let place: String
    /// The ID unless the text contains one: the name of a file with one document, or the key in an object of documents.
    var suppliedID: String?
    /// The key of a value that is the ID, unless the text contains one, and that stays in the document.
    var idKey: String?
    /// The JSON text.
    var bytes: ArraySlice<UInt8> = []
    /// Where the text begins; `nil` if the file holds the document in another form.
    var start: Position?
    /// Whether `_deleted`, `_sequence` and `_collection` are the document's own properties, as in formats of other
    /// programs.
    var isForeign = false
    /// Why the reader could make no document of it; the others can be read.
    var problem: ExchangeError?

    /// A document of another source than ``DocumentFormat``.
    ///
    /// - Parameters:
    ///   - place: What messages call it.
    ///   - bytes: A JSON object, in UTF-8.
    public init(place: String, bytes: [UInt8]) {
        self.init(place: place, bytes: bytes[...])
    }

    init(
        place: String,
        suppliedID: String? = nil,
        bytes: ArraySlice<UInt8>,
        start: Position? = nil
    ) {
        self.place = place
        self.suppliedID = suppliedID
        self.bytes = bytes
        self.start = start
    }

    /// One that could not be read; the error has no place.
    init(place: String, refusedFor problem: ExchangeError) {
        self.place = place
        self.problem = problem.at(place)
    }

    /// What is wrong with the document, and where it is.
    func describe(_ error: any Error) -> any Error {
        switch error {
        case let error as JSONError: locate(error)
        case let error as ExchangeError: error.at(place)
        case let error as StoreError where error.isOfBody:
            ExchangeError(.invalidDocument, at: place, "\(error)", cause: error)
        case is DocumentIDError:
            ExchangeError(.invalidDocument, at: place, "\(error)", cause: error)
        default: ExchangeError(.refused, at: place, "\(error)", cause: error)
        }
    }

    /// Describes an error in the text; lines are those of the file.
    private func locate(_ error: JSONError) -> ExchangeError {
        var (place, text) = (self.place, "\(error)")
        if let start {
            let line = start.line + error.line - 1
            let column = error.line == 1 ? start.column + error.column - 1 : error.column
            (place, text) = ("\(start.file):\(line), column \(column)", error.explanation)
        }
        // A text is "problem; remedy".
        let parts = text.split(separator: "; ", maxSplits: 1).map(String.init)
        let isCut = error.reason == .unexpectedEnd && suppliedID == nil
        return ExchangeError(
            .invalid,
            at: place,
            parts[0],
            remedy: isCut ? "write one complete object per line, or one array" : parts.last
        )
    }
}

extension StoreError {
    /// Whether the content of a document is at fault, and not the database.
    fileprivate var isOfBody: Bool {
        switch code {
        case .bodyTooLarge, .tooManyBlobs, .forbiddenKey, .badRevision, .blobMismatch: true
        default: false
        }
    }
}
