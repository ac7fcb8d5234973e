package org.chainwalletd.cli;

import picocli.AutoComplete;

/** Prints a script for the shell that completes commands and options. */
final class CompletionCommand implements Command {
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
        CommandLineParser parser = new CommandLineParser(Program.NAME, Program.commands());
        invocation.out().print(AutoComplete.bash(Program.NAME, parser.grammar()));
        invocation.out().print(RpcCompletion.bash(Program.NAME, "_complete_" + Program.NAME));
        return ExitCode.OK;
    }
}
