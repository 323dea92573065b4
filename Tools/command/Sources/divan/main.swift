import DivanCommand
import Glibc

/// The `divan` program.
exit(Program.run(Array(CommandLine.arguments.dropFirst())))
