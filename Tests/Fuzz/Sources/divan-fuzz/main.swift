import CDivanFuzzer
import CouchbaseLiteSwift
import DivanFuzz
import DivanPlatform
import Foundation

// divan-fuzz list                      the names of the targets
// divan-fuzz seeds TARGET FOLDER       writes the target's seed corpus
// divan-fuzz keep FOLDER BYTES         packs the smallest inputs of a folder, for Corpus/TARGET
// divan-fuzz run TARGET [ARGUMENTS]    hands over to libFuzzer

nonisolated(unsafe) var chosen: (any FuzzTarget.Type)?  // set before the only thread starts to fuzz

func find(_ name: String) -> any FuzzTarget.Type {
    guard let target = FuzzTargets.all.first(where: { $0.name == name }) else {
        print("divan-fuzz: there is no target \(name); `divan-fuzz list` names them")
        CurrentProcess.exit(64)
    }
    return target
}

func writeSeeds(of target: any FuzzTarget.Type, into folder: String) throws {
    try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true
    )
    for (index, seed) in (try target.seeds() + KeptInputs.inputs(of: target.name)).enumerated() {
        try Data(seed).write(to: URL(filePath: "\(folder)/seed-\(index)"))
    }
}

/// Never returns: libFuzzer exits the process when its time is over or an input failed.
func fuzz() -> Never {
    // `divan-fuzz run TARGET` is one word for libFuzzer, with which it calls us again to merge.
    var count = CommandLine.argc - 2
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
        CommandLine.unsafeArgv + 2
    arguments?[0] = Memory.cString(CommandLine.arguments[0...2].joined(separator: " "))
    CurrentProcess.exit(
        LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
            // libFuzzer owns the bytes only during the call; they are copied here.
            let input = Array(UnsafeBufferPointer(start: bytes, count: count))
            if let violation = chosen?.violation(of: input) {
                // Not buffered, so that it is written when the process ends.
                try? FileHandle.standardError.write(
                    contentsOf: Data("divan-fuzz: \(violation)\n".utf8)
                )
                abort()
            }
            return 0
        }
    )
}

/// What libFuzzer calls to change an input: in three of four cases, if the target knows the form of
/// its inputs, a mutation that keeps it.
@_cdecl("LLVMFuzzerCustomMutator")
func changeInput(
    _ bytes: UnsafeMutablePointer<UInt8>,
    _ count: Int,
    _ limit: Int,
    _ seed: UInt32
) -> Int {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    guard seed % 4 > 0, let changed = chosen?.mutated(input, limit: limit, seed: UInt64(seed))
    else {
        return LLVMFuzzerMutate(bytes, count, limit)
    }
    // libFuzzer gives `limit` bytes of room, and `changed` has no more.
    for (offset, byte) in changed.enumerated() { bytes[offset] = byte }
    return changed.count
}

let words = CommandLine.arguments.dropFirst()
switch (words.first, words.count) {
case ("list", 1):
    for target in FuzzTargets.all { print(target.name) }
case ("seeds", 3):
    try writeSeeds(of: find(words[2]), into: words[3])
case ("keep", 3):
    print(try KeptInputs.text(from: words[2], byteCount: Int(words[3]) ?? 0), terminator: "")
case ("run", 2...):
    chosen = find(words[2])
    LogSinks.console = nil  // thousands of warnings a second are of no use
    fuzz()
default:
    print(
        "usage: divan-fuzz list | seeds TARGET FOLDER | keep FOLDER BYTES | run TARGET [ARGUMENTS]"
    )
    CurrentProcess.exit(64)
}
