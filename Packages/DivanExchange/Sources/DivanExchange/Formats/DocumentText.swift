import DivanCommandLine
import DivanJSON

/// The text of one document and its location.
struct DocumentText {
    /// The position of a byte in a file, line and column counted from 1.
    struct Position {
        var file: String
        var line: Int
        var column: Int
    }

    /// Maximum bytes of one; more is refused before it fills the memory.
    static let longest = 64 << 20

    /// `file:line` or the file's path.
    var place: String
    /// The file's name without its suffix, if the file holds only this document.
    var fileName: String?
    /// The JSON text.
    var bytes: ArraySlice<UInt8> = []
    /// Where the text begins; `nil` if the file holds the document in another form.
    var start: Position?
    /// Why the reader could make no document of it; the others can be read.
    var problem: Failure?

    init(
        place: String,
        fileName: String? = nil,
        bytes: ArraySlice<UInt8>,
        start: Position? = nil
    ) {
        self.place = place
        self.fileName = fileName
        self.bytes = bytes
        self.start = start
    }

    /// One that could not be read; the place is not part of the failure's sentence.
    init(place: String, refusedFor problem: Failure) {
        self.place = place
        self.problem = problem
    }

    /// The place and the sentence of an error in the text; lines are those of the file.
    func sentence(of error: JSONError) -> String {
        guard let start else { return "\(place): \(error)" }
        let line = start.line + error.line - 1
        let column = error.line == 1 ? start.column + error.column - 1 : error.column
        return "\(start.file):\(line), column \(column): \(error.explanation)"
    }
}
