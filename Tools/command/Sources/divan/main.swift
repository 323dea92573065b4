import DivanCommand
import DivanPlatform

/// The `divan` program.
CurrentProcess.exit(Program.run(Array(CommandLine.arguments.dropFirst())))
