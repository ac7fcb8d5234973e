package org.chainwalletd.config;

import java.util.Locale;

/** Texts generated from the table of options: the sample configuration and the table of the manual. */
public final class OptionTexts {
    private static final int WIDTH = 100;

    private OptionTexts() {}

    /** Generates a configuration file with every key commented out at its default. */
    public static String sampleConfiguration() {
        StringBuilder text = new StringBuilder("""
                # Configuration of the wallet daemon (HOCON). Every key is commented out and shows its default.
                #
                # Read from <datadir>/walletd.conf, or from the file that --config or WALLETD_CONFIG names. A flag goes over an
                # environment variable, a variable over this file. Unknown keys stop the start. Numbers are in the unit that the
                # key's comment names. The keystore passphrase is never here: it comes from --passphrase-file or from
                # WALLETD_KEYSTORE_PASSPHRASE.

                walletd {
                """);
        String group = null;
        for (Option option : Option.all()) {
            String key = option.key().substring(Option.ROOT.length() + 1);
            String newGroup = key.contains(".") ? key.substring(0, key.indexOf('.')) : "";
            if (group != null && !newGroup.equals(group)) {
                text.append('\n');
            }
            group = newGroup;
            comment(text, option);
            text.append("  # ")
                    .append(key)
                    .append(" = ")
                    .append(sampleValue(option))
                    .append('\n');
        }
        return text.append("}\n").toString();
    }

    /** Generates the rows of a Markdown table: flag, variable, key, default, meaning. */
    public static String markdownTable() {
        StringBuilder text =
                new StringBuilder("| flag | variable | key | default | meaning |\n|---|---|---|---|---|\n");
        for (Option option : Option.all()) {
            String value = option.form() == Option.Form.SWITCH
                    ? ""
                    : " <" + option.form().label() + ">";
            text.append("| `").append(option.flag()).append(value);
            text.append("` | `").append(option.variable("chain"));
            text.append("` | `").append(option.key());
            text.append("` | ")
                    .append(option.defaultText()
                            .filter(standard -> !standard.isEmpty())
                            .map(standard -> "`" + standard + "`")
                            .orElse(""));
            text.append(" | ")
                    .append(option.help().replace("<", "&lt;").replace("|", "\\|"))
                    .append(range(option))
                    .append(" |\n");
        }
        return text.toString();
    }

    private static void comment(StringBuilder text, Option option) {
        StringBuilder line = new StringBuilder("  #");
        String words = sentence(option.help()) + " (" + option.form().unit() + range(option) + ")";
        for (String word : words.split(" ")) {
            if (line.length() + 1 + word.length() > WIDTH) {
                text.append(line).append('\n');
                line.setLength(0);
                line.append("  #");
            }
            line.append(' ').append(word);
        }
        text.append(line).append('\n');
    }

    private static String sentence(String clause) {
        return clause.substring(0, 1).toUpperCase(Locale.ROOT) + clause.substring(1) + ".";
    }

    private static String range(Option option) {
        return option.most() == Long.MAX_VALUE ? "" : "; " + option.least() + " to " + option.most();
    }

    private static String sampleValue(Option option) {
        String value = option.defaultText().orElse("");
        return switch (option.form()) {
            case SWITCH, COUNT, BYTES, MILLISECONDS, SECONDS -> value;
            case WORDS, NETWORKS -> "[]";
            case URLS -> value.isEmpty() ? "null" : "[\"" + value + "\"]";
            case AMOUNT, NUMBER -> value.isEmpty() ? "null" : value;
            default -> value.isEmpty() ? "null" : '"' + value + '"';
        };
    }
}
