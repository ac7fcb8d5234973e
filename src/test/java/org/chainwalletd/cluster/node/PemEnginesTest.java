package org.chainwalletd.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.cert.CertificateParsingException;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PemEnginesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CN=walletd | walletd",
                "O=Acme, CN=walletd | walletd",
                "CN=\"Acme, walletd\", O=Acme | Acme, walletd",
                "CN=\"a+b=c\" | a+b=c",
                "CN=other, O=\"Acme, CN=walletd\" | other",
                "OU=daemons+CN=walletd, O=Acme | walletd",
                "CN=walletd, CN=folder | walletd"
            })
    void the_common_name_is_read_as_it_is(String subject, String name) throws Exception {
        assertThat(commonName(subject)).contains(name);
    }

    @Test
    void a_subject_without_a_common_name_has_none() throws Exception {
        assertThat(commonName("O=\"Acme, CN=walletd\"")).isEmpty();
    }

    private static Optional<String> commonName(String subject) throws CertificateParsingException {
        return PemEngines.commonName(new X500Principal(subject));
    }
}
