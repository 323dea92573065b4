import Glibc

/// The last descriptors of a process, which strangers do not get: databases and blobs are files, too.
///
/// The system gives the lowest number that is free, so a high one tells that nearly all are taken.
struct DescriptorReserve {
    /// An eighth of all, sixty-four at most.
    private static let largestCount: UInt64 = 64

    private let first: Int32

    /// Looks at the limit of this process, which may change.
    init() {
        var limit = rlimit()
        let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let count = status == 0 ? UInt64(limit.rlim_cur) : .max
        first = Int32(clamping: count - min(count / 8, Self.largestCount))
    }

    func contains(_ socket: Socket) -> Bool { socket.descriptor >= first }
}
