import DivanPlatform
import DivanTestKit
import Foundation
import Testing

// To replace the call that syncs a directory.
@testable import DivanTLS

/// What the disk does not confirm is reported.
@Suite struct PrivateDirectoryTests {
    private func outcome(
        of number: Errno,
        in path: String,
        _ action: (borrowing PrivateDirectory) throws -> Void
    ) throws -> CredentialError.Reason? {
        let failure = SystemError("fsync", number)
        let opened = try PrivateDirectory.open(path, creates: true) { _ in .failure(failure) }
        guard let folder = opened else { return nil }
        do {
            try action(folder)
            return nil
        } catch let error as CredentialError {
            return error.reason
        }
    }

    @Test func `a file whose directory entry could not be synced does not exist`() throws {
        let home = try TemporaryDirectory()
        let (path, bytes) = (home.file("keys"), [UInt8](1...3))
        let expected = CredentialError.Reason.file(path: path + "/a", errno: Errno.ioError.rawValue)
        let created = try outcome(of: .ioError, in: path) {
            _ = try $0.create("a", bytes.span)
        }
        #expect(created == expected)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])

        // A file system that does not support it has not failed.
        #expect(
            try outcome(of: .invalidArgument, in: path) {
                _ = try $0.create("a", bytes.span)
            } == nil
        )
        let replaced = try outcome(of: .ioError, in: path) {
            _ = try $0.create("a", bytes.span, isReplacing: true)
        }
        #expect(replaced == expected)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["a"])
        #expect(
            try outcome(of: .ioError, in: path) { try $0.remove("a") } == expected
        )
        #expect(try outcome(of: .ioError, in: path) { try $0.remove("a") } == nil)
    }
}
