/// A coder implemented by a C library: for codecs that call one.
///
/// This object owns the library's coder; use it on one thread at a time, like every coder.
public final class LibraryDictionaryCoder: DictionaryCoder {
    /// The library's functions.
    public struct Functions {
        /// Frees the coder.
        public typealias Free = @convention(c) (OpaquePointer?) -> Void
        /// Returns the maximum compressed size of a number of plain bytes; 0 if there are too many.
        public typealias Bound = @convention(c) (Int) -> Int
        /// Compresses bytes into an output of the size that `Bound` returns, and returns the compressed size; 0 if
        /// it fails.
        public typealias Pack =
            @convention(c) (
                OpaquePointer?, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?
            ) -> Int
        /// Decompresses into an output of a given size, and writes nothing beyond it; returns 1 if the result has
        /// exactly that size, and -1 if there is not enough memory.
        public typealias Unpack =
            @convention(c) (
                OpaquePointer?, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?, Int
            ) -> Int32

        let free: Free
        let bound: Bound
        let pack: Pack
        let unpack: Unpack

        /// Sets the functions.
        public init(
            free: @escaping Free,
            bound: @escaping Bound,
            pack: @escaping Pack,
            unpack: @escaping Unpack
        ) {
            (self.free, self.bound, self.pack, self.unpack) = (free, bound, pack, unpack)
        }
    }

    // Freed in `deinit`; used by one thread at a time.
    private let coder: OpaquePointer
    private let codecName: String
    private let functions: Functions

    /// Takes ownership of a coder, which `functions.free` frees.
    public init(_ coder: OpaquePointer, of codecName: String, _ functions: Functions) {
        (self.coder, self.codecName, self.functions) = (coder, codecName, functions)
    }

    deinit {
        functions.free(coder)
    }

    /// Appends the compressed form of a piece.
    public func pack(
        _ plain: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        // The library writes at most `bound` bytes.
        let bound = functions.bound(plain.count)
        let count = output.appendPacked(plain, Span(), atMost: bound) { plain, _, room in
            functions.pack(coder, plain.baseAddress, plain.count, room)
        }
        guard count > 0 else { throw .library(codec: codecName, code: -1) }
    }

    /// Fills `output` with the original piece.
    public func unpack(
        _ packed: Span<UInt8>,
        into output: consuming MutableSpan<UInt8>
    ) throws(CompressionError) {
        // Both are lent for the call, which writes at most as many bytes as the second has.
        let isSound = packed.withUnsafeBufferPointer { packed in
            output.withUnsafeMutableBufferPointer { output in
                functions.unpack(
                    coder,
                    packed.baseAddress,
                    packed.count,
                    output.baseAddress,
                    output.count
                )
            }
        }
        guard isSound >= 0 else { throw .library(codec: codecName, code: -1) }
        guard isSound == 1 else {
            throw .corrupt(codec: codecName, detail: "invalid compressed data")
        }
    }
}
