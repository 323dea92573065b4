import Glibc

/// The wall clock, for the one place that writes it down.
enum SystemTime {
    static func seconds() -> Int64 { Int64(time(nil)) }
}
