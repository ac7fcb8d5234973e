package org.chainwalletd.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.testkit.OwnFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseUrlTest {
    @TempDir
    Path home;

    private final Map<String, String> flags = new HashMap<>();
    private final Map<String, String> environment = new HashMap<>();

    private Configuration load(String store) {
        flags.put("--store", store);
        return SettingsLoader.load(flags, environment, home);
    }

    private Settings.Database database(String store) {
        return load(store).settings().database().orElseThrow();
    }

    private List<String> problems(String store) {
        ConfigurationException refused = catchThrowableOfType(ConfigurationException.class, () -> load(store));
        assertThat(refused).as("the configuration is refused").isNotNull();
        return refused.problems();
    }

    @Test
    void payments_are_in_a_file_unless_a_server_is_named() {
        assertThat(load("sqlite").settings().database()).isEmpty();
        assertThat(SettingsLoader.load(Map.of(), Map.of(), home).settings().database())
                .isEmpty();
    }

    @Test
    void a_server_on_this_machine_needs_no_certificate_and_its_port_may_be_left_out() {
        Settings.Database database = database("postgresql://walletd@127.0.0.1/payments");
        assertThat(database.hosts()).containsExactly("127.0.0.1:5432");
        assertThat(database.user()).isEqualTo("walletd");
        assertThat(database.name()).isEqualTo("payments");
        assertThat(database.tls()).isFalse();
        assertThat(database("postgresql://walletd@[::1]:6000/payments?sslmode=disable")
                        .hosts())
                .containsExactly("[::1]:6000");
        assertThat(database("postgresql://walletd@localhost/payments?sslmode=verify-full")
                        .tls())
                .isTrue();
    }

    @Test
    void several_hosts_keep_their_order() {
        assertThat(database("postgresql://walletd@b.test:2,a.test/payments?sslmode=verify-full")
                        .hosts())
                .containsExactly("b.test:2", "a.test:5432");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        mysql://u@h/d                                       | must be sqlite or postgresql://user@host:port/database
        postgres://u@h/d                                    | must be sqlite or postgresql://user@host:port/database
        SQLite                                              | must be sqlite or postgresql://user@host:port/database
        postgresql://127.0.0.1/d                            | must name a user
        postgresql://@127.0.0.1/d                           | must name a user of letters
        postgresql://u%20@127.0.0.1/d                       | must name a user of letters
        postgresql://u@/d                                   | is reached over TCP
        postgresql://u@%2Fvar%2Frun/d                       | is reached over TCP
        postgresql://u@127.0.0.1                            | must name one database
        postgresql://u@127.0.0.1/                           | must name one database
        postgresql://u@127.0.0.1/d/e                        | must name one database
        postgresql://u@127.0.0.1/d e                        | must name one database
        postgresql://u@127.0.0.1:0/d                        | must name a port from 1 to 65535
        postgresql://u@127.0.0.1:65536/d                    | must name a port from 1 to 65535
        postgresql://u@127.0.0.1:port/d                     | must name hosts as host:port
        postgresql://u@::1/d                                | must name hosts as host:port
        postgresql://u@127.0.0.1,/d                         | must name hosts as host:port
        postgresql://u@127.0.0.1,127.0.0.1:5432/d           | names a host twice
        postgresql://u@127.0.0.1/d?ssl=true                 | may only have the parameters sslmode and sslrootcert
        postgresql://u@127.0.0.1/d?sslmode                  | may only have the parameters sslmode and sslrootcert
        postgresql://u@127.0.0.1/d?sslmode=                 | may only have the parameters sslmode and sslrootcert
        postgresql://u@127.0.0.1/d?                         | may only have the parameters sslmode and sslrootcert
        postgresql://u@127.0.0.1/d?sslmode=%zz              | is not percent-encoded
        postgresql://u@127.0.0.1/d?sslmode=prefer           | must say sslmode=disable or sslmode=verify-full
        postgresql://u@127.0.0.1/d?sslmode=disable&sslmode=disable | has the parameter sslmode twice
        postgresql://u@127.0.0.1/d?sslrootcert=/ca.pem      | does nothing without sslmode=verify-full
        postgresql://u@db.test/d                            | needs sslmode=verify-full for a server on another machine
        postgresql://u@db.test/d?sslmode=require            | needs sslmode=verify-full for a server on another machine
        postgresql://u@127.0.0.1,db.test/d?sslmode=disable  | needs sslmode=verify-full for a server on another machine
        """)
    void each_part_that_is_wrong_is_told(String store, String why) {
        assertThat(problems(store))
                .singleElement()
                .asString()
                .startsWith("--store '" + store + "' ")
                .contains(why);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://u:s3cret@127.0.0.1/d",
                "postgresql://u:s3c/r@et@127.0.0.1/d",
                "postgresql://u@127.0.0.1/d?password=s3cret",
                "postgres://u:s3cret@127.0.0.1/d"
            })
    void a_password_in_the_url_is_refused_and_not_repeated(String store) {
        assertThat(problems(store)).singleElement().asString().doesNotContain("s3c");
    }

    @Test
    void the_refusal_of_a_password_says_where_it_goes() {
        assertThat(problems("postgresql://u:s3cret@127.0.0.1/d"))
                .containsExactly("--store must not hold a password, which everybody on this machine could read: put it"
                        + " into WALLETD_STORE_PASSWORD or into a file that --store-password-file names");
    }

    @Test
    void the_password_comes_from_the_variable_or_from_a_private_file_that_is_read_each_time() throws IOException {
        environment.put("WALLETD_STORE_PASSWORD", "of the variable");
        String store = "postgresql://u@127.0.0.1/d";
        assertThat(database(store).currentPassword()).contains("of the variable");
        assertThat(load(store).warnings()).isEmpty();
        assertThat(load(store).settings().toString()).doesNotContain("of the variable");

        Path file = OwnFiles.secret(home.resolve("password"), "of the file\r\n");
        flags.put("--store-password-file", file.toString());
        assertThat(problems(store))
                .containsExactly("WALLETD_STORE_PASSWORD and --store-password-file exclude each other: leave one out");

        environment.clear();
        Settings.Database database = database(store);
        assertThat(database.currentPassword()).contains("of the file");
        OwnFiles.secret(file, "the next");
        assertThat(database.currentPassword()).contains("the next");
        Files.delete(file);
        assertThatThrownBy(database::currentPassword).hasMessageContaining("the password file " + file);
    }

    @Test
    void a_password_file_that_others_can_read_or_that_holds_no_password_is_refused() throws IOException {
        Path file = OwnFiles.secret(home.resolve("password"), "s3cret");
        flags.put("--store-password-file", file.toString());
        Settings.Database database = database("postgresql://u@127.0.0.1/d");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(database::currentPassword)
                .hasMessageContaining("the password file " + file)
                .hasMessageContaining("is open to other users (mode rw-r--r--): chmod 600 it");

        for (String content : List.of("", "\n", "two\nlines", "x".repeat(5_000))) {
            OwnFiles.secret(file, content);
            assertThatThrownBy(database::currentPassword)
                    .as(content)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageNotContaining("two");
        }
        Files.delete(file);
        assertThatThrownBy(database::currentPassword).hasMessageContaining("cannot be read");
    }

    @Test
    void a_password_without_a_server_is_warned_of() {
        environment.put("WALLETD_STORE_PASSWORD", "s3cret");
        assertThat(SettingsLoader.load(flags, environment, home).warnings())
                .containsExactly("the password of a database does nothing without --store");
    }

    @Test
    void settings_have_no_database_in_their_words_but_its_place() {
        assertThat(database("postgresql://u@127.0.0.1/d")).hasToString("postgresql://u@127.0.0.1:5432/d");
        assertThat(Optional.of(database("postgresql://u@127.0.0.1/d")).toString())
                .doesNotContain("Optional.empty");
    }
}
