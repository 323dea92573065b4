import CouchbaseLiteSwift
import Dispatch
import DivanTestKit
import Foundation

struct LiveFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Many live queries on one database while it is written to: none may miss a change to its
/// rows, none may be notified without a reason, and differences applied to a list must give the result.
///
/// A notification is needless if it reports the same rows as the previous one, unless a purge in the
/// collections, or new parameters, came in between: these are always reported. A run is needless if no
/// commit since the last one can matter by the documented rule: one in the query's collections that
/// changes a document that met its condition before or does now, for a query over one collection without
/// groups, `DISTINCT`, `OFFSET` and words; any commit in its collections for all others.
///
/// Commits come in bursts, as fast as possible. In the pause after each, everything must be reported;
/// then, when no query has anything left to do, the runs caused by one commit are counted, and those
/// of a purge. Runs in a burst are coalesced by time, and not counted.
final class LiveTrial {
    private struct Follower {
        let query: any Query
        let referee: LiveReportChecker
        let isList: Bool
        /// The index of its expected answer.
        let answer: Int
    }

    private static let burst = 1_500
    private static let patience = DispatchTimeInterval.seconds(60)
    /// Longer than the half second that a run waits for further commits.
    private static let longestDelay = 0.6

    private let shop: ModeledDatabase
    private let directory: TemporaryDirectory
    private let start = ContinuousClock.now
    private var answers: [Answer] = []
    private var followers: [Follower] = []
    private var tokens: [ListenerToken] = []
    private var tasks: [Task<Void, Never>] = []
    private let list = List()
    private var verdict = Verdict()
    private var commitCount = 0
    private var (countedRuns, neededRuns, needlessRuns) = (0, 0, 0)
    private var runCount = 0

    init(queryCount: Int, listCount: Int, chairCount: Int, seed: UInt64) throws {
        directory = try TemporaryDirectory()
        shop = try ModeledDatabase(chairCount: chairCount, seed: seed, in: directory)
        let queues = (0..<8).map { DispatchQueue(label: "listener \($0)") }
        for number in 0..<queryCount {
            let inquiry = shop.inquiry(number)
            let query = try shop.database.createQuery(inquiry.sql)
            let answer = Answer(inquiry, shop)
            answers.append(answer)
            query.parameters = Self.parameters(inquiry)
            followers.append(
                Follower(
                    query: query,
                    referee: LiveReportChecker(answer.rows),
                    isList: false,
                    answer: number
                )
            )
            if number < listCount {
                followers.append(
                    Follower(
                        query: query,
                        referee: LiveReportChecker(answer.rows),
                        isList: true,
                        answer: number
                    )
                )
            }
        }
        for (number, follower) in followers.enumerated() {
            listen(follower, on: queues[number % queues.count])
        }
    }

    private static func parameters(_ inquiry: Inquiry) -> Parameters? {
        inquiry.kind.map { Parameters().setString("k\($0)", forName: "kind") }
    }

    private func listen(_ follower: Follower, on queue: DispatchQueue) {
        let referee = follower.referee
        guard !follower.isList else {
            let (list, query) = (list, follower.query)
            return tasks.append(Task { await list.follow(query, referee) })
        }
        let token = follower.query.addChangeListener(withQueue: queue) { change in
            if let results = change.results {
                referee.hear(results.map(shown))
            } else {
                referee.fail(change.error.map { "\($0)" } ?? "neither rows nor an error")
            }
        }
        tokens.append(token)
    }

    /// - Returns: Whether nothing was missed, needless or wrong.
    func run(commits: Int) throws -> Bool {
        try waitUntilIdle()
        while commitCount < commits {
            for _ in 0..<min(Self.burst, commits - commitCount) { _ = take(try shop.commit()) }
            try rest()
        }
        for token in tokens { token.remove() }
        try shop.database.close()
        return report()
    }

    /// Records a commit; returns how many live queries it may cause to run.
    private func take(_ changes: [Change]) -> Int {
        commitCount += 1
        var touched = Array(repeating: false, count: answers.count)
        for number in answers.indices {
            touched[number] = answers[number].note(changes, shop.makers)
        }
        for follower in followers where touched[follower.answer] {
            follower.referee.expect(answers[follower.answer].rows)
        }
        return followers.count { touched[$0.answer] }
    }

    private func rest() throws {
        try waitUntilIdle()
        let needed = take(try shop.commitOne())
        try shop.visit()
        commitCount += 1
        try countRuns(where: needed)
        // Every query is notified of a purge, once.
        for follower in followers { follower.referee.owe() }
        _ = take(try shop.purge())
        try countRuns(where: followers.count)
        try askOthers()
        for follower in followers {
            verdict.add(follower.referee.judge(isFolding: follower.isList))
        }
        if let failure = verdict.failure { throw LiveFailure(failure) }
    }

    private func countRuns(where needed: Int) throws {
        let before = runCount
        try waitUntilIdle()
        countedRuns += runCount - before
        neededRuns += needed
        needlessRuns += max(0, runCount - before - needed)
    }

    /// Waits until everything has been reported, and no query has a pending or active run.
    private func waitUntilIdle() throws {
        try settle()
        repeat {
            runCount = try runs()
            Thread.sleep(forTimeInterval: Self.longestDelay)
        } while try runs() != runCount
    }

    /// Gives some queries new parameters, which they must report.
    private func askOthers() throws {
        for number in answers.indices where answers[number].inquiry.kind != nil {
            let inquiry = shop.inquiry(number)
            answers[number].ask(inquiry, shop)
            let mine = followers.filter { $0.answer == number }
            for follower in mine {
                follower.referee.owe()
                follower.referee.expect(answers[number].rows)
            }
            mine.first?.query.parameters = Self.parameters(inquiry)
        }
        try settle()
    }

    /// Waits until every query has reported its current answer.
    private func settle() throws {
        let deadline = DispatchTime.now() + Self.patience
        for follower in followers where !follower.referee.waitUntilSettled(by: deadline) {
            let sql = answers[follower.answer].inquiry.sql
            throw LiveFailure("after commit \(commitCount) this was not told: \(sql)")
        }
    }

    /// How often live queries were run in this process.
    private func runs() throws -> Int {
        let name = "divan_live_query_runs_total "
        let line = CouchbaseLiteSwift.metrics.text.split(separator: "\n").first {
            $0.hasPrefix(name)
        }
        guard let number = line?.dropFirst(name.count), let count = Double(number) else {
            throw LiveFailure("the metrics do not tell \(name)")
        }
        return Int(count)
    }

    private func report() -> Bool {
        let seconds = (ContinuousClock.now - start).components.seconds
        print(
            """
            \(answers.count) live queries and \(followers.count - answers.count) lists, \
            \(commitCount) commits, \(seconds) s
            notifications: \(verdict.notifications); missed: \(verdict.missed), \
            needless: \(verdict.needless), wrong: \(verdict.wrong)
            differences: \(list.differences), which left \(list.kept) rows where they were; \
            lists that were not the result: \(list.failures)
            runs after single commits and purges: \(countedRuns), where \(neededRuns) could \
            matter; needless: \(needlessRuns)
            """
        )
        return verdict.missed + verdict.needless + verdict.wrong + list.failures + needlessRuns == 0
            && verdict.notifications > 0 && list.differences > 0
    }
}
