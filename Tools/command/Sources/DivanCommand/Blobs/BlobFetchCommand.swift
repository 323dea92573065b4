import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import Foundation

/// `divan blob fetch`.
enum BlobFetchCommand: Command {
    static let syntax = CommandSyntax(
        name: "blob fetch",
        summary: "download blobs that are not stored locally",
        operands: [
            .database, .url,
            .init(name: "ID", isOptional: true, isRepeating: true, completion: .document),
        ],
        options: [
            CommandSyntax.Option.value(
                "--collection",
                "NAME",
                short: "-c",
                completion: .collection,
                "the collection: scope.name or name (default: all; with ID, _default)"
            ).grouped(.filters)
        ] + ServerTrustOptions.all + [.json],
        details: """
            Downloads blobs that are not stored locally, such as those that a pull with --blobs
            skipped. Without ID, downloads the blobs of the collection, or of all collections if
            --collection is not given. Use the same options as for 'divan pull'.

            If you press Ctrl-C or the connection is lost, the next run resumes partial downloads.
            In an encrypted database, a partial download starts over.

            If another process such as 'divan serve' has the database open, that process downloads
            the blobs with the credentials of this command. It cannot ask for a password: use
            --password-file or DIVAN_PASSWORD.
            """,
        examples: [
            "divan blob fetch travel wss://jukebox.local:4984/travel --pin jukebox.pem",
            "divan blob fetch travel wss://jukebox.local:4984/travel de -c geo.countries",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let target = try URLEndpoint(validating: arguments.operands[1])
        let interruption = Interruption.forVerb()
        let database = try arguments.database.openDatabase()
        defer { try? database.close() }
        let configuration = try SyncConfiguration(
            arguments: arguments,
            direction: .pull,
            target: target,
            terminal: terminal
        ).plain(database)
        let wanted = try MissingBlobs(database, arguments).blobs
        let run = BlobFetching(wanted, configuration, ProgressLine(terminal, verb: "blobs fetched"))
        let outcome = run.wait(interruption)
        let cause = interruption.isRequested ? interruption.cause : nil
        try printResult(outcome, of: wanted.count, stoppedBy: cause, terminal)
    }

    private static func printResult(
        _ outcome: BlobFetching.Outcome,
        of count: Int,
        stoppedBy cause: String?,
        _ terminal: Terminal
    ) throws {
        // If nothing was downloaded, one sentence gives the reason for all.
        if outcome.count == 0, cause == nil, let error = outcome.firstError {
            throw Failure(explaining: error)
        }
        for failure in outcome.failures.prefix(20) { terminal.warn(failure) }
        var sentence =
            "Fetched \(Numbers.count(outcome.count, "blob")), "
            + Numbers.bytes(outcome.byteCount)
        if outcome.resumedByteCount > 0 {
            sentence += ", of which \(Numbers.bytes(outcome.resumedByteCount)) in earlier runs"
        }
        if count == 0 { sentence = "No blobs to download" }
        terminal.done(
            sentence,
            [
                "fetched": JSON(outcome.count), "bytes": JSON(outcome.byteCount),
                "resumedBytes": JSON(outcome.resumedByteCount),
                "failed": JSON(outcome.failures.count),
            ]
        )
        if let cause {
            throw Failure.stopped(
                by: cause,
                leaving: "the next run resumes partial downloads"
            )
        }
        guard !outcome.failures.isEmpty else { return }
        throw Failure(
            kind: .partly,
            sentence: "\(Numbers.count(outcome.failures.count, "blob")) could not be downloaded",
            hint: "run the command again to resume partial downloads"
        )
    }
}
