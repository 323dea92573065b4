import DivanCommandLine

/// How long backups are kept: every one of some days, and then one for each week, month and year.
///
/// Files belong to chains: a full backup and the changes since it. A chain is complete as long as its last file is of
/// one of the days. Of older chains, the full backup remains if it is the first one of a week, month or year that is
/// kept. Days, weeks, months and years without backups do not count, and the current time does not matter: a wrong
/// clock cannot remove anything but the oldest. Everything is in UTC, and weeks begin on Monday.
struct BackupRetention: Equatable {
    /// The greatest count, which is more than anybody needs.
    private static let limit = 10_000

    /// How many periods of each kind are kept.
    private var counts: [Period.Kind: Int] = [:]

    /// Parses counts with units, such as `7d,4w,12m`.
    init(parsing text: String) throws(Failure) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let kind = part.last.flatMap({ Period.Kind(rawValue: $0) }),
                let count = Int(part.dropLast()), (1...Self.limit).contains(count)
            else {
                throw .usage(
                    "invalid retention '\(text)'",
                    hint: "use numbers of days, weeks, months and years, such as 7d,4w,12m,2y"
                )
            }
            counts[kind] = count
        }
    }

    /// Returns the files that are no longer needed.
    ///
    /// Changes are removed before the full backup that they need, so that a removal that is interrupted leaves no
    /// changes without it. The newest chain is always kept.
    ///
    /// - Parameter names: The files of one database, in order.
    /// - Returns: The files in the order in which they can be removed.
    func surplus(among names: [BackupName]) -> [BackupName] {
        let chains = Self.chains(names)
        let days = last(.day, of: names)
        var kept: Set<BackupName> = []
        let fulls = names.filter { $0.kind == .full }
        for kind in [Period.Kind.week, .month, .year] {
            let periods = last(kind, of: fulls)
            var seen: Set<Period> = []
            for name in fulls {
                let period = Period(kind, of: name.time)
                if periods.contains(period), seen.insert(period).inserted { kept.insert(name) }
            }
        }
        return chains.dropLast().filter { chain in
            !days.contains(Period(.day, of: chain[chain.count - 1].time))
        }.flatMap { chain in
            chain.dropFirst(kept.contains(chain[0]) ? 1 : 0).reversed()
        }
    }

    /// The last periods of a kind in which files were made, as many as are kept.
    private func last(_ kind: Period.Kind, of names: [BackupName]) -> Set<Period> {
        Set(Set(names.map { Period(kind, of: $0.time) }).sorted().suffix(counts[kind] ?? 0))
    }

    /// A full backup with the changes that follow it; the first one may have lost it.
    private static func chains(_ names: [BackupName]) -> [[BackupName]] {
        names.reduce(into: []) { chains, name in
            if name.kind == .full || chains.isEmpty {
                chains.append([name])
            } else {
                chains[chains.count - 1].append(name)
            }
        }
    }
}

extension BackupRetention {
    /// A day, week, month or year.
    private struct Period: Hashable, Comparable {
        enum Kind: Character {
            case day = "d"
            case week = "w"
            case month = "m"
            case year = "y"
        }

        private static let dayLength: Int64 = 86_400_000

        /// Numbers ascend with time; they are comparable within one kind.
        let number: Int64

        init(_ kind: Kind, of time: Int64) {
            let day = (Double(time) / Double(Self.dayLength)).rounded(.down)
            // `Moment` writes years 0 to 9999 only.
            let parts = Moment.text(time).split(separator: "-")
            let (year, month) = (Int64(parts[0]) ?? 0, Int64(parts[1]) ?? 1)
            number =
                switch kind {
                case .day: Int64(day)
                // The first day of 1970 was a Thursday.
                case .week: Int64(((day + 3) / 7).rounded(.down))
                case .month: year * 12 + month
                case .year: year
                }
        }

        static func < (left: Period, right: Period) -> Bool { left.number < right.number }
    }
}
