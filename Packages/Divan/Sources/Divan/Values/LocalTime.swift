import Glibc

/// The zone of the machine's clocks, as the date functions of SQL++ see it.
///
/// Both ask the system, which also decides about the hour that clocks show twice, and the one that they
/// leave out, so that a property is the same moment to a getter and to a query.
enum LocalTime {
    /// Seconds, in whole minutes, by which local time is ahead of UTC when local clocks show `seconds`
    /// since 1970.
    static func offset(at seconds: Double) -> Double {
        var moment = time_t(seconds.rounded(.down))
        var fields = tm()
        guard gmtime_r(&moment, &fields) != nil else { return 0 }
        fields.tm_isdst = -1
        fields.tm_gmtoff = 0
        // What cannot be told leaves the offset alone.
        _ = mktime(&fields)
        return Double(fields.tm_gmtoff / 60 * 60)
    }
}
