/// The text of one document and where it stood.
struct DocumentText {
    /// Most bytes of one; more is refused before it fills the memory.
    static let longest = 64 << 20

    /// `file:line` or the file's path.
    var place: String
    /// The file's name without its suffix, when the file holds this document alone.
    var fileName: String?
    /// The JSON text.
    var bytes: ArraySlice<UInt8>
}
