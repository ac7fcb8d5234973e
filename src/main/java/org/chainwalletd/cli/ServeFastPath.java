package org.chainwalletd.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.SettingsLoader;

/**
 * Reader of the command line with which a service manager starts a daemon: options of the configuration, each once with its value, and nothing else.
 * It does not use the grammar of {@link CommandLineParser}: picocli's old byte code fits into no archive of classes, and costs a tenth of a second
 * before anything else can begin. A command line that is not of this plain form, right or wrong, is left to the grammar.
 */
final class ServeFastPath {
    private ServeFastPath() {}

    /** Reads the options by flag, as {@link CommandLineParser} would read them; empty when that one must be asked. */
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

    /** Tests whether a value is plain: picocli may take words with another first character for an option, an argument file or a quotation. */
    private static boolean isPlain(String value) {
        return !value.isEmpty() && "-@\"'".indexOf(value.charAt(0)) < 0;
    }
}
