import DivanPlatform

/// The last descriptors of a process, reserved from incoming connections: databases and blobs are files, too.
///
/// The system assigns the lowest free number, so a high one means that nearly all are taken.
struct DescriptorReserve {
    /// The reserve is an eighth of all, at most sixty-four.
    private static let largestCount: UInt64 = 64

    private let first: Int32

    /// Reads this process's current limit, which may change.
    init() {
        let count = CurrentProcess.descriptorLimit?.current ?? .max
        first = Int32(clamping: count - min(count / 8, Self.largestCount))
    }

    func contains(_ socket: Socket) -> Bool { socket.descriptor.rawValue >= first }
}
