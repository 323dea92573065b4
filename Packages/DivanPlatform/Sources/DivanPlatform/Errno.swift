internal import Glibc

/// The number of a system error.
///
/// The names are those of the package swift-system.
public struct Errno: RawRepresentable, Hashable, Sendable {
    /// The system's number (`errno`).
    public let rawValue: Int32

    /// Wraps a number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Wraps a number.
    public init(_ rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The error of the last failed call of this thread; read it right after a call of a C library.
    public static var current: Errno {
        get { Errno(errno) }
        set { errno = newValue.rawValue }
    }

    /// The system's text, such as "No such file or directory".
    public var text: String {
        guard let text = strerror(rawValue) else { return "errno \(rawValue)" }
        return String(cString: text)
    }

    /// The name of the constant, such as `ENOENT`; the number if it has none here.
    public var name: String { Self.names[rawValue] ?? "\(rawValue)" }
}

extension Errno: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

extension Errno {
    /// No error.
    public static var none: Errno { Errno(0) }
    /// `EPERM`.
    public static var notPermitted: Errno { Errno(EPERM) }
    /// `ENOENT`.
    public static var noSuchFileOrDirectory: Errno { Errno(ENOENT) }
    /// `EINTR`.
    public static var interrupted: Errno { Errno(EINTR) }
    /// `EIO`.
    public static var ioError: Errno { Errno(EIO) }
    /// `ENXIO`.
    public static var noSuchAddressOrDevice: Errno { Errno(ENXIO) }
    /// `EBADF`.
    public static var badFileDescriptor: Errno { Errno(EBADF) }
    /// `EAGAIN`, which is `EWOULDBLOCK`.
    public static var wouldBlock: Errno { Errno(EAGAIN) }
    /// `ENOMEM`.
    public static var noMemory: Errno { Errno(ENOMEM) }
    /// `EACCES`.
    public static var permissionDenied: Errno { Errno(EACCES) }
    /// `EEXIST`.
    public static var fileExists: Errno { Errno(EEXIST) }
    /// `ENOTDIR`.
    public static var notDirectory: Errno { Errno(ENOTDIR) }
    /// `EISDIR`.
    public static var isDirectory: Errno { Errno(EISDIR) }
    /// `EINVAL`.
    public static var invalidArgument: Errno { Errno(EINVAL) }
    /// `ENFILE`.
    public static var tooManyOpenFilesInSystem: Errno { Errno(ENFILE) }
    /// `EMFILE`.
    public static var tooManyOpenFiles: Errno { Errno(EMFILE) }
    /// `EFBIG`.
    public static var fileTooLarge: Errno { Errno(EFBIG) }
    /// `ENOSPC`.
    public static var noSpace: Errno { Errno(ENOSPC) }
    /// `EROFS`.
    public static var readOnlyFileSystem: Errno { Errno(EROFS) }
    /// `EPIPE`.
    public static var brokenPipe: Errno { Errno(EPIPE) }
    /// `ENOTEMPTY`.
    public static var directoryNotEmpty: Errno { Errno(ENOTEMPTY) }
    /// `ELOOP`.
    public static var tooManySymbolicLinkLevels: Errno { Errno(ELOOP) }
    /// `ESTALE`.
    public static var staleFileHandle: Errno { Errno(ESTALE) }
    /// `EDQUOT`.
    public static var diskQuotaExceeded: Errno { Errno(EDQUOT) }
    /// `ENOTSUP`.
    public static var notSupported: Errno { Errno(ENOTSUP) }
    /// `EPROTO`.
    public static var protocolError: Errno { Errno(EPROTO) }
    /// `ENOPROTOOPT`.
    public static var protocolNotAvailable: Errno { Errno(ENOPROTOOPT) }
    /// `EPROTONOSUPPORT`.
    public static var protocolNotSupported: Errno { Errno(EPROTONOSUPPORT) }
    /// `EAFNOSUPPORT`.
    public static var addressFamilyNotSupported: Errno { Errno(EAFNOSUPPORT) }
    /// `EADDRINUSE`.
    public static var addressInUse: Errno { Errno(EADDRINUSE) }
    /// `EADDRNOTAVAIL`.
    public static var addressNotAvailable: Errno { Errno(EADDRNOTAVAIL) }
    /// `ENETDOWN`.
    public static var networkDown: Errno { Errno(ENETDOWN) }
    /// `ENETUNREACH`.
    public static var networkUnreachable: Errno { Errno(ENETUNREACH) }
    /// `ENETRESET`.
    public static var networkReset: Errno { Errno(ENETRESET) }
    /// `ECONNABORTED`.
    public static var connectionAbort: Errno { Errno(ECONNABORTED) }
    /// `ECONNRESET`.
    public static var connectionReset: Errno { Errno(ECONNRESET) }
    /// `ENOBUFS`.
    public static var noBufferSpace: Errno { Errno(ENOBUFS) }
    /// `ENOTCONN`.
    public static var socketNotConnected: Errno { Errno(ENOTCONN) }
    /// `ETIMEDOUT`.
    public static var timedOut: Errno { Errno(ETIMEDOUT) }
    /// `ECONNREFUSED`.
    public static var connectionRefused: Errno { Errno(ECONNREFUSED) }
    /// `EHOSTDOWN`.
    public static var hostIsDown: Errno { Errno(EHOSTDOWN) }
    /// `EHOSTUNREACH`.
    public static var noRouteToHost: Errno { Errno(EHOSTUNREACH) }
    /// `ENONET`, which Linux passes on from `accept`.
    public static var noNetwork: Errno { Errno(ENONET) }
    /// `EINPROGRESS`.
    public static var nowInProgress: Errno { Errno(EINPROGRESS) }

    private static let names: [Int32: String] = [
        EPERM: "EPERM", ENOENT: "ENOENT", EINTR: "EINTR", EIO: "EIO", ENXIO: "ENXIO",
        EBADF: "EBADF", EAGAIN: "EAGAIN", ENOMEM: "ENOMEM", EACCES: "EACCES", EEXIST: "EEXIST",
        ENOTDIR: "ENOTDIR", EISDIR: "EISDIR", EINVAL: "EINVAL", ENFILE: "ENFILE",
        EMFILE: "EMFILE", EFBIG: "EFBIG", ENOSPC: "ENOSPC", EROFS: "EROFS", EPIPE: "EPIPE",
        ENOTEMPTY: "ENOTEMPTY", ELOOP: "ELOOP", ESTALE: "ESTALE", EDQUOT: "EDQUOT",
        ENOTSUP: "ENOTSUP", EPROTO: "EPROTO", ENOPROTOOPT: "ENOPROTOOPT",
        EPROTONOSUPPORT: "EPROTONOSUPPORT", EAFNOSUPPORT: "EAFNOSUPPORT",
        EADDRINUSE: "EADDRINUSE", EADDRNOTAVAIL: "EADDRNOTAVAIL", ENETDOWN: "ENETDOWN",
        ENETUNREACH: "ENETUNREACH", ENETRESET: "ENETRESET", ECONNABORTED: "ECONNABORTED",
        ECONNRESET: "ECONNRESET", ENOBUFS: "ENOBUFS", ENOTCONN: "ENOTCONN",
        ETIMEDOUT: "ETIMEDOUT", ECONNREFUSED: "ECONNREFUSED", EHOSTDOWN: "EHOSTDOWN",
        EHOSTUNREACH: "EHOSTUNREACH", ENONET: "ENONET", EINPROGRESS: "EINPROGRESS",
    ]
}
