/// The text of one document and its location.
struct DocumentText {
    /// Maximum bytes of one; more is refused before it fills the memory.
    static let longest = 64 << 20

    /// `file:line` or the file's path.
    var place: String
    /// The file's name without its suffix, if the file holds only this document.
    var fileName: String?
    /// The JSON text.
    var bytes: ArraySlice<UInt8>
}
