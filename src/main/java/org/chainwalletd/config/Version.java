package org.chainwalletd.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Version that the build has written into the package. */
public final class Version {
    private static final String NUMBER = read();

    private Version() {}

    /** Returns the version number, such as {@code 0.1.0}. */
    public static String number() {
        return NUMBER;
    }

    public static String line() {
        return "chain-walletd " + NUMBER + " (Java " + Runtime.version() + ")";
    }

    private static String read() {
        try (InputStream in = Version.class.getResourceAsStream("/version.properties")) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
