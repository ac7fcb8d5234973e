package org.chainwalletd.cli;

import java.util.List;

/** Every command, the default one first. */
final class Commands {
    private Commands() {}

    static List<Command> all() {
        return List.of(
                new ServeCommand(),
                new DevnetCommand(),
                new DemoCommand(),
                new RpcCommand(),
                new StatusCommand(),
                new WatchCommand(),
                new DoctorCommand(),
                new InitSeededCommand(),
                new MigrateCommand(),
                new TokenCommand(),
                new StoreCommand(),
                new CompletionCommand(Commands::all));
    }
}
