package org.chainwalletd.cli;

import java.util.List;
import java.util.function.Supplier;
import picocli.AutoComplete;

/** Prints a script for the shell that completes commands and options. */
final class CompletionCommand implements Command {
    private final Supplier<List<Command>> commands;

    /** @param commands all that there are, this one too */
    CompletionCommand(Supplier<List<Command>> commands) {
        this.commands = commands;
    }

    @Override
    public String word() {
        return "completion";
    }

    @Override
    public String summary() {
        return "Prints a completion script for bash and zsh, also of the methods behind rpc and their parameters: source <(chain-walletd completion)";
    }

    @Override
    public int run(Invocation invocation) {
        CommandLineParser parser = new CommandLineParser(Lines.NAME, commands.get());
        invocation.out().print(AutoComplete.bash(Lines.NAME, parser.grammar()));
        invocation.out().print(RpcCompletion.bash(Lines.NAME, "_complete_" + Lines.NAME));
        return ExitCode.OK;
    }
}
