package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServeFastPathTest {
    private final CommandLineParser grammar = new CommandLineParser("chain-walletd", FullCommandLine.Commands.all());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "serve",
                "--datadir d --bind 127.0.0.1:0",
                "--datadir=d --bind=[::1]:0 --config x.conf",
                "serve --tls --devnet --devnet-block-interval 0",
                "--json-logs=false --tls=true",
                "--node-rpc http://a:1,http://b:2 --tls",
                "--node-rpc=http://a:1/?x=y"
            })
    void plain_words_are_read_as_by_the_grammar(String line) {
        String[] words = line.isEmpty() ? new String[0] : line.split(" ");
        CommandLineParser.Parsed parsed = grammar.parse(words);
        assertThat(parsed.command().word()).isEqualTo("serve");
        assertThat(ServeFastPath.read(words)).contains(parsed.flags());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "-V",
                "demo",
                "rpc ping",
                "serve --help",
                "--datadir d devnet",
                "--tls true",
                "--tls serve",
                "--bind",
                "--bind=",
                "--bind --tls",
                "--bind @file",
                "--bind a:1 --bind b:2",
                "--no-such-flag x",
                "--datadir d extra",
                "@words"
            })
    void everything_else_is_left_to_the_grammar(String line) {
        assertThat(ServeFastPath.read(line.split(" "))).isEmpty();
    }
}
