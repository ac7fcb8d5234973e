package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommandLineParserTest {
    private final CommandLineParser parser = new CommandLineParser("chain-walletd", Program.commands());

    @Test
    void aFlagWithoutAValueIsTrueWhenGiven() {
        CommandLineParser.Parsed parsed = parser.parse("demo", "--quiet");
        assertThat(parsed.command().word()).isEqualTo("demo");
        assertThat(parsed.options()).containsEntry("--quiet", "true");
    }

    @Test
    void aFlagThatIsNotGivenIsAbsent() {
        assertThat(parser.parse("demo").options()).isEmpty();
    }

    @Test
    void serveIsMeantWhenNoCommandIsNamed() {
        CommandLineParser.Parsed parsed = parser.parse("--bind", "127.0.0.1:0");
        assertThat(parsed.command().word()).isEqualTo("serve");
        assertThat(parsed.flags()).containsEntry("--bind", "127.0.0.1:0");
    }
}
