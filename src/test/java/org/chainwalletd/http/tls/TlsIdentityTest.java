package org.chainwalletd.http.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.interfaces.ECPublicKey;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.http.tls.TlsIdentity.SelfSigned;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsIdentityTest {
    private static final List<String> FILES = List.of("cert.pem", "cert.key", "cert.fingerprint");

    @TempDir
    Path datadir;

    @TempDir
    Path other;

    private final List<String> told = new ArrayList<>();

    private TlsIdentity open(Path folder) throws Exception {
        return TlsIdentity.open(folder, "chain-walletd", List.of("localhost"), told::add);
    }

    @Test
    void the_first_start_makes_three_files_for_the_owner_only_and_tells_the_fingerprint_once() throws Exception {
        TlsIdentity made = open(datadir);

        assertThat(told).containsExactly("TLS certificate fingerprint: " + made.fingerprint());
        for (String file : FILES) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(datadir.resolve(file))))
                    .isEqualTo("rw-------");
        }
        assertThat(Files.readString(datadir.resolve("cert.fingerprint"))).matches("sha256:[0-9a-f]{64}");
        assertThat(Files.readString(datadir.resolve("cert.key"))).startsWith("-----BEGIN PRIVATE KEY-----\n");

        TlsIdentity again = open(datadir);
        assertThat(again.fingerprint()).isEqualTo(made.fingerprint());
        assertThat(told).hasSize(1);
    }

    @Test
    void the_certificate_is_p_256_and_names_the_daemon_loopback_the_bound_address_and_the_operators_names()
            throws Exception {
        List<String> names = TlsIdentity.names(
                InetAddress.getByName("192.0.2.7"),
                List.of("Wallet.Example", "2001:DB8::1", "[2001:db8::2]", "*.pay.example"));
        TlsIdentity identity = TlsIdentity.open(datadir, "shiny-walletd", names, told::add);

        assertThat(identity.certificate().getSubjectX500Principal().getName()).isEqualTo("CN=shiny-walletd");
        assertThat(((ECPublicKey) identity.certificate().getPublicKey())
                        .getParams()
                        .getOrder()
                        .bitLength())
                .isEqualTo(256);
        assertThat(SelfSigned.namesIn(identity.certificate()))
                .contains(
                        "localhost",
                        "127.0.0.1",
                        "0:0:0:0:0:0:0:1",
                        "192.0.2.7",
                        "wallet.example",
                        "2001:db8:0:0:0:0:0:1",
                        "2001:db8:0:0:0:0:0:2",
                        "*.pay.example");
        assertThat(TlsIdentity.names(InetAddress.getByName("0.0.0.0"), List.of()))
                .doesNotContain("0.0.0.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "http://x", "999.1.1.1", "under/slash", "a..b", ":::1"})
    void a_name_that_is_neither_a_host_nor_an_address_is_refused(String name) throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();

        assertThatThrownBy(() -> TlsIdentity.names(loopback, List.of(name)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void when_all_three_files_are_gone_another_certificate_is_made() throws Exception {
        String before = open(datadir).fingerprint();
        for (String file : FILES) {
            Files.delete(datadir.resolve(file));
        }

        assertThat(open(datadir).fingerprint()).isNotEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cert.pem", "cert.key", "cert.fingerprint"})
    void a_missing_file_stops_the_start_and_the_others_stay(String missing) throws Exception {
        open(datadir);
        Files.delete(datadir.resolve(missing));

        assertThatThrownBy(() -> open(datadir))
                .isInstanceOf(TlsIdentity.TlsException.class)
                .hasMessageStartingWith("missing: [" + datadir.resolve(missing) + "]")
                .hasMessageContaining("delete");
        assertThat(datadir.resolve(missing)).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cert.pem", "cert.key", "cert.fingerprint"})
    void a_file_of_another_certificate_stops_the_start(String foreign) throws Exception {
        open(datadir);
        open(other);
        Files.copy(other.resolve(foreign), datadir.resolve(foreign), StandardCopyOption.REPLACE_EXISTING);

        assertThatThrownBy(() -> open(datadir))
                .isInstanceOf(TlsIdentity.TlsException.class)
                .hasMessageContaining(" is not the ")
                .hasMessageContaining(datadir.resolve("cert.pem").toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cert.pem", "cert.key", "cert.fingerprint"})
    void a_damaged_file_stops_the_start_without_being_replaced(String damaged) throws Exception {
        open(datadir);
        Files.writeString(datadir.resolve(damaged), "-----BEGIN nothing");

        assertThatThrownBy(() -> open(datadir))
                .isInstanceOf(TlsIdentity.TlsException.class)
                .hasMessageContaining(datadir.resolve(damaged).toString());
        assertThat(Files.readString(datadir.resolve(damaged))).isEqualTo("-----BEGIN nothing");
    }
}
