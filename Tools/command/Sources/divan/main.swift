// The `divan` program.

import DivanCommand
import DivanPlatform

// Commands make and free copies of long documents.
Memory.giveBackLongBlocks()
CurrentProcess.exit(Program.run(Array(CommandLine.arguments.dropFirst())))
