import DivanPlatform
import Foundation

/// The process that runs programs and reports how much memory each needed at most.
///
/// A process of its own since a program inherits the peak of the process that started it.
struct PeakRole {
    /// Answers lines of words that are separated by tabs: the files for input and output, then the program with its
    /// arguments; the answer is in bytes, negative if the program failed.
    func run() {
        ProcessRole.answer { line in
            let words = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map(String.init)
            guard words.count > 2 else { return -1 }
            return Self.peak(Array(words.dropFirst(2)), input: words[0], output: words[1])
        }
    }

    private static func peak(_ words: [String], input: String, output: String) -> Double {
        guard let source = try? FileDescriptor.open(input, .closeOnExec) else { return -1 }
        defer { source.close() }
        let flags: FileDescriptor.OpenFlags = [.writeOnly, .create, .truncate, .closeOnExec]
        guard let target = try? FileDescriptor.open(output, flags, permissions: 0o600) else {
            return -1
        }
        defer { target.close() }
        let child = try? ChildProcess.spawn(
            words[0],
            words,
            descriptors: [(source, as: .standardInput), (target, as: .standardOutput)]
        )
        guard let (status, peak) = child?.waitMeasuring(), status.isSuccess else { return -1 }
        return Double(peak)
    }
}
