import CDivanDatabaseFaults
import DivanPlatform
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

extension FaultTests {
    /// A power cut might restore their names, and undo those of the new ones.
    @Test func `blobs with the old key are kept until the names of the new ones are synced`()
        throws
    {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        _ = try store.blobs.write([1, 2, 3])
        try store.close()
        let files = BundleFiles(directory: path)
        let names = try entries(files.blobs)
        #expect(names.count == 1)
        // As left by a process that was killed after the second renaming.
        try FileManager.default.copyItem(atPath: files.blobs, toPath: files.formerBlobs)
        let failing = Rekeying(files) { directory throws(StoreError) in
            throw StoreError(.io(.ioError), at: directory)
        }
        #expect(try refusal { try failing.recover() } == .io(.ioError))
        #expect(try entries(files.formerBlobs) == names)
        try Rekeying(files).recover()
        #expect(!StoreFiles.exists(files.formerBlobs))
        #expect(try entries(files.blobs) == names)
    }

    /// A disk that fails or fills up at any step of a change of the key.
    @Test(arguments: [Errno.ioError.rawValue, Errno.noSpace.rawValue])
    func `a key change that fails leaves the old key`(number: Int32) throws {
        try #require(divan_faults_install() == 0)
        let isThorough = ProcessInfo.processInfo.environment["DIVAN_THOROUGH"] != nil
        for (old, new) in [(nil, 1), (1, 2), (1, nil)] as [(UInt8?, UInt8?)] {
            var first: Int64 = 1
            while true {
                let home = try TemporaryDirectory()
                let path = home.file("a.cblite2")
                let sealing = try old.map { try TestSealing($0) }
                let options = StoreOptions(sealing: sealing)
                let content = [UInt8](repeating: 3, count: 70_000)
                let store = try Store.open(directory: path, options: options)
                let digest = try store.blobs.write(content)
                for number in 0..<40 {
                    let id = DocumentID(unchecked: "d\(number)")
                    let body = Array(#"{"text":"\#(String(repeating: "-", count: 900))"}"#.utf8)
                    _ = try store.save(id, in: .default, body: body)
                }
                divan_faults_arm(home.path, first, .max, number)
                let code = try refusal {
                    try store.changeSealing(to: try new.map { try TestSealing($0) })
                }
                let callCount = divan_faults_disarm()
                try? store.close()
                let place =
                    "\(String(describing: old)) to \(String(describing: new)), errno "
                    + "\(number) at call \(first) of \(callCount)"
                let key = code == nil ? new : old
                let again = try Store.open(
                    directory: path,
                    options: StoreOptions(sealing: try key.map { try TestSealing($0) })
                )
                #expect(try again.read { try $0.count(in: .default) } == 40, "\(place)")
                #expect(try again.blobs.read(digest) == content, "\(place)")
                #expect(try again.inspect().damages == [], "\(place)")
                try again.close()
                #expect(
                    try entries(path).filter { $0.contains("rekey") || $0.contains("old") } == [],
                    "\(place)"
                )
                guard first <= callCount else {
                    #expect(code == nil, "\(place)")
                    break
                }
                first += isThorough ? 1 : 7
            }
        }
    }
}
