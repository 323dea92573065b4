import Testing

// To interrupt calls.
@testable import DivanPlatform

/// Errors of the system: their numbers, names and texts.
@Suite struct ErrnoTests {
    @Test func `an error has the system's text and the constant's name`() {
        #expect(Errno.noSuchFileOrDirectory.text == "No such file or directory")
        #expect(Errno.noSuchFileOrDirectory.name == "ENOENT")
        #expect(Errno(2) == .noSuchFileOrDirectory && "\(Errno(2))" == Errno(2).text)
        #expect(Errno(1_000_000).name == "1000000")
    }

    @Test func `a failed call is described by its name and its reason`() {
        let error = SystemError("open", .permissionDenied)
        #expect("\(error)" == "open: Permission denied (EACCES)")
    }

    @Test func `an error has the error number of the last call`() {
        Errno.current = .noSpace
        #expect(SystemError("write") == SystemError("write", .noSpace))
        #expect(Errno.current == .noSpace)
    }

    @Test func `the names of all listed errors differ`() {
        let all: [Errno] = [
            .notPermitted, .noSuchFileOrDirectory, .interrupted, .ioError, .badFileDescriptor,
            .wouldBlock, .noMemory, .permissionDenied, .fileExists, .notDirectory, .isDirectory,
            .invalidArgument, .tooManyOpenFiles, .fileTooLarge, .noSpace, .readOnlyFileSystem,
            .brokenPipe, .staleFileHandle, .addressInUse, .connectionReset, .timedOut,
            .connectionRefused, .noRouteToHost, .nowInProgress,
        ]
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(all.allSatisfy { $0.name.hasPrefix("E") && !$0.text.isEmpty })
    }

    @Test func `a call is repeated after EINTR, but not after another error`() {
        var results: [(Int, Errno)] = [(-1, .interrupted), (-1, .interrupted), (5, .none)]
        func call() -> Int {
            let (result, number) = results.removeFirst()
            Errno.current = number
            return result
        }
        #expect(uninterrupted(call) == 5 && results.isEmpty)
        results = [(-1, .interrupted), (-1, .ioError), (5, .none)]
        #expect(throws: SystemError("read", .ioError)) { try checked("read", call) }
        #expect(results.count == 1)
    }
}
