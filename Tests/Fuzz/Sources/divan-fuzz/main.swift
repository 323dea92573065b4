import CDivanFuzzer
import DivanFuzz
import Foundation

// divan-fuzz list                      the names of the targets
// divan-fuzz seeds TARGET FOLDER       writes the target's seed corpus
// divan-fuzz run TARGET [ARGUMENTS]    hands over to libFuzzer

nonisolated(unsafe) var chosen: (any FuzzTarget.Type)?  // set before the only thread starts to fuzz

func find(_ name: String) -> any FuzzTarget.Type {
    guard let target = FuzzTargets.all.first(where: { $0.name == name }) else {
        print("divan-fuzz: there is no target \(name); `divan-fuzz list` names them")
        exit(64)
    }
    return target
}

func writeSeeds(of target: any FuzzTarget.Type, into folder: String) throws {
    try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true
    )
    for (index, seed) in try target.seeds().enumerated() {
        try Data(seed).write(to: URL(filePath: "\(folder)/seed-\(index)"))
    }
}

/// Never returns: libFuzzer leaves the process when its time is over or an input failed.
func fuzz() -> Never {
    // `divan-fuzz run TARGET` is one word for libFuzzer.
    var count = CommandLine.argc - 2
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
        CommandLine.unsafeArgv + 2
    exit(
        LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
            // libFuzzer owns the bytes until the call returns; they are copied here.
            let input = Array(UnsafeBufferPointer(start: bytes, count: count))
            if let violation = chosen?.violation(of: input) {
                // Not buffered, so that it is there when the process ends.
                FileHandle.standardError.write(Data("divan-fuzz: \(violation)\n".utf8))
                abort()
            }
            return 0
        }
    )
}

let words = CommandLine.arguments.dropFirst()
switch (words.first, words.count) {
case ("list", 1):
    for target in FuzzTargets.all { print(target.name) }
case ("seeds", 3):
    try writeSeeds(of: find(words[2]), into: words[3])
case ("run", 2...):
    chosen = find(words[2])
    fuzz()
default:
    print("usage: divan-fuzz list | seeds TARGET FOLDER | run TARGET [ARGUMENTS]")
    exit(64)
}
