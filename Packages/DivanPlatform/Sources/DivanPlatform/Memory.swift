internal import CDivanPlatform
internal import Glibc

/// The memory of this process.
public enum Memory {
    /// Returns freed memory to the system; does nothing if the C library has no such call.
    public static func giveBack() {
        divan_give_memory_back()
    }

    /// Returns each freed block of 1 MiB or more to the system at once, from now on.
    ///
    /// Otherwise, the C library keeps freed blocks of up to 32 MiB for later ones and 64 MiB at the end of its heap, so
    /// that a program that handles one long document keeps the memory of several. Call it when a program starts; it
    /// costs new long blocks some page faults. Does nothing if the C library has no such setting.
    public static func giveBackLongBlocks() {
        divan_give_long_blocks_back(1 << 20)
    }

    /// Copies a text as C has it, with a zero at its end; free it with `free`.
    public static func cString(_ text: String) -> UnsafeMutablePointer<CChar>? { strdup(text) }

    /// Frees memory that C code has allocated with `malloc`.
    public static func free(_ memory: UnsafeMutableRawPointer?) {
        Glibc.free(memory)
    }

    /// The position of a byte among the first `count` bytes from `start`; `nil` if it is not there.
    public static func position(
        of byte: UInt8,
        in start: UnsafeRawPointer,
        count: Int
    ) -> Int? {
        memchr(start, Int32(byte), count).map { UnsafeRawPointer($0) - start }
    }

    /// Whether two places hold the same `count` bytes.
    public static func areEqual(
        _ one: UnsafeRawPointer,
        _ other: UnsafeRawPointer,
        count: Int
    ) -> Bool {
        memcmp(one, other, count) == 0
    }
}
