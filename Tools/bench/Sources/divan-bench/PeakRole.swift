import Foundation
import Glibc

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
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, flags, 0o600)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        guard posix_spawn(&process, words[0], &actions, nil, &arguments, environ) == 0 else {
            return -1
        }
        var status: Int32 = -1
        var usage = rusage()
        guard wait4(process, &status, 0, &usage) == process, status == 0 else { return -1 }
        return Double(usage.ru_maxrss) * 1_024
    }
}
