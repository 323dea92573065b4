extension RandomAccessCollection<UInt8> {
    /// The text without the byte order mark that some programs write before UTF-8.
    ///
    /// The parser refuses a mark, because peers compute digests of bytes; readers of files and requests
    /// leave it out.
    ///
    /// Source: RFC 8259 §8.1.
    public var withoutByteOrderMark: SubSequence {
        starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...]
    }
}
