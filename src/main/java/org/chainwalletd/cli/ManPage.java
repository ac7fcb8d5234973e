package org.chainwalletd.cli;

import java.util.List;
import java.util.Locale;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.Version;

/** Manual page in man(7) format, generated from the commands and the configuration's table of options. */
final class ManPage {
    private final StringBuilder page = new StringBuilder();

    private ManPage() {}

    static String of(String program, List<Command> commands) {
        ManPage man = new ManPage();
        man.macro("TH " + program.toUpperCase(Locale.ROOT) + " 1 \"\" \"" + program + " " + Version.number()
                + "\" \"User Commands\"");
        man.section("NAME");
        man.text(program + " - wallet signing daemon for payment backends");
        man.section("SYNOPSIS");
        man.macro("B " + escaped(program));
        man.text("[options] [command] [arguments]");
        man.section("DESCRIPTION");
        man.text(
                "Keeps a keyring of Ed25519 keys sealed at rest, builds, signs and broadcasts payments of a UTXO chain, follows the"
                        + " chain, and answers JSON-RPC 2.0 over HTTP. Without a command it serves. The other commands are clients of"
                        + " a running daemon, or look after one that does not run.");
        man.section("COMMANDS");
        for (Command command : commands) {
            man.entry((command.word() + " " + String.join(" ", command.arguments())).strip(), command.summary());
            for (Command.Flag flag : command.flags()) {
                if (!flag.help().isEmpty()) {
                    man.inner((flag.name() + " " + flag.label()).strip(), flag.help());
                }
            }
        }
        man.section("OPTIONS");
        man.text(
                "Each may also be given in the variable that is named, or in the configuration file. A flag goes over a variable, a"
                        + " variable over the file.");
        man.entry("--config file", "configuration file; default walletd.conf in the datadir [WALLETD_CONFIG]");
        for (Option option : Option.all()) {
            String label = option.form() == Option.Form.SWITCH
                    ? ""
                    : " " + option.form().label();
            man.entry(option.flag() + label, option.help() + " [" + option.variable("chain") + "]");
        }
        man.entry("-V, --version", "print the version and exit");
        man.entry("-h, --help", "print the help and exit, of a command behind its name; --help all lists every option");
        man.section("EXIT STATUS");
        man.entry("0", "The command was carried out; for rpc, the result is on standard output.");
        man.entry("1, 2", "It could not be, and the configuration or the command line is wrong; nothing was sent.");
        man.entry("3", "No answer of the daemon: whether the call was carried out is unknown.");
        man.entry("4", "The server's certificate is not the pinned one; nothing was sent.");
        man.entry("5", "The token is wrong, or its scope too low.");
        man.entry("6", "Unknown method or wrong parameters.");
        man.entry("7", "Passes by itself: the same call again, a spend with the same client_token.");
        man.entry("8", "Refused, as things are.");
        man.section("ENVIRONMENT");
        man.entry(
                "WALLETD_KEYSTORE_PASSPHRASE",
                "the passphrase that seals the keys; a file (--passphrase-file) is the better place");
        man.entry("WALLETD_URL, WALLETD_AUTH_TOKEN, WALLETD_FINGERPRINT", "the daemon that rpc, status and watch call");
        man.entry("JAVA_HOME, WALLETD_HEAP, WALLETD_JAVA_OPTS", "the JDK, its heap limit and further options");
        man.entry(
                "WALLETD_LOGBACK, WALLETD_AUDIT_FILE", "configuration of the log, and where it writes the audit trail");
        man.section("FILES");
        man.entry("/etc/chain-walletd/walletd.conf", "configuration of the service");
        man.entry("/etc/chain-walletd/passphrase", "passphrase of the service, on one line");
        man.entry("/var/lib/chain-walletd", "datadir of the service: keys, tokens, store");
        man.entry("/var/log/chain-walletd/audit.log", "audit trail of the service");
        man.section("EXAMPLES");
        man.entry(program + " rpc get_status", "asks the daemon of this machine how it is");
        man.entry("sudo -u walletd " + program + " status", "the same on one screen, for the installed service");
        man.section("SEE ALSO");
        man.macro("BR systemctl (1)");
        return man.page.toString();
    }

    private void section(String title) {
        macro("SH " + title);
    }

    private void entry(String head, String text) {
        macro("TP");
        macro("B " + escaped(head));
        text(text);
    }

    private void inner(String head, String text) {
        macro("RS");
        entry(head, text);
        macro("RE");
    }

    private void macro(String line) {
        page.append('.').append(line).append('\n');
    }

    private void text(String text) {
        page.append("\\&").append(escaped(text)).append('\n');
    }

    /**
     * Escapes a text so that every character is printed literally: a bare hyphen would be printed as another character, and a backslash
     * starts an escape sequence.
     */
    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-").replace("\"", "\\(dq");
    }
}
