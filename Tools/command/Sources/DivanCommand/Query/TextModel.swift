import DivanCommandLine
import DivanJSON
import DivanPlatform

/// A program that turns a text into a vector.
struct TextModel {
    /// A line for the shell; it reads the text from its standard input.
    let command: String

    /// Less than a pipe holds, so that writing never waits for a program that does not read.
    private static let textByteCount = 32 << 10
    /// 4,096 numbers of 24 characters, and what a program prints besides.
    private static let outputByteCount = 128 << 10

    /// The vector of a text, as the JSON text of an array.
    ///
    /// - Throws: `Failure` if the program fails, or prints something else.
    func vector(of text: String) throws(Failure) -> [UInt8] {
        guard text.utf8.count <= Self.textByteCount else {
            throw .usage("the text is longer than \(Self.textByteCount) bytes")
        }
        let (status, output): (ChildProcess.Status?, [UInt8]?)
        do {
            (status, output) = try run(Array(text.utf8))
        } catch {
            throw failure("could not be started: \(error.errno)")
        }
        // Such a program ends with an error, because nobody reads the rest.
        guard let output else { throw failure("printed more than \(Self.outputByteCount) bytes") }
        guard status?.isSuccess == true else {
            throw failure((status ?? .unknown).explanation)
        }
        guard let items = (try? JSON(parsing: output))?.array, !items.isEmpty,
            items.allSatisfy({ $0.double != nil })
        else { throw failure("did not print a JSON array of numbers") }
        return output
    }

    private func failure(_ problem: String) -> Failure {
        Failure(
            kind: .failed,
            sentence: "the model (\(command.escapingControlCharacters())) \(problem)",
            hint: "check it with: echo text | \(command.escapingControlCharacters())"
        )
    }

    /// Runs the program; its output is `nil` if it is too long.
    private func run(_ text: [UInt8]) throws(SystemError) -> (ChildProcess.Status?, [UInt8]?) {
        let (inputEnd, input) = try FileDescriptor.pipe()
        let output: (reading: FileDescriptor, writing: FileDescriptor)
        do throws(SystemError) {
            output = try FileDescriptor.pipe()
        } catch {
            inputEnd.close()
            input.close()
            throw error
        }
        let process: ChildProcess
        do throws(SystemError) {
            defer {
                inputEnd.close()
                output.writing.close()
            }
            process = try ChildProcess.spawn(
                "/bin/sh",
                ["/bin/sh", "-c", command],
                descriptors: [
                    (inputEnd, as: .standardInput), (output.writing, as: .standardOutput),
                ],
                signals: .inherited(except: [.brokenPipe])
            )
        } catch {
            input.close()
            output.reading.close()
            throw error
        }
        // A program that does not read the text has ended before; its status says more.
        try? input.writeAll(text)
        input.close()
        let printed = try? output.reading.readAll(limit: Self.outputByteCount)
        // One that prints without end finds nobody reading now.
        output.reading.close()
        return (process.wait(), printed)
    }
}
