package org.chainwalletd.cli;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.chainwalletd.chain.ChainProfile;
import picocli.AutoComplete;

/** Command that prints a shell completion script for commands and options. */
final class CompletionCommand implements Command {
    private static final String MAN = "--man";

    private final Supplier<List<Command>> commands;

    /** @param commands all commands, including this one */
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
    public List<Flag> flags() {
        return List.of(new Flag(MAN, "", "print the manual page in its place, for man -l"));
    }

    @Override
    public int run(Invocation invocation) {
        if (invocation.option(MAN).isPresent()) {
            invocation.out().print(ManPage.of(Lines.NAME, commands.get()));
            return ExitCode.OK;
        }
        CommandLineParser parser = new CommandLineParser(Lines.NAME, commands.get());
        invocation.out().print(AutoComplete.bash(Lines.NAME, parser.grammar()));
        invocation.out().print(RpcCompletion.bash(Lines.NAME, "_complete_" + Lines.NAME));
        return ExitCode.OK;
    }

    /** Part of the completion script for the methods of {@code rpc} and their parameters. */
    static final class RpcCompletion {
        private RpcCompletion() {}

        /** @param otherwise function that completes everything else */
        static String bash(String program, String otherwise) {
            Map<String, String> methods = new TreeMap<>();
            RpcParameters.ofAllMethods(ChainProfile.of("chain"))
                    .forEach((method, params) -> methods.put(
                            method,
                            params.keySet().stream().map(name -> name + "=").collect(Collectors.joining(" "))));
            String cases = methods.entrySet().stream()
                    .map(method -> "    " + method.getKey() + ") echo \"" + method.getValue() + "\" ;;\n")
                    .collect(Collectors.joining());
            return """

                    # Methods behind `rpc`, and their parameters as key=value.
                    function _%1$s_rpc_methods() {
                      echo "%2$s"
                    }

                    function _%1$s_rpc_params() {
                      case "$1" in
                    %3$s  esac
                    }

                    function _%1$s_with_rpc() {
                      local word method="" rpc="" i current="${COMP_WORDS[COMP_CWORD]}"
                      for ((i = 1; i < COMP_CWORD; i++)); do
                        word="${COMP_WORDS[i]}"
                        if [ -z "$rpc" ]; then
                          [ "$word" = "rpc" ] && rpc=yes
                        elif [ -z "$method" ] && [[ "$word" != -* ]]; then
                          method="$word"
                        fi
                      done
                      if [ -z "$rpc" ] || [[ "$current" == -* ]]; then
                        %4$s
                      elif [ -z "$method" ]; then
                        COMPREPLY=($(compgen -W "$(_%1$s_rpc_methods)" -- "$current"))
                      elif [ "$current" != "=" ] && [ "${COMP_WORDS[COMP_CWORD - 1]}" != "=" ]; then
                        compopt -o nospace 2>/dev/null
                        COMPREPLY=($(compgen -W "$(_%1$s_rpc_params "$method")" -- "$current"))
                      fi
                    }

                    complete -F _%1$s_with_rpc -o default %1$s %1$s.sh
                    """.formatted(program, String.join(" ", methods.keySet()), cases, otherwise);
        }
    }
}
