package org.chainwalletd.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.SettingsLoader;

/**
 * Fast parser of the command line with which a service manager starts a daemon: options of the configuration, each once with its value, and
 * nothing else. It avoids the grammar of {@link CommandLineParser}, because picocli's old byte code cannot be archived for class data sharing
 * and delays startup by a tenth of a second. All other command lines, valid or not, are left to that grammar.
 */
final class ServeFastPath {
    private ServeFastPath() {}

    /** Parses the options by flag with the same result as {@link CommandLineParser}; empty if that parser must be used. */
    static Optional<Map<String, String>> read(String[] words) {
        Map<String, String> flags = new LinkedHashMap<>();
        int at = words.length > 0 && words[0].equals("serve") ? 1 : 0;
        while (at < words.length) {
            String word = words[at++];
            int equals = word.indexOf('=');
            String flag = equals < 0 ? word : word.substring(0, equals);
            String value;
            if (equals >= 0) {
                value = word.substring(equals + 1);
            } else if (isSwitch(flag)) {
                value = "true";
            } else {
                value = at < words.length ? words[at++] : "";
            }
            if (!isKnown(flag) || !isPlain(value) || flags.put(flag, value) != null) {
                return Optional.empty();
            }
        }
        return Optional.of(flags);
    }

    private static boolean isKnown(String flag) {
        return flag.equals(SettingsLoader.CONFIG_FLAG) || Option.ofFlag(flag).isPresent();
    }

    private static boolean isSwitch(String flag) {
        return Option.ofFlag(flag)
                .filter(option -> option.form() == Option.Form.SWITCH)
                .isPresent();
    }

    /** Whether a value is plain: picocli may interpret other first characters as an option, an argument file or a quote. */
    private static boolean isPlain(String value) {
        return !value.isEmpty() && "-@\"'".indexOf(value.charAt(0)) < 0;
    }
}
