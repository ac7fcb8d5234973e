package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.chainwalletd.config.Option;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CommandLineParserTest {
    private final CommandLineParser parser = new CommandLineParser("chain-walletd", FullCommandLine.Commands.all());

    @Test
    void serving_is_meant_with_and_without_its_name() {
        assertThat(parser.parse().command().word()).isEqualTo("serve");
        assertThat(parser.parse("--devnet").command().word()).isEqualTo("serve");
        assertThat(parser.parse("serve", "--devnet").flags()).containsEntry("--devnet", "true");
    }

    @Test
    void options_of_the_configuration_stand_before_or_after_the_command() {
        assertThat(parser.parse("--datadir", "d", "devnet").flags()).containsEntry("--datadir", "d");
        assertThat(parser.parse("devnet", "--datadir", "d").flags()).containsEntry("--datadir", "d");
        assertThat(parser.parse("devnet").command().word()).isEqualTo("devnet");
    }

    @Test
    void the_command_line_hands_over_what_was_given() {
        assertThat(parser.parse("--tls", "--bind", "[::1]:1", "--json-logs=false", "--config", "x.conf")
                        .flags())
                .isEqualTo(Map.of("--tls", "true", "--bind", "[::1]:1", "--json-logs", "false", "--config", "x.conf"));
        assertThat(parser.grammar().getUsageMessage()).contains("--spend-cap-per-tx=<amount>", "WALLETD_MAX_BATCH");
    }

    @Test
    void the_value_of_an_option_may_be_a_commands_name() {
        CommandLineParser.Parsed parsed = parser.parse("--network", "devnet", "--datadir", "demo", "status");
        assertThat(parsed.command().word()).isEqualTo("status");
        assertThat(parsed.flags()).containsEntry("--network", "devnet").containsEntry("--datadir", "demo");
    }

    @Test
    void a_switch_and_a_value_of_a_commands_own_are_read() {
        assertThat(parser.parse("demo", "--quiet").options()).containsEntry("--quiet", "true");
        assertThat(parser.parse("demo").options()).isEmpty();
        assertThat(parser.parse("rpc", "ping", "--scope", "read").options()).containsEntry("--scope", "read");
        assertThat(parser.parse("rpc", "get_balance", "{}").arguments()).isEqualTo(List.of("get_balance", "{}"));
    }

    @Test
    void what_is_unknown_is_refused() {
        assertThatThrownBy(() -> parser.parse("--no-such-flag"))
                .isInstanceOf(CommandLine.ParameterException.class)
                .hasMessageContaining("--no-such-flag");
        assertThatThrownBy(() -> parser.parse("no-such-command")).isInstanceOf(CommandLine.ParameterException.class);
        assertThatThrownBy(() -> parser.parse("rpc")).isInstanceOf(CommandLine.ParameterException.class);
    }

    @Test
    void every_command_helps() {
        for (Command command : FullCommandLine.Commands.all()) {
            assertThat(parser.parse(command.word(), "--help").text())
                    .hasValueSatisfying(text -> assertThat(text).contains("--help"));
        }
    }

    @Test
    void help_shows_what_most_need_and_help_all_every_option() {
        String common = parser.parse("--help").text().orElseThrow();
        String whole = parser.parse("--help", "all").text().orElseThrow();

        assertThat(Option.all()).filteredOn(Option::isCommon).hasSizeBetween(15, 25);
        for (Option option : Option.all()) {
            assertThat(common.contains(option.flag() + "=") || common.contains(option.flag() + "["))
                    .as(option.flag())
                    .isEqualTo(option.isCommon());
            assertThat(whole).contains(option.flag());
        }
        assertThat(common).contains("--help all");
        assertThat(parser.parse("--max-waits", "5").flags()).containsEntry("--max-waits", "5");
    }
}
