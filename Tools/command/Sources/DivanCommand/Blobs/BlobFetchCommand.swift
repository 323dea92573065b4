import Divan
import DivanCommandLine
import DivanJSON
import Foundation

/// `divan blob fetch`.
enum BlobFetchCommand: Command {
    static let syntax = CommandSyntax(
        name: "blob fetch",
        summary: "fetch contents that a pull has left at the peer",
        operands: [
            .database, .url,
            .init(name: "ID", isOptional: true, isRepeating: true, completion: .document),
        ],
        options: [
            .value(
                "--collection",
                "NAME",
                short: "-c",
                completion: .collection,
                "the collection: scope.name or name (default: all; with ID, _default)"
            )
        ] + ServerTrustOptions.all + [.json],
        details: """
            Those of the documents with these IDs; without ID those of the whole collection, and without
            --collection those of all collections. Ctrl-C or a lost connection loses nothing: what has
            arrived of a content is kept, and the next fetch goes on from there; in a sealed database
            a content that was not whole begins anew. Give the options of
            your divan pull; --blobs of that says what stays at the peer.

            Where another process holds the database, such as divan serve, that one fetches, with the
            credentials of this command. A password cannot be typed then; it comes from --password-file
            or DIVAN_PASSWORD.
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
        let wanted = try AbsentContents(database, arguments).blobs
        let run = BlobFetching(wanted, configuration, ProgressLine(terminal, verb: "blobs fetched"))
        let outcome = run.wait(interruption)
        let cause = interruption.isRequested ? interruption.cause : nil
        try tell(outcome, of: wanted.count, stoppedBy: cause, terminal)
    }

    private static func tell(
        _ outcome: BlobFetching.Outcome,
        of count: Int,
        stoppedBy cause: String?,
        _ terminal: Terminal
    ) throws {
        // If nothing arrived, one sentence gives the reason for all.
        if outcome.count == 0, cause == nil, let error = outcome.firstError {
            throw Failure(explaining: error)
        }
        for failure in outcome.failures.prefix(20) { terminal.warn(failure) }
        var sentence =
            "Fetched \(Numbers.count(outcome.count, "blob")), "
            + Numbers.bytes(outcome.byteCount)
        if outcome.resumedByteCount > 0 {
            sentence += ", \(Numbers.bytes(outcome.resumedByteCount)) of them by earlier attempts"
        }
        if count == 0 { sentence = "Nothing is left at a peer" }
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
                leaving: "what arrived is kept, the next run goes on from there"
            )
        }
        guard !outcome.failures.isEmpty else { return }
        throw Failure(
            kind: .partly,
            sentence: "\(Numbers.count(outcome.failures.count, "blob")) could not be fetched; what "
                + "arrived is kept, the next run goes on from there"
        )
    }
}
